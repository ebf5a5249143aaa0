import { assertDefined } from "../../../../src/simulator/engine/assertion.ts";
import { refunded, resource } from "../refunds/paid-order.ts";
import { createPayout, GLOBEX_ACCOUNT, ledgerBalance, reais } from "../payouts/payout-requests.ts";
import { type Partner, createSubscription, detail, openPartner } from "../../../partner.ts";
import { expect, test } from "vitest";

const IMMEDIATE = {
  type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
  initialCharge: { amount: { currency: "BRL", value: "59.90" } },
};

const payerOf = (number: string): object => ({ name: "Known Payer", document: { type: "CPF", number } });

interface FirstCharge {
  readonly id: string;
  readonly orderId: string;
  readonly qrcodeData: string;
}

async function firstCharge(partner: Partner, changed: object = {}): Promise<FirstCharge> {
  const created = await createSubscription(partner, { ...IMMEDIATE, ...changed });
  const { orderId } = created["initialCharge"] as { orderId: string };
  return { id: String(created["id"]), orderId, qrcodeData: String(created["qrcodeData"]) };
}

async function statuses(partner: Partner, { id, orderId }: FirstCharge): Promise<unknown[]> {
  const of = [await resource(partner, "orders", orderId), await resource(partner, "subscriptions", id)];
  return of.map(({ status }) => status);
}

async function eventNames(partner: Partner): Promise<unknown[]> {
  return (await partner.webhooks()).map(({ event }) => event);
}

test.each(["REJECTED", "ERROR"])(
  "a first charge is paid while the authorization comes to %s, and its money can be refunded",
  async (authorization) => {
    await using partner = await openPartner();
    const charge = await firstCharge(partner);
    await partner.act("order.pay", { id: charge.orderId, authorization });
    expect(await statuses(partner, charge)).toEqual(["PAID", authorization]);
    expect((await resource(partner, "subscriptions", charge.id))["payer"]).toBeUndefined();
    expect(await eventNames(partner)).toEqual(["ORDER-PAYIN.PAID", `SUBSCRIPTION.${authorization}`]);
    await refunded(partner, charge.orderId, "59.90");
    await partner.advance("PT5S");
    expect((await statuses(partner, charge))[0]).toBe("REFUNDED");
  },
);

test.each([{}, { authorization: "ACCEPTED" }])("paying a first charge %j accepts", async (fields) => {
  await using partner = await openPartner();
  const charge = await firstCharge(partner);
  await partner.act("order.pay", { id: charge.orderId, ...fields });
  expect(await statuses(partner, charge)).toEqual(["PAID", "ACCEPTED"]);
});

test("authorization belongs to a first charge, and is one of three words", async () => {
  await using partner = await openPartner();
  const charge = await firstCharge(partner);
  const path = "/sandbox/acts/order.pay";
  const wrong = await partner.ask("POST", path, { body: { id: charge.orderId, authorization: "NO" } });
  expect(detail(wrong, "authorization")["issue"]).toBe("INVALID");
  const order = { externalId: "shop-1", paymentMethod: "PIX", amount: reais("10.00") };
  const customer = payerOf("52998224725");
  const { body } = await partner.ask("PUT", "/order/v2/transparent", { key: "k", body: { customer, order } });
  const other = await partner.ask("POST", path, { body: { id: body["id"], authorization: "REJECTED" } });
  expect(detail(other, "authorization")["issue"]).toBe("NOT_ALLOWED");
});

test.each([
  ["before the subscription", false],
  ["for the subscription", true],
])("a plan made %s pays nothing, and decides once the first charge is paid", async (_when, isLater) => {
  await using partner = await openPartner();
  const plan = { plan: "subscription.authorization", outcomes: ["REJECTED"] };
  if (!isLater) await partner.sandbox.plan(plan);
  const charge = await firstCharge(partner);
  if (isLater) await partner.sandbox.plan({ ...plan, on: charge.id });
  await partner.advance("PT1H");
  expect(await statuses(partner, charge)).toEqual(["INITIAL", "PENDING_AUTHORIZATION"]);
  await partner.act("order.pay", { id: charge.orderId });
  expect(await statuses(partner, charge)).toEqual(["PAID", "REJECTED"]);
});

