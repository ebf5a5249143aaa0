import type { Transport } from "../../../src/server/access/webhook-sending.ts";
import { expect, test } from "vitest";
import { createSubscription, openPartner, type Partner } from "../../partner.ts";
import { streamEvents } from "../../../src/server/control/client.js";
import { localClient } from "../../../src/server/control/local-client.ts";
import { ScriptedReceiver } from "../../../src/scenarios/receiver.ts";
import { transportTo } from "../../../src/simulator/webhooks/in-process.ts";

/** A partner that starts more work at each webhook: a new subscription that its payer accepts at once. */
async function openEndless(): Promise<Partner & { readonly started: () => number }> {
  const send = transportTo(new ScriptedReceiver());
  let started = 0;
  const again = async (): Promise<void> => {
    const { id } = await createSubscription(partner, { externalId: `subscription-${++started}` });
    await partner.act("subscription.accept", { id });
  };
  const transport: Transport = async (requests) => {
    await again();
    return send(requests);
  };
  const partner = await openPartner({ transport });
  await again();
  return { ...partner, started: () => started, [Symbol.asyncDispose]: () => partner.sandbox.close() };
}

test("an advance ends if one instant leads to more and more webhooks", async () => {
  await using partner = await openEndless();
  const report = await partner.advance({ until: "idle" });
  expect(report).toMatchObject({ stoppedBy: "turnsPerInstantMax", to: "2026-11-20T12:00:00.000Z" });
  expect(partner.started()).toBeGreaterThan(1_000);
});

test("an advance ends when its client leaves, and the world is free for others", async () => {
  await using partner = await openEndless();
  const leaving = new AbortController();
  const url = "/sandbox/clock/advance";
  const asked = partner.sandbox.fetch(url, {
    method: "POST",
    body: JSON.stringify({ until: "idle" }),
    signal: leaving.signal,
  });
  await expect.poll(partner.started).toBeGreaterThan(20);
  leaving.abort();
  const left = await asked.then((answer) => answer.json() as Promise<object>);
  expect(left).toMatchObject({ stoppedBy: "client" });
  const { stoppedBy } = await partner.advance("PT0S");
  expect(stoppedBy).toBe("turnsPerInstantMax");
});

test("an advance over a port ends when its client leaves", async () => {
  await using partner = await openEndless();
  const { url } = await partner.sandbox.listen();
  const leaving = new AbortController();
  const asked = fetch(`${url}/sandbox/clock/advance`, {
    method: "POST",
    body: JSON.stringify({ until: "idle" }),
    signal: leaving.signal,
  });
  await expect.poll(partner.started).toBeGreaterThan(20);
  leaving.abort();
  await expect(asked).rejects.toThrow("aborted");
  await expect
    .poll(async () => {
      const before = partner.started();
      await new Promise((resolve) => setImmediate(resolve));
      return partner.started() - before;
    })
    .toBeLessThan(2);
  expect(partner.started()).toBeLessThan(1_000);
});

test("a server stops while an advance never ends", async () => {
  const partner = await openEndless();
  await partner.sandbox.listen();
  const asked = partner.sandbox.fetch("/sandbox/clock/advance", {
    method: "POST",
    body: JSON.stringify({ until: "idle" }),
  });
  await expect.poll(partner.started).toBeGreaterThan(20);
  await partner.sandbox.close();
  expect(await (await asked).json()).toMatchObject({ stoppedBy: "shutdown" });
});

test("an advance ends if a follower always waits for the present instant", async () => {
  await using partner = await openPartner();
  const client = localClient(partner.sandbox);
  const { id } = await client.ask("POST /sandbox/clock/followers", { name: "endless" });
  const stream = await client.open("GET /sandbox/clock/followers/{id}/turns", { id });
  const listen = async (): Promise<void> => {
    for await (const { type, data } of streamEvents(stream.body as never)) {
      if (type !== "turn" || data === undefined) continue;
      const { turn, now } = JSON.parse(data) as { turn: number; now: string };
      const ended = { id, turn: String(turn), next: now, ran: 0 };
      await client.ask("POST /sandbox/clock/followers/{id}/turns/{turn}", ended);
    }
  };
  void listen();
  const next = "2026-11-20T12:00:00.000Z";
  await client.ask("PUT /sandbox/clock/followers/{id}", { id, next });
  const report = await partner.advance("PT1H");
  expect(report).toMatchObject({ stoppedBy: "turnsPerInstantMax", to: next });
});
