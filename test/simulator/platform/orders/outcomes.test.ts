import { ACME_ACCOUNT, openPartner } from "../../../partner.ts";
import {
  CARDS,
  makeOrder,
  onLedger,
  orderBody,
  orderNow,
  refusedAct,
  statusAfter,
  cardOrder,
} from "./asking.ts";
import { expect, test } from "vitest";
import { shapeProblems } from "../../../../src/simulator/api/validation.ts";

const AVAILABLE = `available:${ACME_ACCOUNT}`;

test.each([
  ["PIX", "PT24H"],
  ["EXCHANGE_PAY", "P1D"],
  ["DEPOSIT", "P1D"],
  ["BOLETO", "P3DT15H"],
  ["SPEI", "P1D"],
  ["CASHSTORE", "P1D"],
])("an unpaid %s order expires after %s and sends an event", async (method, duration) => {
  await using partner = await openPartner();
  const { id } = await makeOrder(partner, orderBody(method));
  await partner.advance(duration);
  await partner.advance("PT0S");
  expect(await orderNow(partner, id)).toMatchObject({ status: "EXPIRED" });
  expect(await partner.webhooks()).toMatchObject([
    { event: "ORDER-PAYIN.EXPIRED", status: "EXPIRED", paidAt: null, amount: { value: "150.00" } },
  ]);
  const refused = await refusedAct(partner, "order.pay", { id });
  expect(refused.status).toBe(409);
  expect(JSON.stringify(refused.body)).toContain(
    "Possible acts: order.pay with the assumption order.late-payment.",
  );
});

test("an order is open until the second before its expiry", async () => {
  await using partner = await openPartner();
  const { id } = await makeOrder(partner, orderBody("PIX", { expiresIn: 60 }));
  expect(await statusAfter(partner, id, "PT59S")).toBe("INITIAL");
  expect(await statusAfter(partner, id, "PT1S")).toBe("EXPIRED");
});

test.each([
  ["order.cancel", "CANCELED", "ORDER-PAYIN.CANCELED", "The order was canceled."],
  ["order.fail", "ERROR", "ORDER-PAYIN.ERROR", "The payment failed at the financial provider."],
  ["order.decline", "ERROR", "ORDER-PAYIN.ERROR", "The payment was declined."],
  ["order.expire", "EXPIRED", "ORDER-PAYIN.EXPIRED", "The order expired before it was paid."],
])("%s ends an open order as %s", async (act, status, event, message) => {
  await using partner = await openPartner();
  const { id } = await makeOrder(partner, orderBody("PIX"));
  const ended = await partner.act(act, { id });
  expect(ended["status"]).toBe(status);
  const [sent] = await partner.webhooks();
  expect(sent).toMatchObject({ event, status, id, message });
  expect(shapeProblems("PayInEvent", sent)).toEqual([]);
  expect(await onLedger(partner, AVAILABLE, "BRL")).toBe("100000.00");
});

test("an order in analysis sends no event, does not expire, and can still be paid or canceled", async () => {
  await using partner = await openPartner();
  const first = await makeOrder(partner, orderBody("PIX"));
  const second = await makeOrder(partner, orderBody("PIX"));
  for (const { id } of [first, second]) await partner.act("order.analyse", { id });
  expect(await statusAfter(partner, first["id"], "P5D")).toBe("ANALYSIS");
  expect(await partner.webhooks()).toEqual([]);
  expect(await partner.act("order.pay", { id: first["id"] })).toMatchObject({ status: "PAID" });
  expect(await partner.act("order.cancel", { id: second["id"] })).toMatchObject({ status: "CANCELED" });
});

test.each([
  ["PAID", "PAID"],
  ["DECLINED", "ERROR"],
  ["EXPIRED", "EXPIRED"],
])("a plan of %s leaves the order %s, made before it or after", async (outcome, status) => {
  await using partner = await openPartner();
  await partner.sandbox.plan({ plan: "order.payment", outcomes: [outcome] });
  const before = await makeOrder(partner, orderBody("PIX"));
  const after = await makeOrder(partner, orderBody("PIX"));
  await partner.sandbox.plan({ plan: "order.payment", on: after["id"] as string, outcomes: [outcome] });
  const untouched = await makeOrder(partner, orderBody("PIX"));
  await partner.advance("PT5S");
  expect((await orderNow(partner, before["id"]))["status"]).toBe(status);
  expect((await orderNow(partner, after["id"]))["status"]).toBe(status);
  expect((await orderNow(partner, untouched["id"]))["status"]).toBe("INITIAL");
});

test("a plan for an order that an act has already paid does nothing", async () => {
  await using partner = await openPartner();
  await partner.sandbox.plan({ plan: "order.payment", outcomes: ["DECLINED", "PAID"] });
  const { id } = await makeOrder(partner, orderBody("DEPOSIT"));
  await partner.act("order.pay", { id, amount: "1.00" });
  expect(await statusAfter(partner, id, "P1D")).toBe("PARTIALLY_PAID");
  await partner.sandbox.plan({
    plan: "order.payment",
    on: id as string,
    outcomes: ["EXPIRED", "DECLINED", "PAID"],
  });
  expect(await statusAfter(partner, id, "PT5S")).toBe("PARTIALLY_PAID");
});

test.each([
  ["90000000175", "PAID"],
  ["90000000256", "ERROR"],
])("the payer of the fixtures with the CPF %s leaves the order %s", async (number, status) => {
  await using partner = await openPartner();
  const customer = { name: "Known", document: { type: "CPF", number } };
  const { id } = await makeOrder(partner, orderBody("PIX", {}, { customer }));
  expect(await statusAfter(partner, id, "PT4S")).toBe("INITIAL");
  expect(await statusAfter(partner, id, "PT1S")).toBe(status);
});

test("the immediate autopilot pays every method except the challenged card", async () => {
  await using partner = await openPartner({ assumptions: { "autopilot.order.payment": "immediate" } });
  for (const method of ["PIX", "DEPOSIT", "SPEI", "CREDIT_CARD"]) {
    const { id, status } = await makeOrder(partner, orderBody(method));
    expect(status).toBe("INITIAL");
    expect((await orderNow(partner, id))["status"]).toBe("PAID");
  }
  const { id } = await cardOrder(partner, CARDS.challenged);
  expect((await orderNow(partner, id))["status"]).toBe("INITIAL");
});