test("an act says what the authorization comes to, whatever is planned", async () => {
  await using partner = await openPartner();
  const charge = await firstCharge(partner);
  await partner.sandbox.plan({ plan: "subscription.authorization", on: charge.id, outcomes: ["REJECTED"] });
  await partner.act("order.pay", { id: charge.orderId, authorization: "ERROR" });
  expect(await statuses(partner, charge)).toEqual(["PAID", "ERROR"]);
});

/** The plan was accepted and never used. */
test.each([
  ["PAID", ["PAID", "ACCEPTED"]],
  ["DECLINED", ["ERROR", "PENDING_AUTHORIZATION"]],
  ["EXPIRED", ["EXPIRED", "PENDING_AUTHORIZATION"]],
])("a plan order.payment for a first charge is used: %s", async (outcome, expected) => {
  await using partner = await openPartner();
  const charge = await firstCharge(partner);
  await partner.sandbox.plan({ plan: "order.payment", on: charge.orderId, outcomes: [outcome] });
  expect(await statuses(partner, charge)).toEqual(["INITIAL", "PENDING_AUTHORIZATION"]);
  await partner.advance("PT5S");
  expect(await statuses(partner, charge)).toEqual(expected);
});

test("both plans together: the first charge is paid and the authorization fails", async () => {
  await using partner = await openPartner();
  const charge = await firstCharge(partner);
  await partner.sandbox.plan({ plan: "subscription.authorization", on: charge.id, outcomes: ["ERROR"] });
  await partner.sandbox.plan({ plan: "order.payment", on: charge.orderId, outcomes: ["PAID"] });
  await partner.advance("PT5S");
  expect(await statuses(partner, charge)).toEqual(["PAID", "ERROR"]);
});

test("a plan for the first charge wins over its payer of the fixtures", async () => {
  await using partner = await openPartner();
  const charge = await firstCharge(partner, { debtor: payerOf("90000000175") });
  await partner.sandbox.plan({ plan: "order.payment", on: charge.orderId, outcomes: ["DECLINED"] });
  await partner.advance("PT1M");
  expect(await statuses(partner, charge)).toEqual(["ERROR", "PENDING_AUTHORIZATION"]);
});

/** The payer without funds paid the first charge. */
test.each([
  ["accepts", "90000000175", ["PAID", "ACCEPTED"]],
  ["refuses", "90000000256", ["CANCELED", "REJECTED"]],
  ["has no funds", "90000000337", ["ERROR", "PENDING_AUTHORIZATION"]],
  ["meets settlement errors on charges", "90000000418", ["PAID", "ACCEPTED"]],
  ["is not of the fixtures", "52998224725", ["INITIAL", "PENDING_AUTHORIZATION"]],
])("a payer who %s, of a first charge", async (_what, number, expected) => {
  for (const changed of [{ debtor: payerOf(number) }, { payer: payerOf(number) }]) {
    await using partner = await openPartner();
    const charge = await firstCharge(partner, changed);
    await partner.advance("PT1M");
    expect(await statuses(partner, charge)).toEqual(expected);
  }
});

test("a payer without funds still accepts a subscription that charges nothing yet", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner, { debtor: payerOf("90000000337") });
  await partner.advance("PT5S");
  expect((await resource(partner, "subscriptions", id))["status"]).toBe("ACCEPTED");
});

