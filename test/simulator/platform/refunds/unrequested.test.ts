import { expect, test } from "vitest";
import { ACME_ACCOUNT, openPartner, type Partner } from "../../../partner.ts";
import { ledgerBalance, openOrder, paidOrder, refunded, resource } from "./paid-order.ts";
import { createPayout } from "../payouts/payout-requests.ts";
import { makeOrder, orderBody } from "../orders/asking.ts";

const AVAILABLE = `available:${ACME_ACCOUNT}`;

async function refusal(partner: Partner, act: string, body: object): Promise<string> {
  const { status, body: answer } = await partner.ask("POST", `/sandbox/acts/${act}`, { body });
  const [detail] = answer["details"] as { description: string }[];
  return status === 409 ? String(answer["message"]) : `${status} ${detail?.description}`;
}

test("what an institution takes back is a refund that no call requested", async () => {
  await using partner = await openPartner();
  const { orderId, subscriptionId } = await paidOrder(partner);
  const order = await partner.act("order.return", { id: orderId, amount: "9.90" });
  expect(order).toMatchObject({ status: "PARTIAL_REFUNDED", refundedAmount: { value: "9.90" } });
  expect(await ledgerBalance(partner, AVAILABLE)).toBe("100050.00");
  const event = (await partner.webhooks()).at(-1)!;
  expect(event).toMatchObject({
    event: "ORDER-PAYIN.REFUNDED",
    id: orderId,
    status: "REFUNDED",
    type: "REFUND",
    message: "",
    subscription: { id: subscriptionId },
  });
  expect(await resource(partner, "refunds", String(event["refundId"]))).toMatchObject({
    orderId,
    amount: "9.90",
    reason: "fraud",
  });
  expect(await partner.act("order.return", { id: orderId })).toMatchObject({ status: "REFUNDED" });
});

test("it takes no more than is left, and a refund on its way is not left", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  await refunded(partner, orderId, "50.00");
  expect(await refusal(partner, "order.return", { id: orderId, amount: "9.91" })).toBe(
    "400 At most 9.90 BRL of the payment are left; found 9.91.",
  );
  await partner.act("order.return", { id: orderId });
  expect(await refusal(partner, "order.return", { id: orderId })).toContain("nothing is left of the payment");
  await partner.advance("PT5S");
  expect(await resource(partner, "orders", orderId)).toMatchObject({ status: "REFUNDED" });
});

test("it takes nothing of an order that was not paid, nor from an empty account", async () => {
  await using partner = await openPartner();
  const unpaid = await openOrder(partner, "unpaid");
  expect(await refusal(partner, "order.return", { id: unpaid.orderId })).toMatch(
    /^The act order.return is not possible: the order \S+ is INITIAL\. Possible acts: /,
  );
  expect(await refusal(partner, "order.dispute", { id: unpaid.orderId })).toContain(
    "The act order.dispute is not possible: the order",
  );
  const { orderId } = await paidOrder(partner);
  await createPayout(partner, { amount: { currency: "BRL", value: "100059.90" } });
  for (const act of ["order.return", "order.dispute"]) {
    expect(await refusal(partner, act, { id: orderId })).toBe(
      `The act ${act} is not possible: the account ${ACME_ACCOUNT} has no BRL left to take. Perform account.deposit first.`,
    );
  }
});

test("what is left on a closed account is taken, too", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  await partner.act("account.close", { id: ACME_ACCOUNT });
  expect(await partner.act("order.return", { id: orderId })).toMatchObject({ status: "REFUNDED" });
  expect(await refusal(partner, "order.return", { id: orderId })).toContain("is REFUNDED");
});

