import {
  acceptedSubscription,
  charges,
  chargeBody,
  chargeOf,
  createCharge,
  putCharge,
  refusalOf,
  advanceTo,
} from "./charge.ts";
import { createSubscription, detail, openPartner } from "../../../partner.ts";
import { expect, test } from "vitest";
import { shapeProblems } from "../../../../src/simulator/api/validation.ts";

test("a charge is answered PENDING, with its full amount and its dates", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const { status, body } = await putCharge(
    partner,
    id,
    chargeBody({ amount: { currency: "BRL", value: 59.9 } }),
  );
  expect(status).toBe(200);
  expect(shapeProblems("CreateScheduledPaymentResponse", body)).toEqual([]);
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    externalId: "charge-1",
    subscriptionId: id,
    status: "PENDING",
    purpose: "FIRST_ATTEMPT",
    updatedAt: "2026-11-20T12:00:00.000Z",
    amount: { currency: "BRL", value: "59.90" },
    dueDate: "2026-11-25",
    settlementDate: "2026-11-25",
    createdAt: "2026-11-20T12:00:00.000Z",
  });
});

test("the same request gives the same answer in any later status, and makes no second charge", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const first = await putCharge(partner, id, chargeBody());
  for (const moment of ["2026-11-20 09:00:05", "2026-11-25 12:00", "2027-03-01 12:00"]) {
    await advanceTo(partner, moment);
    const again = await putCharge(partner, id, chargeBody({ purpose: "FIRST_ATTEMPT" }));
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
  }
  expect(await charges(partner)).toHaveLength(1);
});

test.each([
  [{ amount: { currency: "BRL", value: "60.00" } }],
  [{ dueDate: "2026-11-26" }],
  [{ description: "another" }],
])("the same externalId with %j is refused", async (changed) => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  await createCharge(partner, id);
  expect(await refusalOf(partner, id, changed)).toContain("externalId ALREADY_EXISTS");
});

test("an externalId is unique within the company, across its subscriptions; another company has its own", async () => {
  await using partner = await openPartner();
  const one = await acceptedSubscription(partner);
  const two = await acceptedSubscription(partner, { externalId: "subscription-2" });
  await createCharge(partner, one["id"]);
  expect(await refusalOf(partner, two["id"])).toEqual(["externalId ALREADY_EXISTS"]);
  await using lax = await openPartner({ assumptions: { "charge.external-id-unique": false } });
  const first = await acceptedSubscription(lax);
  const second = await acceptedSubscription(lax, { externalId: "subscription-2" });
  await createCharge(lax, first["id"]);
  await createCharge(lax, second["id"]);
  expect(await charges(lax)).toHaveLength(2);
});

test.each(["2026-11-22", "2026-11-30"])("on 20 November a due date of %s is accepted", async (dueDate) => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  expect(await createCharge(partner, id, { dueDate })).toMatchObject({ dueDate });
});

test.each(["2026-11-21", "2026-12-01"])("on 20 November a due date of %s is refused", async (dueDate) => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  expect(await refusalOf(partner, id, { dueDate })).toEqual(["dueDate OUT_OF_WINDOW"]);
});

test("the window is counted on the calendar of São Paulo at the moment of the call", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  await advanceTo(partner, "2026-11-20 23:59:59");
  const due = { dueDate: "2026-11-22" };
  expect(await createCharge(partner, id, due)).toMatchObject({ createdAt: "2026-11-21T02:59:59.000Z" });
  await using late = await openPartner({ start: "2026-11-21T00:00:00-03:00" });
  const other = await acceptedSubscription(late, { startDate: "2026-11-21" });
  expect(await refusalOf(late, other["id"], due)).toEqual(["dueDate OUT_OF_WINDOW"]);
  expect(await createCharge(late, other["id"], { dueDate: "2026-12-01" })).toMatchObject({
    status: "PENDING",
  });
});

test("a weekend due date moves to Monday where the subscription allows it, and the window is counted from Monday", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner, {
    allowAdjustToBusinessDay: true,
    frequencyType: "WEEKLY",
  });
  expect(await createCharge(partner, id, { dueDate: "2026-11-21" })).toMatchObject({
    dueDate: "2026-11-21",
    settlementDate: "2026-11-23",
  });
  const beyond = { externalId: "charge-2", dueDate: "2026-11-29" };
  expect(await createCharge(partner, id, beyond)).toMatchObject({ settlementDate: "2026-11-30" });
  await using still = await openPartner();
  const other = await acceptedSubscription(still);
  expect(await createCharge(still, other["id"], { dueDate: "2026-11-28" })).toMatchObject({
    settlementDate: "2026-11-28",
  });
});

