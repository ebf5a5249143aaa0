import {
  acceptedSubscription,
  advanceTo,
  charges,
  createCharge,
  planSettlement,
  story,
} from "./scheduled-payments/charge.ts";
import { clock, expectedDay } from "./scheduled-payments/expected-day.ts";
import { expect, test } from "vitest";
import fc from "fast-check";
import { holdChargesToTheirLaws } from "./scheduled-payments/laws.ts";
import { openPartner } from "../../partner.ts";
import { type Command, PartnerModel, TERMS } from "./scheduled-payments/partner-model.ts";

// Outcomes that continue the day are drawn more often than those that end it: long chains test more rules.
const outcome = fc.constantFrom(
  ...(["SETTLED", "ERROR", "INSUFFICIENT_BALANCE", "INSUFFICIENT_BALANCE"] as const),
  ...(["SETTLEMENT_ERROR", "SETTLEMENT_ERROR", "SETTLEMENT_ERROR"] as const),
);

test("with any plan and any clock moves, a settlement date follows the rules", async () => {
  const plan = fc.array(outcome, { maxLength: 9, size: "max" });
  const stops = fc.uniqueArray(fc.integer({ min: 0, max: 24 * 3600 - 1 }), { maxLength: 6 });
  // Half an hour, and delays that bring a resend close to 21:00 after an error at 18:05.
  const nearTheEnd = fc.constantFrom(10_493, 10_494, 10_495, 10_499, 10_500, 10_501);
  const delay = fc.oneof(fc.constant(1800), nearTheEnd, fc.nat(12_000));
  const property = fc.asyncProperty(plan, stops, delay, async (outcomes, stops, delay) => {
    await using partner = await openPartner({
      audit: holdChargesToTheirLaws,
      assumptions: { "charge.resend-delay": `PT${delay}S` },
    });
    const { id } = await acceptedSubscription(partner);
    const charge = await createCharge(partner, id);
    if (outcomes.length > 0) await planSettlement(partner, charge["id"], outcomes);
    for (const stop of stops.sort((a, b) => a - b)) await advanceTo(partner, `2026-11-25 ${clock(stop)}`);
    await advanceTo(partner, "2027-02-28 00:00");
    expect((await story(partner)).slice(1)).toEqual(expectedDay(outcomes, delay));
  });
  await expect(fc.assert(property, { numRuns: 80 })).resolves.toBeUndefined();
});

const on = fc.integer({ min: 0, max: TERMS.length - 1 });
const which = fc.nat(20);
const kind = <Kind extends Command["do"]>(name: Kind) => fc.constant(name);
const acts = [
  ["request-cancellation", { reason: "REQUESTED_BY_PAYER" }],
  ["request-cancellation", { reason: "REQUESTED_BY_RECEIVER" }],
  ["fail", { outcome: "SETTLEMENT_ERROR" }],
  ["fail", { outcome: "INSUFFICIENT_BALANCE" }],
  ["reject", {}],
  ["settle", {}],
] as const;

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: kind("charge"), on, ahead: fc.integer({ min: -1, max: 12 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: kind("retry"), on, which, ahead: fc.integer({ min: 0, max: 9 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: kind("dun"), on, times: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: kind("plan"), outcomes: fc.array(outcome, { minLength: 1, maxLength: 5 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: kind("advance"),
      by: fc.constantFrom("PT5S", "PT30M", "PT5H", "PT13H", "P1D", "P2D", "P5D", "P20D"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...acts), which)
      .map(([[act, fields], which]) => ({ do: "act" as const, act, which, fields })),
  },
  { weight: 1, arbitrary: fc.record({ do: kind("end"), on }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: kind("account"), act: fc.constantFrom("activate", "deactivate") }),
  },
);

test("after any actions of partner, payer and banks, charges keep their invariants and webhooks report the state", async () => {
  const commands = fc.array(command, { minLength: 5, maxLength: 40, size: "max" });
  const property = fc.asyncProperty(commands, async (commands) => {
    await using partner = await openPartner({
      start: "2027-01-25T09:00:00-03:00",
      audit: holdChargesToTheirLaws,
    });
    const model = await PartnerModel.open(partner);
    for (const command of commands) await model.run(command);
    await partner.advance("P30D");
    expect(model.surprises).toEqual([]);
    const statuses = (await charges(partner)).map(({ status }) => String(status));
    expect(statuses.filter((status) => ["INITIAL", "PENDING", "ACCEPTED"].includes(status))).toEqual([]);
  });
  await expect(fc.assert(property, { numRuns: 50 })).resolves.toBeUndefined();
}, 120_000);
