import {
  acceptedSubscription,
  advanceTo,
  chargeEvents,
  chargeOf,
  charges,
  createCharge,
  planSettlement,
  story,
} from "./charge.ts";
import { expect, test } from "vitest";
import { openPartner } from "../../../partner.ts";

const ACCEPTED = "2026-11-20 09:00:05 ACCEPTED ACCEPTED";

/** The id carried the minute in which the charge was written, days before its payment: the scheme allows half a day. */
function minuteOf(charge: object): string {
  const { endToEndId } = charge as { endToEndId: string };
  return endToEndId.slice("E12345678".length, "E12345678202611250305".length);
}

test("a charge is scheduled after a delay and settles in the first window of its day", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const charge = await createCharge(partner, id);
  await advanceTo(partner, "2026-11-25 00:04:59");
  expect(await story(partner)).toEqual([ACCEPTED]);
  await advanceTo(partner, "2027-01-01 00:00");
  expect(await story(partner)).toEqual([ACCEPTED, "2026-11-25 00:05:00 COMPLETED COMPLETED"]);
  const [accepted] = await chargeEvents(partner);
  expect(accepted).toEqual({
    event: "SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED",
    occurredAt: "2026-11-20T12:00:05.000Z",
    data: {
      id: charge["id"],
      externalId: "charge-1",
      subscriptionId: id,
      status: "ACCEPTED",
      purpose: "FIRST_ATTEMPT",
      updatedAt: "2026-11-20T12:00:05.000Z",
    },
  });
});

test("a completed charge is a paid order: the account is credited, and the event names subscription and charge", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const charge = await createCharge(partner, id, { description: "November" });
  const account = "/order/v1/banking/accounts/11111111-1111-4111-8111-111111111111/balance";
  await advanceTo(partner, "2026-11-25 00:05");
  expect((await partner.ask("GET", account)).body["balance"]).toEqual({
    currency: "BRL",
    value: "100059.90",
  });
  const { orderId, endToEndId } = await chargeOf(partner, charge["id"]);
  expect((await partner.webhooks()).at(-1)).toMatchObject({
    event: "ORDER-PAYIN.PAID",
    id: orderId,
    code: "charge-1",
    status: "PAID",
    paidAt: "2026-11-25T03:05:00.000Z",
    endToEndId,
    description: "November",
    amount: { currency: "BRL", value: "59.90" },
    payer: { document: { type: "CPF", number: "52998224725" } },
    subscription: { id, code: "subscription-1" },
    scheduledPayment: { id: charge["id"], externalId: "charge-1" },
  });
  const order = await partner.ask("GET", `/sandbox/resources/orders/${String(orderId)}`);
  expect(order.body).toMatchObject({ status: "PAID", scheduledPaymentId: charge["id"], subscriptionId: id });
});

test("insufficient funds in the morning window are tried again in the evening", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const charge = await createCharge(partner, id);
  await planSettlement(partner, charge["id"], ["INSUFFICIENT_BALANCE"]);
  await advanceTo(partner, "2026-11-25 18:04:59");
  expect(await chargeOf(partner, charge["id"])).toMatchObject({ status: "ACCEPTED" });
  await advanceTo(partner, "2026-11-25 18:05");
  expect(await story(partner)).toEqual([ACCEPTED, "2026-11-25 18:05:00 COMPLETED COMPLETED"]);
});

test("insufficient funds in both windows are final at 21:00, and not before", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const charge = await createCharge(partner, id);
  await planSettlement(partner, charge["id"], ["INSUFFICIENT_BALANCE", "INSUFFICIENT_BALANCE", "SETTLED"]);
  await advanceTo(partner, "2026-11-25 20:59:59");
  expect(await chargeOf(partner, charge["id"])).toMatchObject({ status: "ACCEPTED" });
  await advanceTo(partner, "2026-12-25 00:00");
  expect(await story(partner)).toEqual([
    ACCEPTED,
    "2026-11-25 21:00:00 CANCELED_INSUFFICIENT_BALANCE CANCELED_INSUFFICIENT_BALANCE",
  ]);
  expect((await partner.ask("GET", "/sandbox/resources/orders")).body["data"]).toEqual([]);
});

test("a permanent error ends a charge at its attempt", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const charge = await createCharge(partner, id);
  await planSettlement(partner, charge["id"], ["ERROR"]);
  await advanceTo(partner, "2026-11-26 00:00");
  expect(await story(partner)).toEqual([ACCEPTED, "2026-11-25 00:05:00 ERROR ERROR"]);
});

test("the windows and the end of the day are assumptions", async () => {
  await using partner = await openPartner({
    assumptions: {
      "charge.first-attempt-at": "07:30",
      "charge.second-attempt-at": "19:00:30",
      "charge.final-at": "20:00",
    },
  });
  const { id } = await acceptedSubscription(partner);
  const charge = await createCharge(partner, id);
  await planSettlement(partner, charge["id"], ["INSUFFICIENT_BALANCE", "INSUFFICIENT_BALANCE"]);
  await advanceTo(partner, "2026-11-25 19:00:29");
  const plans = async () => (await partner.ask("GET", "/sandbox/plans")).body["data"] as { used: number }[];
  expect((await plans())[0]?.used).toBe(1);
  await advanceTo(partner, "2026-11-25 19:00:30");
  expect((await plans())[0]?.used).toBe(2);
  await advanceTo(partner, "2026-11-26 00:00");
  expect((await story(partner)).at(-1)).toContain("2026-11-25 20:00:00 CANCELED_INSUFFICIENT_BALANCE");
});

