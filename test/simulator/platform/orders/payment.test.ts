import { ACME_ACCOUNT, createSubscription, openPartner } from "../../../partner.ts";
import {
  askForOrder,
  JUANA,
  makeOrder,
  MARIA,
  onLedger,
  orderBody,
  orderNow,
  refusedAct,
  statusAfter,
} from "./asking.ts";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SHIPPED_FIXTURES } from "../../../../src/server/access/fixture-files.ts";
import { expect, onTestFinished, test } from "vitest";
import { shapeProblems } from "../../../../src/simulator/api/validation.ts";

const AVAILABLE = `available:${ACME_ACCOUNT}`;

test("a paid PIX order credits the account and sends an event with the end-to-end id", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("PIX", { description: "Two coffees" }));
  const paid = await partner.act("order.pay", { id: order["id"] });
  expect(paid).toMatchObject({ status: "PAID", paidAt: "2026-11-20T12:00:00.000Z", payer: MARIA });
  expect(await onLedger(partner, AVAILABLE, "BRL")).toBe("100150.00");
  const [event, ...others] = await partner.webhooks();
  expect(others).toEqual([]);
  expect(shapeProblems("PayInEvent", event)).toEqual([]);
  expect(event).toEqual({
    id: order["id"],
    code: "shop-1",
    event: "ORDER-PAYIN.PAID",
    status: "PAID",
    type: "PAY-IN",
    paidAt: "2026-11-20T12:00:00.000Z",
    updatedAt: "2026-11-20T12:00:00.000Z",
    endToEndId: expect.stringMatching(/^E[0-9]{8}202611201200[A-Za-z0-9]{11}$/),
    message: "The order was paid.",
    description: "Two coffees",
    amount: { currency: "BRL", value: "150.00" },
    payer: MARIA,
  });
});

test("a paid order in Mexico is credited in MXN, without an end-to-end id", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("SPEI"));
  await partner.act("order.pay", { id: order["id"] });
  expect(await onLedger(partner, AVAILABLE, "MXN")).toBe("150.00");
  expect(await onLedger(partner, AVAILABLE, "BRL")).toBe("100000.00");
  const [event] = await partner.webhooks();
  expect(event).toMatchObject({
    endToEndId: null,
    amount: { currency: "MXN", value: "150.00" },
    payer: JUANA,
  });
});

test("an order's events are sent to its notification URL", async () => {
  await using partner = await openPartner({ webhookUrl: undefined });
  const notificationUrl = "http://receiver.example/orders";
  const order = await makeOrder(partner, orderBody("PIX", { notificationUrl }));
  await partner.act("order.pay", { id: order["id"] });
  const [delivery] = await partner.sandbox.deliveries();
  expect(delivery).toMatchObject({ url: notificationUrl, event: "ORDER-PAYIN.PAID" });
});

test("an order can be paid in parts, never more than is due, and each part sends an event", async () => {
  await using partner = await openPartner();
  const { id } = await makeOrder(partner, orderBody("DEPOSIT"));
  expect(await partner.act("order.pay", { id, amount: "50.00" })).toMatchObject({
    status: "PARTIALLY_PAID",
    paidAmount: { value: "50.00" },
  });
  const more = await refusedAct(partner, "order.pay", { id, amount: "100.01" });
  expect(more.status).toBe(400);
  expect(more.body["details"]).toMatchObject([{ field: "amount", issue: "INVALID" }]);
  expect(await partner.act("order.pay", { id, amount: 100 })).toMatchObject({ status: "PAID" });
  expect(await onLedger(partner, AVAILABLE, "BRL")).toBe("100150.00");
  const events = await partner.webhooks();
  expect(events.map(({ event, amount }) => [event, (amount as { value: string }).value])).toEqual([
    ["ORDER-PAYIN.PARTIALLY_PAID", "50.00"],
    ["ORDER-PAYIN.PAID", "150.00"],
  ]);
});

test("an order paid in part does not expire and accepts only the rest", async () => {
  await using partner = await openPartner();
  const { id } = await makeOrder(partner, orderBody("DEPOSIT"));
  await partner.act("order.pay", { id, amount: "50.00" });
  expect(await statusAfter(partner, id, "P2D")).toBe("PARTIALLY_PAID");
  for (const act of ["expire", "cancel", "fail", "decline", "analyse"]) {
    const refused = await refusedAct(partner, `order.${act}`, { id });
    expect(refused.status).toBe(409);
    expect(refused.body["details"]).toMatchObject([{ issue: "ILLEGAL_ACT" }]);
    expect(JSON.stringify(refused.body)).toContain("Possible acts: order.pay, order.return.");
  }
});

test("the payer of an open amount must choose it", async () => {
  await using partner = await openPartner();
  const body = orderBody("PIX", { amount: undefined });
  const { id } = await makeOrder(partner, body, "v3");
  const refused = await refusedAct(partner, "order.pay", { id });
  expect(refused.body["details"]).toMatchObject([{ field: "amount", issue: "REQUIRED" }]);
  expect(await partner.act("order.pay", { id, amount: "33.33" })).toMatchObject({
    status: "PAID",
    amount: { value: "33.33" },
    paidAmount: { value: "33.33" },
  });
  const planned = await makeOrder(partner, body, "v3");
  await partner.sandbox.plan({ plan: "order.payment", on: planned["id"] as string, outcomes: ["PAID"] });
  expect(await statusAfter(partner, planned["id"], "PT5S")).toBe("PAID");
});

