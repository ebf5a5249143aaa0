import { type Partner, createSubscription, detail, openPartner } from "../../../partner.ts";
import {
  GLOBEX_ACCOUNT,
  RECEIVER,
  acmeBalance,
  askPayout,
  createPayout,
  ledgerBalance,
  payoutNow,
  reais,
} from "./payout-requests.ts";
import {
  dynamicBrCode,
  recurrenceBrCode,
  staticBrCode,
} from "../../../../src/simulator/countries/brazil/br-code.ts";
import { expect, test } from "vitest";
import { shapeProblems } from "../../../../src/simulator/api/validation.ts";

const MERCHANT = { merchantName: "LOJA EXEMPLO LTDA", city: "SAO PAULO" };
const FOREIGN = dynamicBrCode({ ...MERCHANT, location: "pix.example.com/qr/v2/cob/8b3da2f39a41" });

/** A subscription of globex whose QR code asks for its first charge, 59.90. */
async function firstCharge(partner: Partner) {
  const created = await partner.ask("POST", "/order/v1/banking/subscriptions", {
    token: "globex-token",
    body: {
      accountId: GLOBEX_ACCOUNT,
      type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
      externalId: "club-1",
      webhookUrl: "http://receiver.example/webhooks",
      frequencyType: "MONTHLY",
      startDate: "2026-11-20",
      debtor: RECEIVER,
      initialCharge: { amount: reais("59.90") },
    },
  });
  expect(created.status).toBe(201);
  const { orderId } = created.body["initialCharge"] as { orderId: string };
  return { id: created.body["id"] as string, orderId, qrcodeData: created.body["qrcodeData"] as string };
}

test("a static QR code is paid to the owner of its key", async () => {
  await using partner = await openPartner();
  const qrcodeData = staticBrCode({ ...MERCHANT, key: "ok@pix.example", txid: "PEDIDO1" });
  await createPayout(partner, { paymentData: { qrcodeData } });
  await partner.advance("PT2S");
  const [event] = await partner.webhooks();
  expect(shapeProblems("PayoutEvent", event)).toEqual([]);
  expect(event).toMatchObject({
    status: "PAID",
    receiver: { name: "Meire Saraiva", pix: { type: "EMAIL", key: "ok@pix.example" } },
  });
});

test("the key in a static QR code decides the outcome like the key alone", async () => {
  await using partner = await openPartner();
  for (const key of [
    "error@pix.example",
    "canceled@pix.example",
    "nobody@pix.example",
    "other-owner@pix.example",
  ])
    await createPayout(partner, {
      externalId: key,
      receiver: key.startsWith("other") ? RECEIVER : undefined,
      paymentData: { qrcodeData: staticBrCode({ ...MERCHANT, key }) },
    });
  await partner.advance("PT2S");
  expect(await partner.webhooks()).toMatchObject([
    { code: "error@pix.example", status: "ERROR" },
    { code: "canceled@pix.example", status: "CANCELED" },
    { status: "ERROR", message: "The PIX key nobody@pix.example is not registered." },
    {
      status: "ERROR",
      message: "BE01: The receiver's document does not match the holder of the account.",
      receiver: RECEIVER,
    },
  ]);
  expect((await partner.webhooks())[2]?.["receiver"]).toMatchObject({ name: "LOJA EXEMPLO LTDA" });
});

test("a QR code with an amount accepts only that amount", async () => {
  await using partner = await openPartner();
  const qrcodeData = staticBrCode({ ...MERCHANT, key: "ok@pix.example", amountMinor: 1050 });
  for (const value of ["10.49", "10.51", "1050"]) {
    const refused = await askPayout(partner, { amount: reais(value), paymentData: { qrcodeData } });
    expect(refused.status).toBe(400);
    expect(detail(refused, "amount.value")["issue"]).toBe("MISMATCH");
  }
  for (const value of ["10.50", "10.5", 10.5])
    await createPayout(partner, { amount: reais(value), paymentData: { qrcodeData } });
});

test("a QR code whose checksum is wrong, or that contains no payment, is refused", async () => {
  await using partner = await openPartner();
  const good = staticBrCode({ ...MERCHANT, key: "ok@pix.example" });
  const flipped = good.slice(0, -1) + (good.endsWith("0") ? "1" : "0");
  const altered = good.replace("LOJA EXEMPLO", "LOJA EXEMPLA");
  const journey2 = recurrenceBrCode({ ...MERCHANT, recurrenceLocation: "pix.example.com/qr/v2/rec/1" });
  for (const qrcodeData of [flipped, altered, good.slice(0, 60), journey2, "00", "x".repeat(1025)]) {
    const refused = await askPayout(partner, { paymentData: { qrcodeData } });
    expect(refused.status).toBe(400);
    expect(detail(refused, "paymentData.qrcodeData")["issue"]).toBe("INVALID");
  }
  const { qrcodeData } = await createSubscription(partner);
  expect((await askPayout(partner, { paymentData: { qrcodeData } })).status).toBe(400);
});

