import { createSubscription, detail, openPartner, subscriptionBody } from "../partner.ts";
import { expect, test } from "vitest";

/** Text of spaces once passed for a name, a code or a reason. */
test.each([
  ["externalId", { externalId: "  " }],
  ["debtor.name", { debtor: { name: " ", document: { type: "CPF", number: "52998224725" } } }],
])("a blank %s is refused", async (field, changed) => {
  await using partner = await openPartner();
  const body = subscriptionBody(changed);
  const refused = await partner.ask("POST", "/order/v1/banking/subscriptions", { body });
  expect(refused.status).toBe(400);
  expect(detail(refused, field)).toMatchObject({
    issue: "INVALID",
    description: expect.stringContaining("must not be blank") as unknown,
  });
});

test("a payer of journey 2 is ignored, even if invalid", async () => {
  await using partner = await openPartner();
  const created = await createSubscription(partner, { payer: { name: "", document: { type: "PASSPORT" } } });
  expect(created["status"]).toBe("PENDING_AUTHORIZATION");
});

test("the scheme of a URL may be in capitals", async () => {
  await using partner = await openPartner();
  const created = await createSubscription(partner, { webhookUrl: "HTTP://RECEIVER.EXAMPLE/webhooks" });
  expect(created["status"]).toBe("PENDING_AUTHORIZATION");
});

test("without check digits the form of a document is still checked", async () => {
  await using partner = await openPartner({ assumptions: { "documents.validate": false } });
  const wrong = { debtor: { name: "Dora", document: { type: "CPF", number: "5299822472" } } };
  const body = subscriptionBody(wrong);
  const refused = await partner.ask("POST", "/order/v1/banking/subscriptions", { body });
  expect(detail(refused, "debtor.document.number")).toMatchObject({ issue: "INVALID" });
  await createSubscription(partner, {
    debtor: { name: "Dora", document: { type: "CPF", number: "52998224724" } },
  });
});
