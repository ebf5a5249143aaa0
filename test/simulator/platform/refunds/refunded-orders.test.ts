import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { ACME_ACCOUNT, type Partner, createSubscription, openPartner } from "../../../partner.ts";
import { refund, refundBody, refunded, resource, ledgerBalance } from "./paid-order.ts";

const AVAILABLE = `available:${ACME_ACCOUNT}`;
const NOTIFIED = "http://shop.example/order-events";

const brazilian = {
  name: "Dora Devedora",
  entityType: "INDIVIDUAL",
  document: { type: "CPF", number: "52998224725" },
};
const mexican = {
  name: "María López",
  entityType: "INDIVIDUAL",
  document: { type: "CURP", number: "LOOA531113HTCPBN07" },
};

/** A transparent order; gives its id. */
async function transparentOrder(partner: Partner, order: object, version = "v2"): Promise<string> {
  const written = { externalId: `order-${randomUUID()}`, notificationUrl: NOTIFIED, ...order };
  const isOfMexico = (order as { paymentMethod: string }).paymentMethod === "SPEI";
  const { status, body } = await partner.ask("PUT", `/order/${version}/transparent`, {
    key: randomUUID(),
    body: { customer: isOfMexico ? mexican : brazilian, order: { description: "A bicycle", ...written } },
  });
  if (status !== 200) throw new Error(`no order was created: ${JSON.stringify(body)}`);
  return body["id"] as string;
}

const reais = (value: string): object => ({ currency: "BRL", value });

async function lastEvent(partner: Partner): Promise<SandboxObject> {
  return (await partner.webhooks()).at(-1) as SandboxObject;
}

test.each(["DUPLICATE", "FRAUDULENT", "REQUESTED_BY_CUSTOMER", "OTHER"])(
  "an order of Mexico is refunded for the reason %s",
  async (reason) => {
    await using partner = await openPartner();
    const id = await transparentOrder(partner, {
      paymentMethod: "SPEI",
      amount: { currency: "MXN", value: "100.00" },
    });
    await partner.act("order.pay", { id });
    const answered = await refund(partner, refundBody(id, { reason, amount: "100" }));
    expect(answered.status).toBe(200);
    expect(answered.body).toMatchObject({ reason, amount: "100.00" });
    await partner.advance("PT5S");
    expect(await resource(partner, "orders", id)).toMatchObject({ status: "REFUNDED" });
    expect(await ledgerBalance(partner, AVAILABLE, "MXN")).toBe("0.00");
    expect(await ledgerBalance(partner, AVAILABLE)).toBe("100000.00");
  },
);

test.each(["The gym is closed", "duplicate", "REQUESTED_BY_PAYER", " OTHER"])(
  "an order of Mexico is not refunded for the reason %j",
  async (reason) => {
    await using partner = await openPartner();
    const id = await transparentOrder(partner, {
      paymentMethod: "SPEI",
      amount: { currency: "MXN", value: "100.00" },
    });
    await partner.act("order.pay", { id });
    const answered = await refund(partner, refundBody(id, { reason, amount: "100.01" }));
    expect(answered.status).toBe(400);
    expect(answered.body).toEqual([
      `reason: The reason must be one of DUPLICATE, FRAUDULENT, REQUESTED_BY_CUSTOMER, OTHER for an order of Mexico; found "${reason}".`,
      expect.stringContaining("amount: The amount must be at most 100.00"),
    ]);
  },
);

test("the refund of an order that was not paid by PIX has an endToEndId only in its answer", async () => {
  await using partner = await openPartner();
  const id = await transparentOrder(partner, { paymentMethod: "EXCHANGE_PAY", amount: reais("80.00") });
  await partner.act("order.pay", { id });
  const { endToEndId } = await refunded(partner, id, "80.00");
  expect(endToEndId).toMatch(/^D\d{8}\d{12}[0-9A-Za-z]{11}$/);
  await partner.advance("PT5S");
  expect(await lastEvent(partner)).toMatchObject({ event: "ORDER-PAYIN.REFUNDED", endToEndId: null });
});

test("the event of a refund goes to the notification URL of its order, without a subscription", async () => {
  // The harness sends every webhook to one URL; without it each goes its own way.
  await using partner = await openPartner({ webhookUrl: null } as object);
  const id = await transparentOrder(partner, { paymentMethod: "PIX", amount: reais("80.00") });
  await partner.act("order.pay", { id });
  await refunded(partner, id, "80.00");
  await partner.advance("PT5S");
  const delivery = (await partner.sandbox.deliveries()).at(-1) as SandboxObject;
  expect(delivery).toMatchObject({ event: "ORDER-PAYIN.REFUNDED", url: NOTIFIED });
  expect(Object.keys(delivery["body"] as object)).toEqual([
    "id",
    "code",
    "event",
    "status",
    "type",
    "refundId",
    "refundedAt",
    "paidAt",
    "updatedAt",
    "endToEndId",
    "message",
  ]);
});

