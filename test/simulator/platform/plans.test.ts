import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";
import { acceptedSubscription, createCharge } from "./scheduled-payments/charge.ts";
import { codeOf, confirm, openClaim } from "./pix-key-claims/claimant.ts";
import { createPayout } from "./payouts/payout-requests.ts";
import { expect, test } from "vitest";
import { type Partner, createSubscription, openPartner } from "../../partner.ts";

async function statusOf(partner: Partner, collection: string, id: unknown): Promise<unknown> {
  return (await partner.ask("GET", `/sandbox/resources/${collection}/${String(id)}`)).body["status"];
}

async function onlyOf(partner: Partner, collection: string): Promise<SandboxObject> {
  const { body } = await partner.ask("GET", `/sandbox/resources/${collection}`);
  return body["data"][0] as SandboxObject;
}

/** Only subscriptions, orders and refunds that waited were woken by a plan; all the others went on waiting. */
test("a plan answers a claim that waits for its holder", async () => {
  await using partner = await openPartner({ assumptions: { "claim.email-ownership": "accept" } });
  const { claimId, validationId } = await openClaim(partner);
  await confirm(partner, String(validationId), await codeOf(partner, String(validationId)));
  await partner.sandbox.plan({ plan: "claim.answer", on: String(claimId), outcomes: ["DENIED"] });
  await partner.advance("PT5S");
  expect(await statusOf(partner, "claims", claimId)).toBe("DENIED");
});

test("a plan for a claim whose code is not confirmed waits for the code", async () => {
  await using partner = await openPartner({ assumptions: { "claim.email-ownership": "accept" } });
  const { claimId, validationId } = await openClaim(partner);
  await partner.sandbox.plan({ plan: "claim.answer", on: String(claimId), outcomes: ["COMPLETED"] });
  await partner.advance("PT1M");
  expect(await statusOf(partner, "claims", claimId)).toBe("PENDING");
  await confirm(partner, String(validationId), await codeOf(partner, String(validationId)));
  await partner.advance("PT5S");
  expect(await statusOf(partner, "claims", claimId)).toBe("COMPLETED");
});

test("with the manual autopilot a plan for a waiting payout settles as many children as it has outcomes", async () => {
  await using partner = await openPartner({ assumptions: { "autopilot.payout.settlement": "manual" } });
  const { id } = await createPayout(partner, { amount: { currency: "BRL", value: "35000.00" } });
  await partner.sandbox.plan({ plan: "payout.settlement", on: String(id), outcomes: ["PAID", "ERROR"] });
  await partner.advance("PT2S");
  const payout = (await partner.ask("GET", `/sandbox/resources/payouts/${String(id)}`)).body;
  expect(payout["batch"]).toMatchObject({ paidCount: 1, failedCount: 1, pendingCount: 1 });
});

test("with the manual autopilot a plan answers for the payer's institution about a charge that waits to be scheduled", async () => {
  const assumptions = { "autopilot.scheduled-payment.scheduling": "manual" };
  await using partner = await openPartner({ assumptions });
  const { id: subscriptionId } = await acceptedSubscription(partner);
  const { id } = await createCharge(partner, subscriptionId);
  await partner.sandbox.plan({
    plan: "scheduled-payment.scheduling",
    on: String(id),
    outcomes: ["REJECTED"],
  });
  await partner.advance("PT5S");
  expect(await statusOf(partner, "scheduled-payments", id)).toBe("REJECTED");
});

test("with the manual autopilot a plan answers a waiting cancellation, by its id or by that of its subject", async () => {
  const assumptions = { "autopilot.cancellation.answer": "manual" };
  for (const bySubject of [false, true]) {
    for (const isEarly of bySubject ? [false, true] : [false]) {
      await using partner = await openPartner({ assumptions });
      const { id } = await acceptedSubscription(partner);
      const plan = async (on: unknown) =>
        partner.sandbox.plan({ plan: "cancellation.answer", on: String(on), outcomes: ["REJECTED"] });
      if (isEarly) await plan(id);
      await partner.act("subscription.request-cancellation", { id, reason: "REQUESTED_BY_PAYER" });
      const cancellation = await onlyOf(partner, "cancellations");
      if (!isEarly) await plan(bySubject ? id : cancellation["id"]);
      await partner.advance("PT5S");
      expect(await statusOf(partner, "cancellations", cancellation["id"])).toBe("REJECTED");
    }
  }
});

/** The plan was used up, and the payer of the fixtures went on with what was decided before it. */
test("a plan for a subscription takes precedence over its fixture payer, who has already decided", async () => {
  await using partner = await openPartner();
  const debtor = { name: "Alice Aceita", document: { type: "CPF", number: "90000000175" } };
  const { id } = await createSubscription(partner, { debtor });
  const outcomes = ["REJECTED"];
  await partner.sandbox.plan({ plan: "subscription.authorization", on: String(id), outcomes });
  expect(await partner.advance("PT1M")).toMatchObject({ fired: 1 });
  expect(await statusOf(partner, "subscriptions", id)).toBe("REJECTED");
});

test("a plan for an object that has no such step is refused", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  const on = String(id);
  await expect(partner.sandbox.plan({ plan: "payout.settlement", on, outcomes: ["PAID"] })).rejects.toThrow(
    "The plan payout.settlement is for payouts; found an object of subscriptions. Leave `on` out to plan for the next object.",
  );
  await expect(
    partner.sandbox.plan({ plan: "subscription.registration", on, outcomes: ["ERROR"] }),
  ).rejects.toThrow("ends before there is an object to name");
});

test("a plan for an unknown object is refused", async () => {
  await using partner = await openPartner();
  const plan = { plan: "order.payment", on: "nobody", outcomes: ["PAID"] };
  await expect(partner.sandbox.plan(plan)).rejects.toThrow('There is no object "nobody" to plan for.');
});

test("all mistakes of a plan are reported together", async () => {
  await using partner = await openPartner();
  const refused = await partner.ask("POST", "/sandbox/plans", { body: { times: 1, outcomes: ["MAYBE"] } });
  expect(refused.body["details"]).toMatchObject([
    { field: "times", issue: "NOT_ALLOWED" },
    { field: "plan", issue: "REQUIRED" },
    { field: "outcomes[0]", issue: "INVALID" },
  ]);
});
