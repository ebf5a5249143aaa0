import { expect, test } from "vitest";
import { ACME_ACCOUNT, openPartner, type Partner } from "../../../partner.ts";
import { CARDS, card, makeOrder, onLedger, orderBody, orderNow } from "./asking.ts";
import { createPayout, GLOBEX_ACCOUNT, payoutNow, reais } from "../payouts/payout-requests.ts";
import { openOrder } from "../refunds/paid-order.ts";

const available = (partner: Partner): Promise<string> =>
  onLedger(partner, `available:${ACME_ACCOUNT}`, "BRL");

async function refusal(partner: Partner, body: object): Promise<string> {
  const { status, body: answer } = await partner.ask("POST", "/sandbox/acts/order.pay", { body });
  const [detail] = answer["details"] as { description: string }[];
  return `${status} ${detail?.description}`;
}

const ENDED = { expire: "EXPIRED", cancel: "CANCELED" };

test.each(Object.entries(ENDED))("after order.%s an order is not paid by default", async (act, status) => {
  await using partner = await openPartner();
  const { id } = await makeOrder(partner, orderBody("DEPOSIT"));
  await partner.act(`order.${act}`, { id });
  expect(await refusal(partner, { id })).toBe(
    `409 The act order.pay is not possible: the order ${String(id)} is ${status}. Possible acts: order.pay with the assumption order.late-payment.`,
  );
});

test.each(Object.entries(ENDED))("with accept an order is PAID after order.%s, in full", async (act) => {
  await using partner = await openPartner({ assumptions: { "order.late-payment": "accept" } });
  const { id } = await makeOrder(partner, orderBody("DEPOSIT"));
  await partner.act(`order.${act}`, { id });
  expect(await refusal(partner, { id, amount: "149.99" })).toBe(
    "400 What comes late is paid in full, 150.00; found 149.99.",
  );
  expect(await partner.act("order.pay", { id })).toMatchObject({ status: "PAID" });
  expect((await partner.webhooks()).at(-1)).toMatchObject({ event: "ORDER-PAYIN.PAID", status: "PAID" });
  expect(await available(partner)).toBe("100150.00");
  expect(await refusal(partner, { id })).toContain("is PAID. Possible acts: order.return, order.pay with");
});

test("with return the money of a late payment is there and gone, and the order REFUNDED", async () => {
  await using partner = await openPartner({ assumptions: { "order.late-payment": "return" } });
  const { id } = await makeOrder(partner, orderBody("PIX"));
  await partner.advance("P2D");
  expect(await partner.act("order.pay", { id })).toMatchObject({
    status: "REFUNDED",
    refundedAmount: reais("150.00"),
  });
  expect((await partner.webhooks()).map(({ event }) => event)).toEqual([
    "ORDER-PAYIN.EXPIRED",
    "ORDER-PAYIN.PAID",
    "ORDER-PAYIN.REFUNDED",
  ]);
  expect(await available(partner)).toBe("100000.00");
});

test("neither a card nor a first charge is paid late", async () => {
  await using partner = await openPartner({
    assumptions: { "order.late-payment": "accept", "order.overpayment": "accept" },
  });
  const charged = orderBody("CREDIT_CARD", {}, { paymentDetails: { card: card(CARDS.unknown) } });
  const { id } = await makeOrder(partner, charged);
  const { orderId } = await openOrder(partner);
  await partner.advance("P2D");
  for (const ended of [id, orderId]) expect(await refusal(partner, { id: ended })).toContain("is EXPIRED.");
});

test("more than is due is refused by default, and a PIX code never takes it", async () => {
  await using partner = await openPartner();
  const deposit = await makeOrder(partner, orderBody("DEPOSIT"));
  expect(await refusal(partner, { id: deposit["id"], amount: "150.01" })).toBe(
    "400 At most 150.00 is due; found 150.01.",
  );
  const pix = await makeOrder(partner, orderBody("PIX"));
  expect(await refusal(partner, { id: pix["id"], amount: "150.01" })).toContain("At most 150.00 is due");
});