test.each([
  ["REJECTED", "2026-11-20 09:00:05 REJECTED REJECTED"],
  ["ERROR", "2026-11-20 09:00:05 ERROR ERROR"],
])("a charge whose scheduling is planned %s is never attempted", async (outcome, line) => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  await partner.sandbox.plan({ plan: "scheduled-payment.scheduling", outcomes: [outcome] });
  await createCharge(partner, id);
  await advanceTo(partner, "2026-12-01 00:00");
  expect(await story(partner)).toEqual([line]);
});

test("a charge above the payer's maximum is accepted and then rejected; one at the maximum is scheduled", async () => {
  await using partner = await openPartner();
  const subscription = { frequencyType: "WEEKLY" };
  const { id } = await acceptedSubscription(partner, { ...subscription, externalId: "no-maximum" });
  expect(await chargeOf(partner, (await createCharge(partner, id))["id"])).toMatchObject({
    status: "PENDING",
  });
  const limited = await partner.ask("POST", "/order/v1/banking/subscriptions", {
    body: {
      accountId: "11111111-1111-4111-8111-111111111111",
      type: "AUTHORIZATION_QRCODE",
      externalId: "limited",
      webhookUrl: "http://receiver.example/webhooks",
      frequencyType: "WEEKLY",
      startDate: "2026-11-20",
      debtor: { name: "Dora Devedora", document: { type: "CPF", number: "52998224725" } },
    },
  });
  const on = limited.body["id"];
  await partner.act("subscription.accept", { id: on, maxAmount: { currency: "BRL", value: "59.90" } });
  const above = await createCharge(partner, on, {
    externalId: "a",
    amount: { currency: "BRL", value: "59.91" },
  });
  expect(above).toMatchObject({ status: "PENDING" });
  await partner.advance("PT5S");
  expect(await chargeOf(partner, above["id"])).toMatchObject({ status: "REJECTED", rejectionCode: "AM02" });
  const equal = await createCharge(partner, on, { externalId: "b" });
  await partner.advance("PT5S");
  expect(await chargeOf(partner, equal["id"])).toMatchObject({ status: "ACCEPTED" });
});

test("payers of the fixtures have no funds, or meet settlement errors, on every charge", async () => {
  await using partner = await openPartner();
  const poor = { name: "Sara Sem Saldo", document: { type: "CPF", number: "90000000337" } };
  const unlucky = { name: "Edu Erro", document: { type: "CPF", number: "90000000418" } };
  for (const [externalId, debtor] of Object.entries({ poor, unlucky })) {
    const { id } = await acceptedSubscription(partner, { externalId, debtor });
    await createCharge(partner, id, { externalId: `charge-${externalId}` });
  }
  await advanceTo(partner, "2026-11-26 00:00");
  const all = await charges(partner);
  expect(all.filter(({ status }) => status === "CANCELED_INSUFFICIENT_BALANCE")).toHaveLength(1);
  expect(all.filter(({ status }) => status === "CANCELED")).toHaveLength(4);
});

test("plans without an object apply to the attempts of all charges in order", async () => {
  await using partner = await openPartner();
  const one = await acceptedSubscription(partner);
  const two = await acceptedSubscription(partner, { externalId: "subscription-2" });
  const first = await createCharge(partner, one["id"]);
  const second = await createCharge(partner, two["id"], { externalId: "charge-2" });
  await partner.sandbox.plan({ plan: "scheduled-payment.settlement", outcomes: ["SETTLED", "ERROR"] });
  await advanceTo(partner, "2026-11-26 00:00");
  expect(await chargeOf(partner, first["id"])).toMatchObject({ status: "COMPLETED" });
  expect(await chargeOf(partner, second["id"])).toMatchObject({ status: "ERROR" });
});

test("with the manual autopilot acts accept and settle a charge, and then no act is possible", async () => {
  await using partner = await openPartner({
    assumptions: {
      "autopilot.scheduled-payment.scheduling": "manual",
      "autopilot.scheduled-payment.settlement": "manual",
    },
  });
  const { id } = await acceptedSubscription(partner);
  const charge = await createCharge(partner, id);
  const on = { id: charge["id"] };
  await partner.advance("PT1H");
  expect(await chargeOf(partner, charge["id"])).toMatchObject({ status: "PENDING" });
  await expect(partner.act("scheduled-payment.settle", on)).rejects.toThrow(
    /is PENDING. Possible acts: scheduled-payment.accept, scheduled-payment.reject, scheduled-payment.fail, scheduled-payment.request-cancellation/,
  );
  expect(await partner.act("scheduled-payment.accept", on)).toMatchObject({ status: "ACCEPTED" });
  await advanceTo(partner, "2026-11-25 20:00");
  expect(await chargeOf(partner, charge["id"])).toMatchObject({ status: "ACCEPTED" });
  expect(await partner.act("scheduled-payment.settle", on)).toMatchObject({ status: "COMPLETED" });
  for (const act of ["accept", "reject", "settle"]) {
    await expect(partner.act(`scheduled-payment.${act}`, on)).rejects.toThrow(/Possible acts: none/);
  }
});

