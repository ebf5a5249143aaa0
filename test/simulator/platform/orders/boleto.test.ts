import { expect, test } from "vitest";
import { makeOrder, onLedger, orderBody, orderNow } from "./asking.ts";
import { type Partner, openPartner } from "../../../partner.ts";

async function statusAt(partner: Partner, id: unknown, at: string): Promise<unknown> {
  await partner.advance({ to: at });
  return (await orderNow(partner, id))["status"];
}

/** A boleto was paid at once, and expired at the time of day of its creation. */
test.each([
  ["a working day", "2026-11-20T09:00:00-03:00", "2026-11-23", "2026-11-24"],
  ["a Saturday", "2026-11-25T09:00:00-03:00", "2026-11-30", "2026-12-01"],
  ["a Sunday", "2026-11-26T23:30:00-03:00", "2026-11-30", "2026-12-01"],
  ["a bank holiday", "2026-12-22T00:00:00-03:00", "2026-12-28", "2026-12-29"],
])("a boleto due on %s can be paid until the end of its day", async (_day, start, last, over) => {
  await using partner = await openPartner({ start });
  const { id } = await makeOrder(partner, orderBody("BOLETO"));
  expect(await statusAt(partner, id, `${last}T23:59:59-03:00`)).toBe("INITIAL");
  expect(await statusAt(partner, id, `${over}T00:00:00-03:00`)).toBe("EXPIRED");
});

test.each([
  ["on a working day", "2026-11-23T09:00:00-03:00", "2026-11-24"],
  ["late on a Friday", "2026-11-27T23:00:00-03:00", "2026-11-30"],
  ["on a Saturday", "2026-11-28T09:00:00-03:00", "2026-11-30"],
  ["on the eve of a bank holiday", "2026-12-24T09:00:00-03:00", "2026-12-28"],
])("a boleto paid %s is confirmed on the next business day at 07:00", async (_day, start, day) => {
  await using partner = await openPartner({ start });
  const { id } = await makeOrder(partner, orderBody("BOLETO"));
  expect(await partner.act("order.pay", { id })).toMatchObject({ status: "PENDING" });
  expect(await statusAt(partner, id, `${day}T06:59:59-03:00`)).toBe("PENDING");
  expect(await partner.webhooks()).toEqual([]);
  expect(await onLedger(partner, "available:11111111-1111-4111-8111-111111111111", "BRL")).toBe("100000.00");
  expect(await statusAt(partner, id, `${day}T07:00:00-03:00`)).toBe("PAID");
  expect(await partner.webhooks()).toMatchObject([{ event: "ORDER-PAYIN.PAID", id }]);
});

test("a boleto that was paid on its last day does not expire, and is neither paid nor ended again", async () => {
  await using partner = await openPartner();
  const { id } = await makeOrder(partner, orderBody("BOLETO"));
  await partner.advance({ to: "2026-11-23T23:59:59-03:00" });
  await partner.act("order.pay", { id });
  for (const act of [
    "pay",
    "expire",
    "decline",
    "cancel",
    "fail",
    "analyse",
    "pass-challenge",
    "fail-challenge",
  ]) {
    const { status, body } = await partner.ask("POST", `/sandbox/acts/order.${act}`, { body: { id } });
    expect([status, body["message"]]).toEqual([
      409,
      `The act order.${act} is not possible: the order ${String(id)} was paid, and the bank confirms it at 2026-11-24T10:00:00.000Z. Possible acts: none.`,
    ]);
  }
  await partner.sandbox.plan({ plan: "order.payment", on: String(id), outcomes: ["EXPIRED"] });
  expect(await statusAt(partner, id, "2026-11-24T06:59:59-03:00")).toBe("PENDING");
  expect(await statusAt(partner, id, "2026-11-24T07:00:00-03:00")).toBe("PAID");
});

test("the payment of a boleto to an account that was closed meanwhile fails", async () => {
  await using partner = await openPartner();
  const { id } = await makeOrder(partner, orderBody("BOLETO"));
  const paid = await partner.act("order.pay", { id });
  await partner.act("account.close", { id: paid["accountId"] });
  expect(await statusAt(partner, id, "2026-11-23T07:00:00-03:00")).toBe("ERROR");
});

test.each([
  ["before 13:30 of a business day", "2026-11-23T13:29:59-03:00", "2026-11-23T18:00:00-03:00"],
  ["at 13:30", "2026-11-23T13:30:00-03:00", "2026-11-24T07:00:00-03:00"],
  ["on a Saturday morning", "2026-11-28T09:00:00-03:00", "2026-11-30T07:00:00-03:00"],
])(
  "with order.boleto-confirmation same-day a boleto paid %s is confirmed in time",
  async (_when, start, at) => {
    await using partner = await openPartner({
      start,
      assumptions: { "order.boleto-confirmation": "same-day" },
    });
    const { id } = await makeOrder(partner, orderBody("BOLETO"));
    await partner.act("order.pay", { id });
    expect(await statusAt(partner, id, new Date(Date.parse(at) - 1000).toISOString())).toBe("PENDING");
    expect(await statusAt(partner, id, at)).toBe("PAID");
  },
);

test("with order.boleto-grace a boleto can be paid until the last day of it, moved off the weekend", async () => {
  await using partner = await openPartner({ assumptions: { "order.boleto-grace": "P5D" } });
  const { id } = await makeOrder(partner, orderBody("BOLETO"));
  // It is due on Monday the 23rd, and five days later is a Saturday.
  expect(await statusAt(partner, id, "2026-11-30T23:59:59-03:00")).toBe("INITIAL");
  expect(await statusAt(partner, id, "2026-12-01T00:00:00-03:00")).toBe("EXPIRED");
});

test("with order.partial-payment never a boleto is paid in full, and a deposit still in parts", async () => {
  await using partner = await openPartner({ assumptions: { "order.partial-payment": "never" } });
  const { id } = await makeOrder(partner, orderBody("BOLETO"));
  const part = await partner.ask("POST", "/sandbox/acts/order.pay", { body: { id, amount: "149.99" } });
  expect(part.body["details"]).toMatchObject([
    { field: "amount", description: "A boleto is paid in full, 150.00; found 149.99." },
  ]);
  expect(await partner.act("order.pay", { id, amount: "150.00" })).toMatchObject({ status: "PENDING" });
  const deposit = await makeOrder(partner, orderBody("DEPOSIT"));
  expect(await partner.act("order.pay", { id: deposit["id"], amount: "1.00" })).toMatchObject({
    status: "PARTIALLY_PAID",
  });
});

test("with order.boleto-confirmation immediate a boleto is PAID at once", async () => {
  await using partner = await openPartner({ assumptions: { "order.boleto-confirmation": "immediate" } });
  const { id } = await makeOrder(partner, orderBody("BOLETO"));
  expect(await partner.act("order.pay", { id })).toMatchObject({ status: "PAID" });
});
