import { expect, test } from "vitest";
import { listAssumptions } from "../../../../src/simulator/platform/assumptions/listing.ts";
import { openPartner } from "../../../partner.ts";

const listed = listAssumptions();

function alternativesOf(id: string): readonly string[] | undefined {
  return listed.find((one) => one.id === id)?.alternatives;
}

test.each([
  ["a flag: the other value", "documents.validate", ["false"]],
  ["a choice: the others", "payout.returns", ["silent", "canceled-event", "error-event"]],
  [
    "a delay: nothing, half and triple, in the unit of the default",
    "charge.resend-delay",
    "PT0S PT15M PT90M",
  ],
  ["a period is never nothing", "claim.code-ttl", "PT5M PT30M"],
  ["days are halved into hours", "idempotency.retention", "PT12H P3D"],
  ["wall time is never nothing", "webhook.timeout", "PT5S PT30S"],
  ["a number: one less and one more", "claim.attempts", "2 4"],
  ["a number within its limits only", "payout.batch-size-max", "9999"],
  ["a time of day: an hour earlier and later", "charge.receiver-cutoff", "21:00 23:00"],
  ["a time of day stays on its day", "charge.payer-cutoff", "22:59:59"],
  ["an amount: a centavo more, half and double", "payout.batch-threshold", "15000.01 7500.00 30000.00"],
  [
    "durations whose number the platform API shows: the first doubled",
    "webhook.retry-intervals",
    "PT2M,PT5M,PT30M,PT2H",
  ],
  ["values of its own", "order.boleto-grace", "P1D P59D"],
  ["what is about the sandbox has none", "webhook.egress", ""],
  ["how a step is decided in a sandbox has none", "autopilot.payout.settlement", ""],
  ["a delay of the autopilot has some", "autopilot.payer-delay", "PT0S PT2.5S PT15S"],
  ["a statement has none", "http.versions", ""],
])("%s", (_, id, expected) => {
  const values = typeof expected === "string" ? expected.split(" ").filter(Boolean) : expected;
  expect(alternativesOf(id)).toEqual(values);
});

test("everything that can be set and is about the platform has an alternative", () => {
  const without = listed.filter(({ settable, alternatives }) => settable && alternatives.length === 0);
  expect(without.map(({ id }) => id).filter((id) => !id.startsWith("autopilot."))).toEqual([
    "webhook.egress",
  ]);
});

test("a world takes every alternative, and none is the default", async () => {
  await using partner = await openPartner();
  for (const { id, default: standard, alternatives } of listed) {
    for (const alternative of alternatives) {
      const answer = await partner.ask("PATCH", "/sandbox/settings", {
        body: { assumptions: { [id]: alternative } },
      });
      expect(answer.status, `${id}=${alternative}`).toBe(200);
      expect(String((answer.body["assumptions"] as Record<string, unknown>)[id])).toBe(alternative);
      expect(alternative).not.toBe(String(standard));
    }
    const back = { [id]: standard };
    if (alternatives.length > 0) {
      await partner.ask("PATCH", "/sandbox/settings", { body: { assumptions: back } });
    }
  }
});