test("with the manual autopilot a plan decides an attempt, and the day still ends at 21:00", async () => {
  await using partner = await openPartner({
    assumptions: { "autopilot.scheduled-payment.settlement": "manual" },
  });
  const one = await acceptedSubscription(partner);
  const two = await acceptedSubscription(partner, { externalId: "subscription-2" });
  const planned = await createCharge(partner, one["id"]);
  const left = await createCharge(partner, two["id"], { externalId: "charge-2" });
  await advanceTo(partner, "2026-11-25 12:00");
  await planSettlement(partner, planned["id"], ["SETTLED"]);
  await advanceTo(partner, "2026-11-25 21:00");
  expect(await chargeOf(partner, planned["id"])).toMatchObject({
    status: "COMPLETED",
    updatedAt: "2026-11-25T21:05:00.000Z",
  });
  expect(await chargeOf(partner, left["id"])).toMatchObject({ status: "CANCELED_INSUFFICIENT_BALANCE" });
});

test("a charge that is never scheduled ends in ERROR at the end of its day", async () => {
  await using partner = await openPartner({
    assumptions: { "autopilot.scheduled-payment.scheduling": "manual" },
  });
  const { id } = await acceptedSubscription(partner);
  await createCharge(partner, id);
  await advanceTo(partner, "2026-11-26 00:00");
  expect(await story(partner)).toEqual(["2026-11-25 21:00:00 ERROR ERROR"]);
});

test("with the immediate autopilot a charge is scheduled and paid immediately", async () => {
  await using partner = await openPartner({
    assumptions: {
      "autopilot.scheduled-payment.scheduling": "immediate",
      "autopilot.scheduled-payment.settlement": "immediate",
    },
  });
  const { id } = await acceptedSubscription(partner);
  expect(await createCharge(partner, id)).toMatchObject({ status: "PENDING" });
  expect(await story(partner)).toEqual([
    "2026-11-20 09:00:00 ACCEPTED ACCEPTED",
    "2026-11-20 09:00:00 COMPLETED COMPLETED",
  ]);
});

test.each([
  ["INSUFFICIENT_BALANCE", "CANCELED_INSUFFICIENT_BALANCE"],
  ["SETTLEMENT_ERROR", "CANCELED"],
  ["ERROR", "ERROR"],
])("with the manual autopilot a failure %s ends an accepted charge as %s", async (outcome, status) => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const charge = await createCharge(partner, id);
  await partner.advance("PT5S");
  const failed = await partner.act("scheduled-payment.fail", { id: charge["id"], outcome });
  expect(failed).toMatchObject({ status });
});

test("an act with an unknown charge or failure is refused", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const { id: on } = await createCharge(partner, id);
  for (const [act, fields] of [
    ["reject", { code: "ZZ99" }],
    ["fail", {}],
    ["fail", { outcome: "SETTLED" }],
    ["request-cancellation", {}],
    ["request-cancellation", { reason: "FRAUD_SUSPICION" }],
    ["request-cancellation", { reason: "REQUESTED_BY_PAYER", requestedBy: "receiver" }],
    ["settle", { id: "nobody" }],
  ] as const) {
    const answered = await partner.ask("POST", `/sandbox/acts/scheduled-payment.${act}`, {
      body: { id: on, ...fields },
    });
    expect([400, 404]).toContain(answered.status);
  }
  expect(await chargeOf(partner, on)).toMatchObject({ status: "PENDING" });
});

test("a charge that is not scheduled can fail permanently, but not temporarily", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const { id: on } = await createCharge(partner, id);
  for (const outcome of ["SETTLEMENT_ERROR", "INSUFFICIENT_BALANCE"]) {
    await expect(partner.act("scheduled-payment.fail", { id: on, outcome })).rejects.toThrow(
      /it is PENDING, and only a scheduled charge is tried/,
    );
  }
  const failed = await partner.act("scheduled-payment.fail", { id: on, outcome: "ERROR" });
  expect(failed).toMatchObject({ status: "ERROR" });
});

test("a charge's end-to-end id contains the minute of its first attempt, in UTC", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner, { allowAdjustToBusinessDay: true });
  const charge = await createCharge(partner, id, { dueDate: "2026-11-28" });
  expect(minuteOf(await chargeOf(partner, charge["id"]))).toBe("202611300305");
});

test("a resend's end-to-end id contains the minute in which it is sent", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const charge = await createCharge(partner, id);
  await planSettlement(partner, charge["id"], ["SETTLEMENT_ERROR", "SETTLED"]);
  await advanceTo(partner, "2026-11-26 00:00");
  expect((await charges(partner)).map(minuteOf)).toEqual(["202611250305", "202611250335"]);
});
