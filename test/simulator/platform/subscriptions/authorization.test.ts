import { type Partner, createSubscription, openPartner } from "../../../partner.ts";
import { expect, test } from "vitest";
import { shapeProblems } from "../../../../src/simulator/api/validation.ts";

const IMMEDIATE = {
  type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
  initialCharge: { amount: { currency: "BRL", value: "59.90" } },
};

async function act(partner: Partner, name: string, input: object) {
  return partner.ask("POST", `/sandbox/acts/${name}`, { token: null, body: input });
}

test("an accepted subscription shows its payer, in the resource and in the event", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  const payer = { name: "Pedro Pagador", document: { type: "CPF", number: "11144477735" } };
  const accepted = await partner.act("subscription.accept", { id, payer });
  expect(accepted).toMatchObject({ id, status: "ACCEPTED", payer });
  const [event, ...others] = await partner.webhooks();
  expect(others).toEqual([]);
  expect(event).toMatchObject({ event: "SUBSCRIPTION.ACCEPTED", occurredAt: "2026-11-20T12:00:00.000Z" });
  expect(event?.["data"]).toEqual(accepted);
  expect(shapeProblems("Subscription", event?.["data"])).toEqual([]);
});

test("paying the first charge accepts the subscription, and accepting pays the first charge", async () => {
  for (const way of ["order.pay", "subscription.accept"]) {
    await using partner = await openPartner();
    const created = await createSubscription(partner, IMMEDIATE);
    const { orderId } = created["initialCharge"] as { orderId: string };
    await partner.act(way, { id: way === "order.pay" ? orderId : created["id"] });
    const events = await partner.webhooks();
    expect(events.map((event) => event["event"])).toEqual(["ORDER-PAYIN.PAID", "SUBSCRIPTION.ACCEPTED"]);
    expect(events[0]).toMatchObject({
      id: orderId,
      code: (created["initialCharge"] as { conciliationId: string }).conciliationId,
      status: "PAID",
      type: "PAY-IN",
      paidAt: "2026-11-20T12:00:00.000Z",
      endToEndId: expect.stringMatching(/^E[0-9A-Z]{8}202611201200[A-Za-z0-9]{11}$/) as string,
      amount: { currency: "BRL", value: "59.90" },
      subscription: { id: created["id"], code: "subscription-1" },
    });
    const ledger = await partner.sandbox.ledger();
    expect(ledger["accounts"]).toContainEqual({
      account: "available:11111111-1111-4111-8111-111111111111",
      currency: "BRL",
      value: "100059.90",
    });
  }
});

test("a first charge must be paid in full", async () => {
  await using partner = await openPartner();
  const created = await createSubscription(partner, IMMEDIATE);
  const { orderId } = created["initialCharge"] as { orderId: string };
  const refused = await act(partner, "order.pay", { id: orderId, amount: "10.00" });
  expect(refused.status).toBe(400);
  expect((await act(partner, "order.pay", { id: orderId, amount: "59.90" })).status).toBe(200);
});

test("the payer's maximum is not below the floor, and the receiver never sees it", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner, { maxAmountFloor: { currency: "BRL", value: "50.00" } });
  const low = { id, maxAmount: { currency: "BRL", value: "49.99" } };
  expect((await act(partner, "subscription.accept", low)).status).toBe(400);
  const accepted = await partner.act("subscription.accept", {
    id,
    maxAmount: { currency: "BRL", value: "50" },
  });
  expect(JSON.stringify(accepted)).not.toMatch(/maximum|maxAmount"/i);
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

test.each([
  ["subscription.reject", "REJECTED"],
  ["subscription.fail", "ERROR"],
])(
  "after %s the subscription is %s, its unpaid first charge is canceled, and no act is possible",
  async (name, status) => {
    await using partner = await openPartner();
    const created = await createSubscription(partner, IMMEDIATE);
    const { id } = created;
    expect(await partner.act(name, { id })).toMatchObject({ status });
    const events = await partner.webhooks();
    expect(events.map((event) => event["event"])).toEqual([`SUBSCRIPTION.${status}`, "ORDER-PAYIN.CANCELED"]);
    for (const again of ["subscription.accept", "subscription.reject", "subscription.fail"]) {
      const refused = await act(partner, again, { id });
      expect(refused.status).toBe(409);
      expect(refused.body).toMatchObject({ error: "INVALID_REQUEST", details: [{ issue: "ILLEGAL_ACT" }] });
      expect(refused.body["message"]).toContain("Possible acts: none");
    }
  },
);

test("a refusal of an act names the acts that are possible", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  const refused = await act(partner, "subscription.accept", { id });
  expect(refused.body["message"]).toBe(
    `The act subscription.accept is not possible: the subscription ${String(id)} is ACCEPTED. Possible acts: subscription.request-cancellation.`,
  );
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

test.each([
  ["90000000175", "ACCEPTED"],
  ["90000000256", "REJECTED"],
])("the fixture payer %s decides without an act, after a delay: %s", async (number, status) => {
  await using partner = await openPartner();
  const debtor = { name: "Known Payer", document: { type: "CPF", number } };
  const { id } = await createSubscription(partner, { debtor });
  await partner.advance("PT4S");
  expect(await partner.webhooks()).toEqual([]);
  await partner.advance("PT1S");
  expect(await partner.webhooks()).toMatchObject([{ event: `SUBSCRIPTION.${status}`, data: { id } }]);
});

test("every other payer waits for an act, for any time", async () => {
  await using partner = await openPartner();
  await createSubscription(partner);
  await partner.advance("P1Y");
  expect(await partner.webhooks()).toEqual([]);
});

test("a plan decides for the next subscriptions in order, one outcome each", async () => {
  await using partner = await openPartner();
  await partner.sandbox.plan({
    plan: "subscription.authorization",
    outcomes: ["REJECTED", "ERROR", "ACCEPTED"],
  });
  for (const externalId of ["a", "b", "c", "d"]) await createSubscription(partner, { externalId });
  await partner.advance({ until: "idle" });
  const events = await partner.webhooks();
  expect(
    events.map((event) => [event["event"], (event["data"] as { externalId: string }).externalId]),
  ).toEqual([
    ["SUBSCRIPTION.REJECTED", "a"],
    ["SUBSCRIPTION.ERROR", "b"],
    ["SUBSCRIPTION.ACCEPTED", "c"],
  ]);
});

test("a plan decides a subscription that is already waiting", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.sandbox.plan({ plan: "subscription.authorization", on: String(id), outcomes: ["REJECTED"] });
  await partner.advance("PT5S");
  expect(await partner.webhooks()).toMatchObject([{ event: "SUBSCRIPTION.REJECTED" }]);
});

test("with the immediate autopilot the payer accepts after the answer, before the clock moves", async () => {
  await using partner = await openPartner({
    assumptions: { "autopilot.subscription.authorization": "immediate" },
  });
  const created = await createSubscription(partner);
  expect(created["status"]).toBe("PENDING_AUTHORIZATION");
  expect(await partner.webhooks()).toMatchObject([{ event: "SUBSCRIPTION.ACCEPTED" }]);
});