test("where the account has less than is left, that is taken or blocked", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  await createPayout(partner, { amount: { currency: "BRL", value: "100050.00" } });
  expect(await partner.act("order.dispute", { id: orderId, amount: "4.90" })).toMatchObject({
    disputedAmount: { value: "4.90" },
  });
  expect(await partner.act("order.return", { id: orderId, amount: "50.00" })).toMatchObject({
    status: "PARTIAL_REFUNDED",
    refundedAmount: { value: "5.00" },
  });
  expect(await ledgerBalance(partner, AVAILABLE)).toBe("0.00");
  await partner.act("order.dispute-won", { id: orderId });
  expect(await partner.act("order.dispute", { id: orderId })).toMatchObject({
    disputedAmount: { value: "4.90" },
  });
});

test("an order in pesos is disputed and returned in pesos", async () => {
  await using partner = await openPartner();
  const { id } = await makeOrder(partner, orderBody("SPEI"));
  await partner.act("order.pay", { id });
  await partner.act("order.dispute", { id, amount: "100.00" });
  expect(await ledgerBalance(partner, AVAILABLE, "MXN")).toBe("50.00");
  await partner.act("order.dispute-lost", { id });
  expect(await partner.act("order.return", { id })).toMatchObject({ status: "REFUNDED" });
  expect(await ledgerBalance(partner, AVAILABLE, "MXN")).toBe("0.00");
});

test("a disputed amount is held, and only one dispute of an order is open", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  expect(await refusal(partner, "order.dispute-won", { id: orderId })).toContain(
    "is not disputed. Begin with order.dispute.",
  );
  await partner.act("order.dispute", { id: orderId, amount: "9.90" });
  expect(await ledgerBalance(partner, AVAILABLE)).toBe("100050.00");
  const { accounts } = await partner.sandbox.ledger();
  expect(accounts.filter(({ account }) => account.startsWith("held:"))).toMatchObject([{ value: "9.90" }]);
  expect(await refusal(partner, "order.dispute", { id: orderId })).toContain(
    `9.90 BRL of the order ${orderId} are disputed already`,
  );
  await partner.act("order.dispute-lost", { id: orderId });
  expect(await resource(partner, "orders", orderId)).toMatchObject({ status: "PARTIAL_REFUNDED" });
  expect(await ledgerBalance(partner, AVAILABLE)).toBe("100050.00");
});

test("a refund that is requested during a dispute is rejected, and can be requested again after it", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  await partner.act("order.dispute", { id: orderId, amount: "9.90" });
  const { id, status } = await refunded(partner, orderId, "59.90");
  expect(status).toBe("INITIAL");
  await partner.act("order.dispute-won", { id: orderId });
  await partner.advance("PT5S");
  expect((await partner.webhooks()).at(-1)).toMatchObject({
    event: "ORDER-PAYIN.REJECTED",
    refundId: id,
    message: expect.stringContaining("The payment is disputed: 9.90 BRL are blocked") as unknown,
  });
  await refunded(partner, orderId, "59.90");
  await partner.advance("PT5S");
  expect(await resource(partner, "orders", orderId)).toMatchObject({ status: "REFUNDED" });
});

test("a plan for the outcome of refunds is for those that are requested", async () => {
  await using partner = await openPartner({ assumptions: { "autopilot.refund.outcome": "manual" } });
  const { orderId } = await paidOrder(partner);
  await partner.sandbox.plan({ plan: "refund.outcome", outcomes: ["ERROR"] });
  await partner.act("order.return", { id: orderId, amount: "1.00" });
  await refunded(partner, orderId, "2.00");
  await partner.advance("PT1H");
  expect((await partner.webhooks()).map(({ event }) => event).slice(-2)).toEqual([
    "ORDER-PAYIN.REFUNDED",
    "ORDER-PAYIN.ERROR",
  ]);
});

test("the acts on a paid order are offered where they are possible", async () => {
  await using partner = await openPartner();
  const { body } = await partner.ask("GET", "/sandbox/acts");
  const from = (act: string): unknown =>
    (body["data"] as { act: string; from: unknown }[]).find((one) => one.act === act)?.from;
  const paid = ["PAID", "PARTIALLY_PAID", "PARTIAL_REFUNDED"];
  expect([from("order.return"), from("order.dispute-lost")]).toEqual([paid, paid]);
});