test("a dynamic QR code of another institution is always paid", async () => {
  await using partner = await openPartner();
  await createPayout(partner, { paymentData: { qrcodeData: FOREIGN } });
  await createPayout(partner, { paymentData: { qrcodeData: FOREIGN }, receiver: RECEIVER });
  await partner.advance("PT2S");
  const events = await partner.webhooks();
  expect(events.flatMap((event) => shapeProblems("PayoutEvent", event))).toEqual([]);
  expect(events).toMatchObject([
    {
      status: "PAID",
      receiver: { name: "LOJA EXEMPLO LTDA", document: { type: "CPF", number: "00000000000" } },
    },
    { status: "PAID", receiver: RECEIVER },
  ]);
});

test("a payout to a dynamic QR code is never split, since the code is paid once", async () => {
  await using partner = await openPartner();
  const paymentData = { qrcodeData: FOREIGN };
  const created = await createPayout(partner, { paymentData, amount: reais("45000.00") });
  expect(created).not.toHaveProperty("batch");
});

test("paying a first charge's QR code pays the order and accepts its subscription", async () => {
  await using partner = await openPartner();
  const { id, orderId, qrcodeData } = await firstCharge(partner);
  const wrong = await askPayout(partner, { paymentData: { qrcodeData }, amount: reais("59.91") });
  expect(detail(wrong, "amount.value")["issue"]).toBe("MISMATCH");
  const payout = await createPayout(partner, { paymentData: { qrcodeData }, amount: reais("59.90") });
  await partner.advance("PT2S");
  const events = await partner.webhooks();
  expect(events.map(({ event }) => event as string).sort()).toEqual([
    "ORDER-PAYIN.PAID",
    "ORDER-PAYOUT.PAID",
    "SUBSCRIPTION.ACCEPTED",
  ]);
  const holder = { name: "Acme Assinaturas LTDA", document: { type: "CNPJ", number: "11222333000181" } };
  expect(events.find(({ event }) => event === "ORDER-PAYIN.PAID")).toMatchObject({
    id: orderId,
    payer: holder,
    endToEndId: payout["endToEndId"],
  });
  expect(events.find(({ event }) => event === "ORDER-PAYOUT.PAID")).toMatchObject({
    receiver: { name: "Globex Cobranças SA", bank: { account: "2000001" } },
  });
  const { body } = await partner.ask("GET", `/sandbox/resources/subscriptions/${id}`);
  expect(body).toMatchObject({ status: "ACCEPTED", payer: holder });
  expect(await ledgerBalance(partner, `available:${GLOBEX_ACCOUNT}`)).toBe("5059.90");
  expect(await acmeBalance(partner)).toBe("99940.10");
});

test("of two payouts to one order the second ends in ERROR", async () => {
  await using partner = await openPartner();
  const { qrcodeData } = await firstCharge(partner);
  for (const externalId of ["first", "second"])
    await createPayout(partner, { externalId, paymentData: { qrcodeData }, amount: reais("59.90") });
  await partner.advance("PT2S");
  const outcomes = (await partner.webhooks()).filter(({ type }) => type === "PAY-OUT");
  expect(outcomes).toMatchObject([
    { code: "first", status: "PAID" },
    {
      code: "second",
      status: "ERROR",
      message: "BE17: The QR code was rejected. The order behind it is PAID.",
    },
  ]);
  expect(await acmeBalance(partner)).toBe("99940.10");
});

test("a payout to the code of an order that has ended ends in ERROR and no act can settle it", async () => {
  await using partner = await openPartner({ assumptions: { "autopilot.payout.settlement": "manual" } });
  const { orderId, qrcodeData } = await firstCharge(partner);
  await partner.act("order.expire", { id: orderId });
  const { id } = await createPayout(partner, { paymentData: { qrcodeData } });
  const settle = await partner.ask("POST", "/sandbox/acts/payout.settle", { body: { id } });
  expect(settle.status).toBe(409);
  expect(detail(settle, "act")["description"]).toContain("The order behind it is EXPIRED.");
  await partner.sandbox.plan({ plan: "payout.settlement", outcomes: ["PAID"] });
  const planned = await createPayout(partner, { paymentData: { qrcodeData } });
  await partner.advance("PT2S");
  expect(await payoutNow(partner, planned["id"])).toMatchObject({ status: "ERROR" });
  await partner.act("payout.fail", { id, code: "BE17" });
  expect(await acmeBalance(partner)).toBe("100000.00");
});

test("a payout to a code of the sandbox without an order ends in ERROR", async () => {
  await using partner = await openPartner();
  const location = "pix.sandbank.example/qr/v2/cob/00000000000000000000000000000000";
  await createPayout(partner, { paymentData: { qrcodeData: dynamicBrCode({ ...MERCHANT, location }) } });
  await partner.advance("PT2S");
  expect(await partner.webhooks()).toMatchObject([
    { status: "ERROR", message: "BE17: The QR code was rejected. There is no charge behind it." },
  ]);
});

test("the receiver of a dynamic QR code is compared with the order's account", async () => {
  await using partner = await openPartner({ assumptions: { "payout.receiver-mismatch": "reject" } });
  const { qrcodeData } = await firstCharge(partner);
  const asked = { paymentData: { qrcodeData }, amount: reais("59.90") };
  const refused = await askPayout(partner, { ...asked, receiver: RECEIVER });
  expect(detail(refused, "receiver.document.number")["issue"]).toBe("MISMATCH");
  const receiver = { name: "Globex", document: { type: "CNPJ", number: "60746948000112" } };
  expect((await askPayout(partner, { ...asked, receiver })).status).toBe(201);
});