test("national holidays move a due date only where that is assumed", async () => {
  const christmas = { dueDate: "2026-12-25" };
  for (const [days, settlementDate] of [
    ["weekends", "2026-12-25"],
    ["bank-holidays", "2026-12-28"],
  ]) {
    await using partner = await openPartner({
      start: "2026-12-18T09:00:00-03:00",
      assumptions: { "charge.business-days": days },
    });
    const { id } = await acceptedSubscription(partner, {
      startDate: "2026-12-18",
      allowAdjustToBusinessDay: true,
    });
    expect(await createCharge(partner, id, christmas)).toMatchObject({ settlementDate });
  }
});

test("a charge must be within the term of its subscription", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner, { startDate: "2026-11-24", endDate: "2026-11-26" });
  expect(await refusalOf(partner, id, { dueDate: "2026-11-23" })).toEqual(["dueDate INVALID"]);
  expect(await refusalOf(partner, id, { dueDate: "2026-11-27" })).toEqual(["dueDate INVALID"]);
  expect(await createCharge(partner, id, { dueDate: "2026-11-26" })).toMatchObject({ status: "PENDING" });
});

test("a cycle accepts one charge, and another one after the first is rejected or canceled", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const first = await createCharge(partner, id);
  const next = { externalId: "charge-2", dueDate: "2026-11-28" };
  expect(await refusalOf(partner, id, next)).toEqual(["dueDate CYCLE_TAKEN"]);
  await partner.act("scheduled-payment.reject", { id: first["id"], code: "AC06" });
  expect(await chargeOf(partner, first["id"])).toMatchObject({ status: "REJECTED", rejectionCode: "AC06" });
  const second = await createCharge(partner, id, next);
  await partner.act("scheduled-payment.request-cancellation", {
    id: second["id"],
    reason: "REQUESTED_BY_PAYER",
  });
  await partner.advance("PT5S");
  expect(await createCharge(partner, id, { externalId: "charge-3" })).toMatchObject({ status: "PENDING" });
});

test.each(["SETTLED", "INSUFFICIENT_BALANCE", "ERROR"])(
  "a charge that ended with %s allows no other first attempt in its cycle",
  async (outcome) => {
    await using partner = await openPartner();
    const { id } = await acceptedSubscription(partner);
    const charge = await createCharge(partner, id);
    await partner.sandbox.plan({
      plan: "scheduled-payment.settlement",
      on: String(charge["id"]),
      outcomes: [outcome, outcome],
    });
    await advanceTo(partner, "2026-11-26 09:00");
    const next = { externalId: "charge-2", dueDate: "2026-12-01" };
    expect(await refusalOf(partner, id, next)).toEqual(["dueDate CYCLE_TAKEN"]);
    await advanceTo(partner, "2026-12-15 09:00");
    expect(await createCharge(partner, id, { ...next, dueDate: "2026-12-20" })).toMatchObject({
      status: "PENDING",
    });
  },
);

test("cycles of a month-end start are clamped to the last day, and never drift", async () => {
  await using partner = await openPartner({ start: "2027-01-25T09:00:00-03:00" });
  const { id } = await acceptedSubscription(partner, { startDate: "2027-01-31" });
  await createCharge(partner, id, { externalId: "january", dueDate: "2027-01-31" });
  await advanceTo(partner, "2027-02-20 09:00");
  expect(await refusalOf(partner, id, { externalId: "x", dueDate: "2027-02-27" })).toEqual([
    "dueDate CYCLE_TAKEN",
  ]);
  await createCharge(partner, id, { externalId: "february", dueDate: "2027-02-28" });
  await advanceTo(partner, "2027-03-25 09:00");
  expect(await refusalOf(partner, id, { externalId: "x", dueDate: "2027-03-30" })).toEqual([
    "dueDate CYCLE_TAKEN",
  ]);
  await createCharge(partner, id, { externalId: "march", dueDate: "2027-03-31" });
  await advanceTo(partner, "2027-04-01 00:00");
  const statuses = (await charges(partner)).map(({ status }) => status);
  expect(statuses).toEqual(["COMPLETED", "COMPLETED", "COMPLETED"]);
});

test("a yearly subscription of 29 February falls on 28 February in common years", async () => {
  await using partner = await openPartner({ start: "2028-02-25T09:00:00-03:00" });
  const { id } = await acceptedSubscription(partner, { startDate: "2028-02-29", frequencyType: "ANNUAL" });
  await createCharge(partner, id, { externalId: "2028", dueDate: "2028-02-29" });
  await advanceTo(partner, "2029-02-20 09:00");
  expect(await refusalOf(partner, id, { externalId: "x", dueDate: "2029-02-27" })).toEqual([
    "dueDate CYCLE_TAKEN",
  ]);
  await createCharge(partner, id, { externalId: "2029", dueDate: "2029-02-28" });
});

