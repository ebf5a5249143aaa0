import { createSubscription, openPartner } from "../partner.ts";
import { createSandbox } from "../../src/index.ts";
import { expect, test } from "vitest";

test.each([
  [{ seed: "x" }, 'The seed must be a whole number from 0 to 4294967295; found "x".'],
  [{ seed: -1 }, "The seed must be a whole number from 0 to 4294967295; found -1."],
  [{ mode: "fast" }, 'The mode must be frozen or running; found "fast".'],
  [{ assumption: {} }, 'There is no option "assumption". Did you mean assumptions?'],
])("createSandbox refuses %j", async (options, sentence) => {
  await expect(createSandbox(options as never)).rejects.toThrow(sentence);
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

test("all mistakes of a new world are reported together", async () => {
  await using partner = await openPartner();
  const body = { seed: "x", assumptions: { "claim.resends": "often", nothing: 1 } };
  const refused = await partner.ask("POST", "/sandbox/worlds", { body });
  expect(refused.body["details"]).toMatchObject([
    { field: "seed" },
    { field: "assumptions" },
    { field: "assumptions" },
  ]);
});

test("an illegal act is called by its own name", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.act("subscription.reject", { id });
  const asked = partner.act("subscription.request-cancellation", { id, reason: "FRAUD_SUSPICION" });
  await expect(asked).rejects.toThrow(
    "The act subscription.request-cancellation is not possible: the subscription",
  );
});

test("without a token a webhook URL is set for the first company of the world", async () => {
  await using partner = await openPartner();
  const webhook = await partner.act("webhook.set-url", { url: "http://receiver.example/set" });
  expect(webhook["secret"]).toBe("acme-webhook-secret");
});

test("the description of the platform API has the world's time as well", async () => {
  await using partner = await openPartner();
  const described = await partner.sandbox.fetch("/openapi.json");
  expect(described.headers.get("date")).toBe("Fri, 20 Nov 2026 12:00:00 GMT");
});

test("the payer's maximum may be only a value, in BRL", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner, { maxAmountFloor: { currency: "BRL", value: "50.00" } });
  await expect(partner.act("subscription.accept", { id, maxAmount: "49.99" })).rejects.toThrow(
    "maxAmountFloor",
  );
  expect(await partner.act("subscription.accept", { id, maxAmount: "50.00" })).toMatchObject({
    status: "ACCEPTED",
  });
});