/** The subscription showed a random account, and the payout's event the real one. */
test("a journey 3 code that another company pays shows the account the money came from", async () => {
  await using partner = await openPartner();
  const charge = await firstCharge(partner);
  const asked = {
    accountId: GLOBEX_ACCOUNT,
    paymentData: { qrcodeData: charge.qrcodeData },
    amount: reais("59.90"),
  };
  await createPayout(partner, asked, { token: "globex-token" });
  await partner.advance("PT2S");
  const paid = (await partner.webhooks()).find(({ event }) => event === "ORDER-PAYOUT.PAID");
  const { bank } = assertDefined(paid, "the event")["ownerBank"] as { bank: Record<string, string> };
  expect((await resource(partner, "subscriptions", charge.id))["payer"]).toMatchObject({
    name: "Globex Cobranças SA",
    bankData: { ispb: bank["ispb"], branchNumber: bank["branch"], accountNumber: bank["account"] },
  });
});

test("a closed account takes no payment, as it takes no deposit", async () => {
  await using partner = await openPartner();
  const charge = await firstCharge(partner);
  const order = { externalId: "shop-1", paymentMethod: "PIX", amount: reais("10.00") };
  const customer = payerOf("52998224725");
  const { body } = await partner.ask("PUT", "/order/v2/transparent", { key: "k", body: { customer, order } });
  const account = String((await resource(partner, "orders", charge.orderId))["accountId"]);
  const before = await ledgerBalance(partner, `available:${account}`);
  await partner.act("account.close", { id: account });
  for (const [act, id] of [
    ["order.pay", charge.orderId],
    ["order.pay", body["id"]],
    ["subscription.accept", charge.id],
    ["account.deposit", account],
  ] as const) {
    const fields = act === "account.deposit" ? { id, amount: "1.00" } : { id };
    const refused = await partner.ask("POST", `/sandbox/acts/${act}`, { body: fields });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ error: "INVALID_REQUEST", details: [{ issue: "ILLEGAL_ACT" }] });
    expect(refused.body["message"]).toContain(`the account ${account} is CLOSED`);
  }
  await partner.sandbox.plan({ plan: "order.payment", on: String(body["id"]), outcomes: ["PAID"] });
  await partner.sandbox.plan({ plan: "order.payment", on: charge.orderId, outcomes: ["PAID"] });
  await partner.advance("PT5S");
  expect(await statuses(partner, charge)).toEqual(["ERROR", "PENDING_AUTHORIZATION"]);
  expect((await resource(partner, "orders", body["id"]))["status"]).toBe("ERROR");
  expect(await ledgerBalance(partner, `available:${account}`)).toBe(before);
});

test("nothing is paid out to a closed account, whatever a plan or an act says", async () => {
  await using partner = await openPartner({ assumptions: { "autopilot.payout.settlement": "manual" } });
  const { qrcodeData } = await firstCharge(partner);
  const asked = { accountId: GLOBEX_ACCOUNT, paymentData: { qrcodeData }, amount: reais("59.90") };
  const { id } = await createPayout(partner, asked, { token: "globex-token" });
  await partner.act("account.close", { id: "11111111-1111-4111-8111-111111111111" });
  const settle = await partner.ask("POST", "/sandbox/acts/payout.settle", { body: { id } });
  expect(settle.status).toBe(409);
  expect(settle.body["message"]).toContain("AC07");
  await partner.sandbox.plan({ plan: "payout.settlement", on: String(id), outcomes: ["PAID"] });
  await partner.advance("PT2S");
  expect(await resource(partner, "payouts", id)).toMatchObject({ status: "ERROR" });
  expect(await ledgerBalance(partner, `available:${GLOBEX_ACCOUNT}`)).toBe("5000.00");
});

test("an INACTIVE account is still paid, as it takes deposits", async () => {
  await using partner = await openPartner();
  const charge = await firstCharge(partner);
  await partner.act("account.deactivate", { id: "11111111-1111-4111-8111-111111111111" });
  await partner.act("order.pay", { id: charge.orderId });
  expect(await statuses(partner, charge)).toEqual(["PAID", "ACCEPTED"]);
});