test("only the fixed amount is charged", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner, { fixedAmount: { currency: "BRL", value: "59.90" } });
  const other = { amount: { currency: "BRL", value: "59.91" } };
  expect(await refusalOf(partner, id, other)).toEqual(["amount.value INVALID"]);
  expect(await createCharge(partner, id)).toMatchObject({ status: "PENDING" });
});

test.each(["PENDING_AUTHORIZATION", "REJECTED", "CANCELED", "ERROR"])(
  "a subscription that is %s takes no charge",
  async (status) => {
    await using partner = await openPartner();
    const { id } = await createSubscription(partner);
    if (status === "REJECTED") await partner.act("subscription.reject", { id });
    if (status === "ERROR") await partner.act("subscription.fail", { id });
    if (status === "CANCELED") {
      await partner.act("subscription.request-cancellation", { id, reason: "REQUESTED_BY_PAYER" });
      await partner.advance("PT5S");
    }
    const answered = await putCharge(partner, id, chargeBody());
    expect(answered.status).toBe(400);
    expect(detail(answered, "id")).toMatchObject({ issue: "SUBSCRIPTION_NOT_ACCEPTED" });
    expect(detail(answered, "id")["description"]).toContain(status);
  },
);

test("journey 3 accepts charges too, unless assumed otherwise; its first charge uses no cycle", async () => {
  const immediate = {
    type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
    initialCharge: { amount: { currency: "BRL", value: "59.90" } },
  };
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner, immediate);
  expect(await createCharge(partner, id)).toMatchObject({ status: "PENDING" });
  await using strict = await openPartner({ assumptions: { "charge.journey-3": false } });
  const other = await acceptedSubscription(strict, immediate);
  expect(await refusalOf(strict, other["id"])).toEqual(["id NOT_ALLOWED"]);
});

test("another company's subscription and an unknown one are not found; an invalid body is reported first", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const path = `/public/v1/banking/subscriptions/${String(id)}/payments`;
  const foreign = await partner.ask("PUT", path, { token: "globex-token", body: chargeBody() });
  expect(foreign.status).toBe(404);
  const unknown = "99999999-9999-4999-8999-999999999999";
  expect((await putCharge(partner, unknown, chargeBody())).status).toBe(404);
  expect((await putCharge(partner, unknown, {})).status).toBe(400);
  expect((await partner.ask("PUT", path, { token: null, body: chargeBody() })).status).toBe(401);
  expect(
    (await partner.ask("PUT", path, { token: "acme-token-without-scope", body: chargeBody() })).status,
  ).toBe(403);
});

test("an account that is not ACTIVE takes no charges", async () => {
  await using partner = await openPartner();
  const { id, receiver } = await acceptedSubscription(partner);
  await partner.act("account.deactivate", { id: (receiver as { id: string }).id });
  expect((await putCharge(partner, id, chargeBody())).status).toBe(403);
});

test("all mistakes of a body are reported together", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const broken = {
    externalId: "",
    dueDate: "2026-02-30",
    amount: { currency: "USD", value: "0" },
    description: 7,
    purpose: "RESEND_DUE_TO_SETTLEMENT_ERROR",
  };
  const answered = await putCharge(partner, id, broken);
  expect(answered.status).toBe(400);
  const fields = (answered.body["details"] as { field: string }[]).map(({ field }) => field).sort();
  expect([...new Set(fields)]).toEqual([
    "amount.currency",
    "amount.value",
    "description",
    "dueDate",
    "externalId",
    "purpose",
  ]);
});

test.each([
  [undefined],
  [null],
  [[]],
  ["text"],
  [7],
  [{}],
  [{ externalId: null, dueDate: null, amount: null }],
  [{ externalId: 7, dueDate: 7, amount: "59.90" }],
  [{ externalId: "c", dueDate: "25/11/2026", amount: { value: "59.90" } }],
  [{ externalId: "c", dueDate: "2026-11-25", amount: { currency: "BRL", value: "59.901" } }],
  [{ externalId: "c", dueDate: "2026-11-25", amount: { currency: "BRL", value: -1 } }],
  [{ ...chargeBody(), purpose: "NEW_ATTEMPT_AFTER_DUE_DATE" }],
  [{ ...chargeBody(), purpose: null }],
  [{ ...chargeBody(), originalScheduledPaymentId: "5e4d3c2b-1a09-4f8e-9d7c-6b5a49382716" }],
])("the body %j is a bad request and creates no charge", async (body) => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const answered = await putCharge(partner, id, body);
  expect(answered.status).toBe(400);
  expect(answered.body).toMatchObject({ error: "INVALID_REQUEST" });
  expect((answered.body["details"] as object[]).length).toBeGreaterThan(0);
  expect(await charges(partner)).toEqual([]);
});