test("with accept the account has all of it, fees apart, and all of it can be refunded", async () => {
  await using partner = await openPartner({
    assumptions: { "order.overpayment": "accept", "order.fee-fixed": 200 },
  });
  const { id } = await makeOrder(partner, orderBody("DEPOSIT"));
  await partner.act("order.pay", { id, amount: "100.00" });
  expect(await partner.act("order.pay", { id, amount: "60.00" })).toMatchObject({
    status: "PAID",
    paidAmount: reais("160.00"),
    finalAmount: reais("160.00"),
  });
  expect(await onLedger(partner, "fees", "BRL")).toBe("2.00");
  expect(await available(partner)).toBe("100158.00");
  expect(await partner.act("order.return", { id })).toMatchObject({
    status: "REFUNDED",
    refundedAmount: reais("158.00"),
  });
  const pix = await makeOrder(partner, orderBody("PIX"));
  expect(await refusal(partner, { id: pix["id"], amount: "152.01" })).toContain("At most 152.00 is due");
});

test("with return-difference each surplus goes back alone, and the order stays PAID", async () => {
  await using partner = await openPartner({ assumptions: { "order.overpayment": "return-difference" } });
  const { id } = await makeOrder(partner, orderBody("DEPOSIT"));
  expect(await partner.act("order.pay", { id, amount: "170.00" })).toMatchObject({
    status: "PAID",
    refundedAmount: reais("20.00"),
  });
  expect(await partner.act("order.pay", { id, amount: "5.00" })).toMatchObject({
    status: "PAID",
    paidAmount: reais("175.00"),
    refundedAmount: reais("25.00"),
  });
  expect(await available(partner)).toBe("100150.00");
  const left = await partner.ask("POST", "/sandbox/acts/order.return", { body: { id, amount: "150.01" } });
  expect(JSON.stringify(left.body)).toContain("At most 150.00 BRL of the payment are left");
  expect(await partner.act("order.return", { id, amount: "1.00" })).toMatchObject({
    status: "PARTIAL_REFUNDED",
    refundedAmount: reais("26.00"),
  });
});

test.each([
  ["order.late-payment", "accept", "order.expire", "PAID"],
  ["order.late-payment", "refuse", "order.expire", "EXPIRED"],
  ["order.overpayment", "accept", "order.pay", "PAID"],
])("with %s %s a payout pays the code of an order after %s", async (id, value, act, status) => {
  await using partner = await openPartner({ assumptions: { [id]: value } });
  const order = await makeOrder(partner, orderBody("PIX"));
  await partner.act(act, { id: order["id"] });
  const payout = await createPayout(
    partner,
    {
      accountId: GLOBEX_ACCOUNT,
      paymentData: { qrcodeData: order["qrcodeData"] },
      amount: reais("150.00"),
    },
    { token: "globex-token" },
  );
  await partner.advance("PT2S");
  expect((await orderNow(partner, order["id"]))["status"]).toBe(status);
  expect((await payoutNow(partner, payout["id"]))["status"]).toBe(status === "PAID" ? "PAID" : "ERROR");
});

test("what an assumption allows is offered by the list of acts", async () => {
  const from = async (assumptions: object): Promise<unknown> => {
    await using partner = await openPartner({ assumptions });
    const { body } = await partner.ask("GET", "/sandbox/acts");
    return (body["data"] as { act: string; from: unknown }[]).find(({ act }) => act === "order.pay")?.from;
  };
  const due = ["INITIAL", "PENDING", "PARTIALLY_PAID", "ANALYSIS"];
  expect(await from({})).toEqual(due);
  expect(await from({ "order.late-payment": "refuse" })).toEqual(due);
  expect(await from({ "order.late-payment": "return" })).toEqual(expect.arrayContaining(["EXPIRED"]));
  expect(await from({ "order.overpayment": "accept" })).toEqual(expect.arrayContaining(["PAID"]));
});