test("of an order paid in part, that part can be refunded", async () => {
  await using partner = await openPartner();
  const id = await transparentOrder(partner, { paymentMethod: "DEPOSIT", amount: reais("80.00") });
  await partner.act("order.pay", { id, amount: "30.00" });
  const tooMuch = await refund(partner, refundBody(id, { amount: "30.01" }));
  expect(tooMuch.body).toEqual([expect.stringContaining("at most 30.00")]);
  await refunded(partner, id, "10.00");
  await partner.advance("PT5S");
  expect(await resource(partner, "orders", id)).toMatchObject({ status: "PARTIAL_REFUNDED" });
  await refunded(partner, id, "20.00");
  await partner.advance("PT5S");
  expect(await resource(partner, "orders", id)).toMatchObject({ status: "REFUNDED" });
});

test("an order of an open amount can be refunded up to what its payer chose", async () => {
  await using partner = await openPartner();
  const id = await transparentOrder(partner, { paymentMethod: "PIX" }, "v3");
  const early = await refund(partner, refundBody(id, { amount: "1.00" }));
  expect(early.body).toEqual([expect.stringContaining("is INITIAL")]);
  await partner.act("order.pay", { id, amount: "12.34" });
  const tooMuch = await refund(partner, refundBody(id, { amount: "12.35" }));
  expect(tooMuch.body).toEqual([expect.stringContaining("at most 12.34")]);
  await refunded(partner, id, "12.34");
});

test("fees are not refunded: the limit is the amount that the account was credited with", async () => {
  await using partner = await openPartner({ assumptions: { "order.fee-fixed": 150 } });
  const id = await transparentOrder(partner, { paymentMethod: "PIX", amount: reais("80.00") });
  await partner.act("order.pay", { id });
  const tooMuch = await refund(partner, refundBody(id, { amount: "81.50" }));
  expect(tooMuch.body).toEqual([
    "amount: The amount must be at most 80.00: of the 80.00 BRL that arrived, 0.00 are refunded or about to be; found 81.50.",
  ]);
  await refunded(partner, id, "80.00");
  await partner.advance("PT5S");
  expect(await resource(partner, "orders", id)).toMatchObject({ status: "REFUNDED" });
});

test("where the balance does not suffice, the refund ends REJECTED with that reason", async () => {
  await using partner = await openPartner();
  const id = await transparentOrder(partner, { paymentMethod: "PIX", amount: reais("80.00") });
  await partner.act("order.pay", { id });
  const paid = await partner.ask("POST", "/order/v1/banking/order-payouts", {
    key: randomUUID(),
    body: {
      externalId: "payout-1",
      accountId: ACME_ACCOUNT,
      paymentMethod: "PIX",
      paymentData: { pixKey: "ok@pix.example" },
      amount: reais("100079.00"),
      description: "All but a real",
    },
  });
  expect(paid.status).toBe(201);
  const rejected = await refunded(partner, id, "1.01");
  await refunded(partner, id, "1.00");
  await partner.advance("PT5S");
  const events = (await partner.webhooks()).filter(({ type }) => type === "REFUND");
  expect(events.map(({ event, message }) => [event, message])).toEqual([
    [
      "ORDER-PAYIN.REJECTED",
      `The balance of the account ${ACME_ACCOUNT} does not suffice: 1.00 BRL were available.`,
    ],
    ["ORDER-PAYIN.REFUNDED", ""],
  ]);
  expect(events[0]).toMatchObject({ refundId: rejected["id"], refundedAt: null });
  expect(await ledgerBalance(partner, AVAILABLE)).toBe("0.00");
});

test("the refund of a charge names its subscription and its scheduled payment", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner, { externalId: "gym-1" });
  await partner.act("subscription.accept", { id });
  const charge = await partner.ask("PUT", `/public/v1/banking/subscriptions/${id}/payments`, {
    body: { externalId: "charge-1", dueDate: "2026-11-25", amount: reais("59.90") },
  });
  expect(charge.status).toBe(200);
  await partner.advance({ to: "2026-11-25T21:00:00-03:00" });
  const paid = (await partner.webhooks()).find(({ event }) => event === "ORDER-PAYIN.PAID") as SandboxObject;
  await refunded(partner, paid["id"] as string, "59.90");
  await partner.advance("PT5S");
  expect(await lastEvent(partner)).toMatchObject({
    event: "ORDER-PAYIN.REFUNDED",
    id: paid["id"],
    code: "charge-1",
    paidAt: paid["paidAt"],
    subscription: { id, code: "gym-1" },
    scheduledPayment: { id: charge.body["id"], externalId: "charge-1" },
  });
});