test.each(["DEPOSIT", "SPEI", "CASHSTORE", "EXCHANGE_PAY", "PIX"])("%s is PAID at once", async (method) => {
  await using partner = await openPartner();
  const { id } = await makeOrder(partner, orderBody(method));
  expect(await partner.act("order.pay", { id })).toMatchObject({ status: "PAID" });
});

/** A PIX QR code carries its amount, and institutions pay that amount. */
test("a PIX code with an amount is paid in full; an open one and other methods are not bound", async () => {
  await using partner = await openPartner();
  const { id } = await makeOrder(partner, orderBody("PIX"));
  const part = await partner.ask("POST", "/sandbox/acts/order.pay", { body: { id, amount: "149.99" } });
  expect(part.status).toBe(400);
  expect(part.body["details"]).toMatchObject([{ field: "amount", issue: "INVALID" }]);
  expect(await partner.act("order.pay", { id, amount: "150" })).toMatchObject({ status: "PAID" });
  const open = await makeOrder(partner, orderBody("PIX", { amount: undefined }), "v3");
  expect(await partner.act("order.pay", { id: open["id"], amount: "0.01" })).toMatchObject({
    status: "PAID",
  });
  const deposit = await makeOrder(partner, orderBody("DEPOSIT"));
  expect(await partner.act("order.pay", { id: deposit["id"], amount: "1.00" })).toMatchObject({
    status: "PARTIALLY_PAID",
  });
});

test.each([0, -1, "0", "1.001", "ten", {}, null])("%j is no amount to pay", async (amount) => {
  await using partner = await openPartner();
  const { id } = await makeOrder(partner, orderBody("PIX"));
  const refused = await refusedAct(partner, "order.pay", { id, amount });
  expect(refused.status).toBe(400);
  expect(refused.body["details"]).toMatchObject([{ field: "amount" }]);
});

test("a payer other than the customer may pay, with a document of the country", async () => {
  await using partner = await openPartner();
  const { id } = await makeOrder(partner, orderBody("PIX"));
  const wrong = await refusedAct(partner, "order.pay", { id, payer: JUANA });
  expect(wrong.body["details"]).toMatchObject([{ field: "payer.document.type" }]);
  const payer = { name: "Outra", document: { type: "CNPJ", number: "11444777000161" } };
  expect(await partner.act("order.pay", { id, payer })).toMatchObject({ payer, customer: MARIA });
  const spei = await makeOrder(partner, orderBody("SPEI"));
  const small = { name: "Juana Lopez", document: { type: "RFC", number: "gode561231gr8" } };
  const paid = await partner.act("order.pay", { id: spei["id"], payer: small });
  expect(paid["payer"]).toEqual({ ...small, document: { type: "RFC", number: "GODE561231GR8" } });
});

test("the first charge of a subscription goes through analysis and is still paid in full", async () => {
  await using partner = await openPartner();
  const subscription = await createSubscription(partner, {
    type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
    initialCharge: { amount: { currency: "BRL", value: "59.90" } },
  });
  const id = (subscription["initialCharge"] as { orderId: string }).orderId;
  await partner.act("order.analyse", { id });
  const part = await refusedAct(partner, "order.pay", { id, amount: "10.00" });
  expect(part.body["details"]).toMatchObject([{ field: "amount" }]);
  const other = { name: "Jo", document: { type: "OTHERS", number: "1" } };
  expect((await refusedAct(partner, "order.pay", { id, payer: other })).status).toBe(400);
  expect(await partner.act("order.pay", { id, amount: "59.90" })).toMatchObject({ status: "PAID" });
  const events = await partner.webhooks();
  expect(events.map(({ event }) => event)).toEqual(["ORDER-PAYIN.PAID", "SUBSCRIPTION.ACCEPTED"]);
});

test("an act on an unknown order is refused and names the id", async () => {
  await using partner = await openPartner();
  expect((await refusedAct(partner, "order.pay", { id: "nobody" })).status).toBe(404);
  expect((await askForOrder(partner, orderBody("PIX"))).status).toBe(200);
});

test("a payment that the ledger has no room for is declined", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-fixtures-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const fixtures = JSON.parse(readFileSync(join(SHIPPED_FIXTURES, "companies.json"), "utf8"));
  fixtures[0].accounts[0].balance = "90071992000000.00";
  writeFileSync(join(folder, "companies.json"), JSON.stringify(fixtures));
  const assumptions = { "autopilot.order.payment": "clock" };
  await using partner = await openPartner({ fixtures: folder, assumptions });
  const amount = { currency: "BRL", value: "9999999999.99" };
  const { id } = await makeOrder(partner, orderBody("DEPOSIT", { amount }));
  await partner.advance("P1D");
  expect(await orderNow(partner, id)).toMatchObject({
    status: "ERROR",
    errorMessage: "The payment failed: the ledger has no room for 9999999999.99 BRL more.",
  });
});
