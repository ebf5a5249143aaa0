import { expect, test } from "vitest";
import { ACME_ACCOUNT, openPartner, type Partner, RECEIVER_URL } from "../../../partner.ts";
import { makeOrder, orderBody, orderNow } from "../orders/asking.ts";
import { paidOrder, refund, refundBody, refunded, resource, ledgerBalance } from "./paid-order.ts";

const AVAILABLE = `available:${ACME_ACCOUNT}`;

test("a refund is answered INITIAL with the eight fields of the platform API", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const answered = await refund(partner, refundBody(orderId, { amount: "9.9" }));
  expect(answered.status).toBe(200);
  expect(answered.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    orderId,
    amount: "9.90",
    reason: "The gym is closed",
    requestedBy: { name: "Ana Lima", email: "ana@partner.example" },
    status: "INITIAL",
    createdAt: "2026-11-20T12:00:00.000Z",
    endToEndId: expect.stringMatching(/^D99999004202611201200[0-9A-Za-z]{11}$/),
  });
});

test("the amount may come as a JSON number", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const answered = await refund(partner, refundBody(orderId, { amount: 10.5 }));
  expect(answered.body).toMatchObject({ amount: "10.50" });
});

test("a full refund settles after its delay, and its event names order and subscription", async () => {
  await using partner = await openPartner();
  const { orderId, code, subscriptionId } = await paidOrder(partner);
  const asked = await refunded(partner, orderId, "59.90");
  expect(await ledgerBalance(partner, AVAILABLE)).toBe("100000.00");
  expect(await ledgerBalance(partner, `held:${asked["id"]}`)).toBe("59.90");
  await partner.advance("PT4.999S");
  expect(await resource(partner, "refunds", asked["id"] as string)).toMatchObject({ status: "INITIAL" });
  await partner.advance("PT0.001S");
  expect((await partner.webhooks()).at(-1)).toEqual({
    id: orderId,
    code,
    event: "ORDER-PAYIN.REFUNDED",
    status: "REFUNDED",
    type: "REFUND",
    refundId: asked["id"],
    refundedAt: "2026-11-20T12:00:05.000Z",
    paidAt: "2026-11-20T12:00:00.000Z",
    updatedAt: "2026-11-20T12:00:05.000Z",
    endToEndId: asked["endToEndId"],
    message: "",
    subscription: { id: subscriptionId, code: "subscription-1" },
  });
  expect(await resource(partner, "orders", orderId)).toMatchObject({ status: "REFUNDED" });
  expect(await ledgerBalance(partner, `held:${asked["id"]}`)).toBe("0.00");
  expect(await ledgerBalance(partner, AVAILABLE)).toBe("100000.00");
});

test("two partial refunds refund an order completely", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  await refunded(partner, orderId, "20.00");
  await partner.advance("PT5S");
  expect(await resource(partner, "orders", orderId)).toMatchObject({ status: "PARTIAL_REFUNDED" });
  await refunded(partner, orderId, "39.90");
  await partner.advance("PT5S");
  expect(await resource(partner, "orders", orderId)).toMatchObject({ status: "REFUNDED" });
  const refused = await refund(partner, refundBody(orderId, { amount: "0.01" }));
  expect(refused.status).toBe(400);
  expect(refused.body).toEqual([
    `orderId: The order ${orderId} is REFUNDED: all that was paid went back already.`,
  ]);
});

test.each([
  ["REJECTED", "The payer's institution rejected the refund."],
  ["ERROR", "The refund failed for a technical reason. Its amount can be refunded again."],
] as const)("a refund planned to end %s gives the money back and says why", async (status, message) => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  await partner.sandbox.plan({ plan: "refund.outcome", outcomes: [status] });
  const asked = await refunded(partner, orderId, "59.90");
  await partner.advance("PT5S");
  expect((await partner.webhooks()).at(-1)).toMatchObject({
    event: `ORDER-PAYIN.${status}`,
    status,
    type: "REFUND",
    refundId: asked["id"],
    refundedAt: null,
    updatedAt: "2026-11-20T12:00:05.000Z",
    endToEndId: asked["endToEndId"],
    message,
  });
  expect(await resource(partner, "orders", orderId)).toMatchObject({ status: "PAID" });
  expect(await ledgerBalance(partner, AVAILABLE)).toBe("100059.90");
  const again = await refunded(partner, orderId, "59.90");
  expect(again["status"]).toBe("INITIAL");
});

test("an act before the delay is over decides the refund, and its timer does nothing", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const [settled, rejected, failed] = [
    await refunded(partner, orderId, "10.00"),
    await refunded(partner, orderId, "10.00"),
    await refunded(partner, orderId, "10.00"),
  ];
  await partner.act("refund.settle", { id: settled["id"] });
  await partner.act("refund.reject", { id: rejected["id"], message: "The payer's account is closed." });
  await partner.act("refund.fail", { id: failed["id"] });
  const { fired } = await partner.advance("P1D");
  expect(fired).toBe(0);
  const events = (await partner.webhooks()).filter(({ type }) => type === "REFUND");
  expect(events.map(({ event, message }) => [event, message])).toEqual([
    ["ORDER-PAYIN.REFUNDED", ""],
    ["ORDER-PAYIN.REJECTED", "The payer's account is closed."],
    ["ORDER-PAYIN.ERROR", "The refund failed for a technical reason. Its amount can be refunded again."],
  ]);
  await expect(partner.act("refund.settle", { id: rejected["id"] })).rejects.toThrow(
    `The act refund.settle is not possible: the refund ${rejected["id"]} is REJECTED. Possible acts: none.`,
  );
});

