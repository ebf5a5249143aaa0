import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import fc from "fast-check";
import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";
import type { Transport } from "../../../src/simulator/webhooks/transport.ts";
import { createSubscription, openPartner, type Partner } from "../../partner.ts";

/** A receiver that answers each attempt after some turns, and counts the attempts. */
function slowReceiver(speeds: readonly number[], statuses: readonly number[]) {
  const sent: string[] = [];
  const transport: Transport = (requests) =>
    Promise.all(
      requests.map(async ({ body }) => {
        const number = sent.push(Buffer.from(body).toString("utf8"));
        for (let turn = 0; turn < (speeds[number % speeds.length] ?? 0); turn++) await setImmediate();
        const status = statuses[number % statuses.length] ?? 200;
        const isDelivered = status < 300;
        return {
          status,
          error: isDelivered ? null : "non-2xx",
          message: "",
          responseHeaders: {},
          responseBody: "",
          responseTruncated: false,
          durationMs: 1,
        };
      }),
    );
  return { sent, transport };
}

async function attemptsOf(partner: Partner): Promise<SandboxObject[][]> {
  const deliveries = await partner.sandbox.deliveries();
  return deliveries.map(({ attempts }) => attempts as SandboxObject[]);
}

const effects = [undefined, { effect: "duplicate-concurrent" }, { effect: "together", anyObject: true }];

const sessions = fc.record({
  mode: fc.constantFrom("frozen" as const, "running" as const),
  speeds: fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 5 }),
  statuses: fc.array(fc.constantFrom(200, 200, 500), { minLength: 1, maxLength: 5 }),
  fault: fc.constantFrom(...effects),
  /** Each resend: of one webhook or of all, how many turns after the one before. */
  resends: fc.array(fc.record({ isBulk: fc.boolean(), pick: fc.nat(), turns: fc.nat({ max: 20 }) }), {
    minLength: 1,
    maxLength: 8,
  }),
});

test("resends in any order and at any speed are all recorded, each once", async () => {
  const property = fc.asyncProperty(sessions, async ({ mode, speeds, statuses, fault, resends }) => {
    const { sent, transport } = slowReceiver(speeds, statuses);
    await using partner = await openPartner({ transport, mode });
    if (fault !== undefined) await partner.sandbox.fault({ on: "webhook", times: 1, ...fault });
    for (const externalId of ["one", "two"]) {
      const { id } = await createSubscription(partner, { externalId });
      await partner.act("subscription.accept", { id });
    }
    const under = "/sandbox/deliveries";
    const { body } = await partner.ask("GET", `${under}?wait=false`);
    const ids = (body["data"] as SandboxObject[]).map(({ id }) => String(id));
    const asked: Promise<unknown>[] = [];
    for (const { isBulk, pick, turns } of resends) {
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      const status = pick % 2 === 0 ? "delivered" : "retrying";
      asked.push(
        isBulk
          ? partner.ask("POST", `${under}/resend`, { body: { status } })
          : partner.ask("POST", `${under}/${ids[pick % ids.length]}/resend`),
      );
    }
    await Promise.all(asked);
    await partner.sandbox.settled();
    const attempts = await attemptsOf(partner);
    expect(attempts.flat()).toHaveLength(sent.length);
    for (const ofOne of attempts)
      expect(ofOne.map(({ number }) => number)).toEqual(ofOne.map((_, index) => index + 1));
    const manual = attempts.flat().filter(({ trigger }) => trigger === "manual");
    expect(manual.length).toBeGreaterThanOrEqual(resends.filter(({ isBulk }) => !isBulk).length);
  });
  await expect(fc.assert(property, { numRuns: 60 })).resolves.toBeUndefined();
});
