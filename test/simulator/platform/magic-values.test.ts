import { expect, test } from "vitest";
import { createSubscription, openPartner } from "../../partner.ts";
import { createPayout, payoutNow, RECEIVER } from "./payouts/payout-requests.ts";
import { decisionOf, magicPayers } from "../../../src/simulator/platform/payers/payer.ts";
import { failureCodes } from "../../../src/simulator/platform/payouts/failures.ts";
import { isCpf } from "../../../src/simulator/countries/brazil/documents.ts";
import { loadFixtures } from "../../../src/server/access/fixture-files.ts";
import { steps } from "../../../src/simulator/platform/catalog.ts";

test.each(failureCodes)("a payout to the key of %s fails with that code, for any receiver", async (code) => {
  await using partner = await openPartner();
  const paymentData = { pixKey: `${code.toLowerCase()}@pix.example` };
  const { id } = await createPayout(partner, { paymentData, receiver: RECEIVER });
  await partner.advance("PT2S");
  expect(await payoutNow(partner, id)).toMatchObject({
    status: "ERROR",
    errorMessage: expect.stringMatching(`^${code}: `) as unknown,
  });
});

test("a plan decides before the key does, and a code of another form is a key that nobody has", async () => {
  await using partner = await openPartner();
  await partner.sandbox.plan({ plan: "payout.settlement", outcomes: ["PAID"] });
  const paid = await createPayout(partner, { paymentData: { pixKey: "ac06@pix.example" } });
  const other = await createPayout(partner, { paymentData: { pixKey: "zz99@pix.example" } });
  await partner.advance("PT2S");
  expect(await payoutNow(partner, paid["id"])).toMatchObject({ status: "PAID" });
  expect(await payoutNow(partner, other["id"])).toMatchObject({
    errorMessage: "The PIX key zz99@pix.example is not registered.",
  });
});

test("every magic payer has a valid CPF of its own, and decides steps that exist by outcomes that they have", () => {
  const ids = [...loadFixtures()["known-payers"], ...magicPayers].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, outcomes } of magicPayers) {
    expect(isCpf(id)).toBe(true);
    for (const [name, outcome] of Object.entries(outcomes))
      for (const one of typeof outcome === "string" ? [outcome] : outcome)
        expect(steps.get(name)?.step.outcomes).toContain(one);
  }
});

test("a payer may decide otherwise later", () => {
  const tx = { get: () => undefined, all: () => [], find: () => [] };
  const person = { name: "Otto", document: { type: "CPF", number: "90000000507" } };
  const settlement = "scheduled-payment.settlement";
  expect(decisionOf(tx, settlement, { person })).toBe("INSUFFICIENT_BALANCE");
  expect(decisionOf(tx, settlement, { person, isLater: true })).toBe("SETTLED");
});

test("a payer who cancels does so a day after the acceptance, and not while a request is PENDING", async () => {
  await using partner = await openPartner({ assumptions: { "cancellation.delay": "P3D" } });
  const debtor = { name: "Diana", document: { type: "CPF", number: "90000000841" } };
  const { id } = await createSubscription(partner, { debtor });
  await partner.advance("P1DT4S");
  expect((await partner.webhooks()).map(({ event }) => event)).toEqual(["SUBSCRIPTION.ACCEPTED"]);
  await partner.act("subscription.request-cancellation", { id, reason: "REQUESTED_BY_RECEIVER" });
  await partner.advance("P1D");
  expect((await partner.webhooks()).map(({ event }) => event)).toEqual([
    "SUBSCRIPTION.ACCEPTED",
    "SUBSCRIPTION.CANCELLATION.PENDING",
  ]);
});