test("with the manual autopilot a refund stays INITIAL until an act", async () => {
  await using partner = await openPartner({ assumptions: { "autopilot.refund.outcome": "manual" } });
  const { orderId } = await paidOrder(partner);
  const { id } = await refunded(partner, orderId, "59.90");
  await partner.advance("P30D");
  expect(await resource(partner, "refunds", id as string)).toMatchObject({ status: "INITIAL" });
  expect(await partner.act("refund.settle", { id })).toMatchObject({ status: "REFUNDED" });
});

test("the event is sent to the URL of the order's events", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  await refunded(partner, orderId, "59.90");
  await partner.advance("PT5S");
  const delivery = (await partner.sandbox.deliveries()).at(-1);
  expect(delivery).toMatchObject({ event: "ORDER-PAYIN.REFUNDED", objectId: orderId, url: RECEIVER_URL });
});

test("where the account has too little money, the refund starts INITIAL and ends REJECTED", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  await partner.act("account.deactivate", { id: ACME_ACCOUNT });
  const { id } = await refunded(partner, orderId, "59.90");
  await expect(partner.act("refund.settle", { id })).rejects.toThrow(
    `Failed to settle the refund ${id}: The account ${ACME_ACCOUNT} is INACTIVE. Possible acts: refund.reject, refund.fail.`,
  );
  await partner.advance("PT5S");
  expect((await partner.webhooks()).at(-1)).toMatchObject({
    event: "ORDER-PAYIN.REJECTED",
    refundId: id,
    refundedAt: null,
    message: `The account ${ACME_ACCOUNT} is INACTIVE.`,
  });
  expect(await ledgerBalance(partner, AVAILABLE)).toBe("100059.90");
  await partner.act("account.activate", { id: ACME_ACCOUNT });
  await refunded(partner, orderId, "59.90");
});

test("with the manual autopilot a plan decides a pending refund", async () => {
  await using partner = await openPartner({ assumptions: { "autopilot.refund.outcome": "manual" } });
  const { orderId } = await paidOrder(partner);
  const { id } = await refunded(partner, orderId, "59.90");
  await partner.sandbox.plan({ plan: "refund.outcome", on: id as string, outcomes: ["ERROR"] });
  await partner.advance("PT5S");
  expect(await resource(partner, "refunds", id as string)).toMatchObject({ status: "ERROR" });
});

test("with the immediate autopilot the outcome follows the answer immediately", async () => {
  await using partner = await openPartner({ assumptions: { "autopilot.refund.outcome": "immediate" } });
  const { orderId } = await paidOrder(partner);
  const { id, status } = await refunded(partner, orderId, "59.90");
  expect(status).toBe("INITIAL");
  expect(await resource(partner, "refunds", id as string)).toMatchObject({ status: "REFUNDED" });
});

function brl(value: string): object {
  return { currency: "BRL", value };
}

/** A boleto of 150.00 of which 40.00 are paid, and whose refund of 10.00 is under way while the rest is paid. */
async function refundWhileTheRestWaits(partner: Partner): Promise<string> {
  const { id } = await makeOrder(partner, orderBody("BOLETO"));
  await partner.act("order.pay", { id, amount: "40.00" });
  await partner.advance("P4D");
  await refunded(partner, id as string, "10.00");
  expect(await partner.act("order.pay", { id })).toMatchObject({ status: "PENDING" });
  return id as string;
}

test("a refund settles while the rest of its order waits for the bank", async () => {
  await using partner = await openPartner();
  const id = await refundWhileTheRestWaits(partner);
  await partner.advance("PT5S");
  expect(await orderNow(partner, id)).toMatchObject({ status: "PENDING", refundedAmount: brl("10.00") });
  await partner.advance("P2D");
  expect(await orderNow(partner, id)).toMatchObject({
    status: "PARTIAL_REFUNDED",
    paidAmount: brl("150.00"),
    refundedAmount: brl("10.00"),
  });
  expect((await partner.webhooks()).map(({ event }) => event)).toEqual([
    "ORDER-PAYIN.PARTIALLY_PAID",
    "ORDER-PAYIN.REFUNDED",
    "ORDER-PAYIN.PAID",
  ]);
  await refunded(partner, id, "140.00");
  await partner.advance("PT5S");
  expect(await orderNow(partner, id)).toMatchObject({ status: "REFUNDED", refundedAmount: brl("150.00") });
});

test("a refund settles although its order failed in the meantime", async () => {
  await using partner = await openPartner({ assumptions: { "refund.delay": "P10D" } });
  const id = await refundWhileTheRestWaits(partner);
  await partner.act("account.close", { id: ACME_ACCOUNT });
  await partner.advance("P20D");
  expect(await orderNow(partner, id)).toMatchObject({ status: "ERROR", refundedAmount: brl("10.00") });
});
