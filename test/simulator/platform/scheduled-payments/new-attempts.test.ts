import {
  acceptedSubscription,
  advanceTo,
  chargeBody,
  chargeOf,
  charges,
  createCharge,
  planSettlement,
  putCharge,
  refusalOf,
  story,
} from "./charge.ts";
import { type Partner, detail, openPartner } from "../../../partner.ts";
import { expect, test } from "vitest";

const NO_FUNDS = ["INSUFFICIENT_BALANCE", "INSUFFICIENT_BALANCE"];

/** A first attempt that ran out of balance on 25 November; it is 22:00 of that day. */
async function unpaid(partner: Partner, changed: object = {}) {
  const { id } = await acceptedSubscription(partner, changed);
  const first = await createCharge(partner, id);
  await planSettlement(partner, first["id"], NO_FUNDS);
  await advanceTo(partner, "2026-11-25 22:00");
  return { id, first: String(first["id"]) };
}

function again(first: string, day: string, changed: object = {}) {
  return {
    externalId: `again-${day}`,
    dueDate: `2026-${day}`,
    purpose: "NEW_ATTEMPT_AFTER_DUE_DATE",
    originalScheduledPaymentId: first,
    ...changed,
  };
}

test("no funds on the due date, then settled on D+3 in the windows of that day", async () => {
  await using partner = await openPartner();
  const { id, first } = await unpaid(partner);
  const retry = await createCharge(partner, id, again(first, "11-28"));
  expect(retry).toMatchObject({ purpose: "NEW_ATTEMPT_AFTER_DUE_DATE", originalScheduledPaymentId: first });
  await planSettlement(partner, retry["id"], ["INSUFFICIENT_BALANCE"]);
  await advanceTo(partner, "2026-11-30 00:00");
  expect((await story(partner)).slice(2)).toEqual([
    "2026-11-25 22:00:05 ACCEPTED ACCEPTED",
    "2026-11-28 18:05:00 COMPLETED COMPLETED",
  ]);
});

test("a fourth new attempt is refused", async () => {
  await using partner = await openPartner();
  const { id, first } = await unpaid(partner);
  for (const day of ["26", "28", "30"]) {
    const { id: retry } = await createCharge(partner, id, again(first, `11-${day}`));
    await planSettlement(partner, retry, NO_FUNDS);
    await advanceTo(partner, `2026-11-${day} 21:00`);
    expect(await chargeOf(partner, retry)).toMatchObject({ status: "CANCELED_INSUFFICIENT_BALANCE" });
  }
  const answered = await putCharge(partner, id, chargeBody(again(first, "12-01")));
  expect(answered.status).toBe(400);
  expect(detail(answered, "originalScheduledPaymentId")).toMatchObject({ issue: "TOO_MANY_ATTEMPTS" });
  expect(await charges(partner)).toHaveLength(4);
});

test.each(["11-26", "12-02"])("after 25 November a new attempt on %s is accepted", async (day) => {
  await using partner = await openPartner();
  const { id, first } = await unpaid(partner);
  expect(await createCharge(partner, id, again(first, day))).toMatchObject({ status: "PENDING" });
});

test.each(["11-25", "12-03"])("after 25 November a new attempt on %s is refused", async (day) => {
  await using partner = await openPartner();
  const { id, first } = await unpaid(partner);
  expect(await refusalOf(partner, id, again(first, day))).toEqual(["dueDate OUT_OF_WINDOW"]);
});

test("a new attempt is for tomorrow at the earliest: requested at 23:59:59, it is tried minutes later", async () => {
  await using partner = await openPartner();
  const { id, first } = await unpaid(partner);
  await advanceTo(partner, "2026-11-26 10:00");
  expect(await refusalOf(partner, id, again(first, "11-26"))).toEqual(["dueDate OUT_OF_WINDOW"]);
  await advanceTo(partner, "2026-11-26 23:59:59");
  await createCharge(partner, id, again(first, "11-27"));
  await advanceTo(partner, "2026-11-27 00:05");
  expect((await story(partner)).slice(2)).toEqual([
    "2026-11-27 00:00:04 ACCEPTED ACCEPTED",
    "2026-11-27 00:05:00 COMPLETED COMPLETED",
  ]);
});

test("days are counted from the settlement date, and the day of the attempt moves off the weekend too", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner, { allowAdjustToBusinessDay: true });
  const first = await createCharge(partner, id, { dueDate: "2026-11-28" });
  expect(first).toMatchObject({ settlementDate: "2026-11-30" });
  await planSettlement(partner, first["id"], NO_FUNDS);
  await advanceTo(partner, "2026-11-30 21:00");
  const on = String(first["id"]);
  expect(await createCharge(partner, id, again(on, "12-05"))).toMatchObject({ settlementDate: "2026-12-07" });
  const next = await refusalOf(partner, id, again(on, "12-08"));
  expect(next).toEqual(["originalScheduledPaymentId INVALID"]);
});

test("two attempts cannot be on one day, but a rejected attempt frees its day", async () => {
  await using partner = await openPartner();
  const { id, first } = await unpaid(partner, { allowAdjustToBusinessDay: true });
  const { id: rejected } = await createCharge(partner, id, again(first, "11-27"));
  await partner.act("scheduled-payment.reject", { id: rejected });
  const { id: second } = await createCharge(partner, id, again(first, "11-27", { externalId: "second" }));
  await planSettlement(partner, second, NO_FUNDS);
  await advanceTo(partner, "2026-11-27 21:00");
  expect(await createCharge(partner, id, again(first, "11-28"))).toMatchObject({
    settlementDate: "2026-11-30",
  });
});

test("an attempt on the same day again is refused, as is one while another is still open", async () => {
  await using partner = await openPartner();
  const { id, first } = await unpaid(partner, { allowAdjustToBusinessDay: true });
  const { id: retry } = await createCharge(partner, id, again(first, "11-28"));
  expect(await refusalOf(partner, id, again(first, "11-27"))).toEqual(["originalScheduledPaymentId INVALID"]);
  await partner.advance("PT5S");
  await partner.act("scheduled-payment.fail", { id: retry, outcome: "INSUFFICIENT_BALANCE" });
  expect(await refusalOf(partner, id, again(first, "11-30"))).toEqual(["dueDate OUT_OF_WINDOW"]);
  expect(await createCharge(partner, id, again(first, "11-27"))).toMatchObject({ status: "PENDING" });
});

test("a new attempt must match the cycle, the term and the amount of the first", async () => {
  await using partner = await openPartner();
  const { id, first } = await unpaid(partner, { frequencyType: "WEEKLY", endDate: "2026-12-31" });
  expect(await refusalOf(partner, id, again(first, "11-27"))).toEqual(["dueDate OUT_OF_WINDOW"]);
  const amount = { amount: { currency: "BRL", value: "10.00" } };
  expect(await refusalOf(partner, id, again(first, "11-26", amount))).toEqual(["amount.value INVALID"]);
  await using ending = await openPartner();
  const other = await unpaid(ending, { endDate: "2026-11-25" });
  expect(await refusalOf(ending, other.id, again(other.first, "11-26"))).toEqual(["dueDate INVALID"]);
});

test("without allowChargeAfterDueDate there is no new attempt", async () => {
  for (const allowChargeAfterDueDate of [false, undefined]) {
    await using partner = await openPartner();
    const { id, first } = await unpaid(partner, { allowChargeAfterDueDate });
    expect(await refusalOf(partner, id, again(first, "11-26"))).toEqual(["purpose NOT_ALLOWED"]);
  }
});

test.each(["PENDING", "ACCEPTED", "COMPLETED", "REJECTED", "CANCELED"])(
  "a first attempt that is %s is not retried",
  async (status) => {
    await using partner = await openPartner();
    const { id } = await acceptedSubscription(partner);
    const first = await createCharge(partner, id);
    const on = { id: first["id"] };
    if (status === "REJECTED") await partner.act("scheduled-payment.reject", on);
    else if (status !== "PENDING") await partner.advance("PT5S");
    if (status === "COMPLETED") await partner.act("scheduled-payment.settle", on);
    if (status === "CANCELED") {
      await partner.act("scheduled-payment.request-cancellation", { ...on, reason: "REQUESTED_BY_PAYER" });
      await partner.advance("PT5S");
    }
    expect(await chargeOf(partner, first["id"])).toMatchObject({ status });
    expect(await refusalOf(partner, id, again(String(first["id"]), "11-27"))).toEqual([
      "originalScheduledPaymentId INVALID",
    ]);
  },
);

test("a new attempt names a first attempt of its own subscription", async () => {
  await using partner = await openPartner();
  const { id, first } = await unpaid(partner);
  const other = await acceptedSubscription(partner, {
    externalId: "subscription-2",
    startDate: "2026-11-25",
  });
  const { id: retry } = await createCharge(partner, id, again(first, "11-26"));
  await planSettlement(partner, retry, NO_FUNDS);
  await advanceTo(partner, "2026-11-26 21:00");
  for (const [on, original] of [
    [id, String(retry)],
    [id, "nobody"],
    [other["id"], first],
  ]) {
    expect(await refusalOf(partner, on, again(String(original), "11-28"))).toEqual([
      "originalScheduledPaymentId INVALID",
    ]);
  }
});

test("a chain of resends without success can be retried, a retry is resent too, and is the root of its resends", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const first = await createCharge(partner, id);
  await planSettlement(
    partner,
    first["id"],
    Array.from({ length: 4 }, () => "SETTLEMENT_ERROR"),
  );
  await advanceTo(partner, "2026-11-25 00:20");
  const on = String(first["id"]);
  expect(await refusalOf(partner, id, again(on, "11-27"))).toEqual(["originalScheduledPaymentId INVALID"]);
  await advanceTo(partner, "2026-11-25 22:00");
  const retry = await createCharge(partner, id, again(on, "11-27"));
  await planSettlement(partner, retry["id"], ["SETTLEMENT_ERROR"]);
  await advanceTo(partner, "2026-11-28 00:00");
  expect((await charges(partner)).at(-1)).toMatchObject({
    status: "COMPLETED",
    purpose: "RESEND_DUE_TO_SETTLEMENT_ERROR",
    originalScheduledPaymentId: retry["id"],
    settlementErrorRetryRootId: retry["id"],
    settlementErrorRetryAttempt: 1,
    settlementDate: "2026-11-27",
  });
  expect(await refusalOf(partner, id, again(on, "11-29"))).toEqual(["originalScheduledPaymentId INVALID"]);
});

/** It was accepted five days before the due date. */
test("a charge that failed before it was scheduled is retried from its due date on, not before", async () => {
  await using partner = await openPartner();
  await partner.sandbox.plan({ plan: "scheduled-payment.scheduling", outcomes: ["ERROR"] });
  const { id } = await acceptedSubscription(partner);
  const first = await createCharge(partner, id);
  await partner.advance("PT5S");
  expect((await chargeOf(partner, first["id"]))["status"]).toBe("ERROR");
  const retry = again(String(first["id"]), "11-26");
  expect(await refusalOf(partner, id, retry)).toEqual(["originalScheduledPaymentId INVALID"]);
  await advanceTo(partner, "2026-11-24 23:59");
  expect(await refusalOf(partner, id, retry)).toEqual(["originalScheduledPaymentId INVALID"]);
  await advanceTo(partner, "2026-11-25 00:00");
  expect(await createCharge(partner, id, retry)).toMatchObject({ status: "PENDING", purpose: retry.purpose });
});

test("a charge that an act ended before its day is retried from that day on, not before", async () => {
  for (const outcome of ["ERROR", "INSUFFICIENT_BALANCE"]) {
    await using partner = await openPartner();
    const { id } = await acceptedSubscription(partner);
    const first = await createCharge(partner, id);
    await partner.advance("PT5S");
    await partner.act("scheduled-payment.fail", { id: first["id"], outcome });
    const retry = again(String(first["id"]), "11-27");
    expect(await refusalOf(partner, id, retry)).toEqual(["originalScheduledPaymentId INVALID"]);
    await advanceTo(partner, "2026-11-25 09:00");
    expect((await createCharge(partner, id, retry))["status"]).toBe("PENDING");
  }
});

test("a charge that ran out of balance is retried on its day already", async () => {
  await using partner = await openPartner();
  await partner.sandbox.plan({ plan: "scheduled-payment.settlement", outcomes: NO_FUNDS });
  const { id } = await acceptedSubscription(partner);
  const first = await createCharge(partner, id);
  await advanceTo(partner, "2026-11-25 21:00");
  const retry = again(String(first["id"]), "11-26");
  expect((await putCharge(partner, id, { amount: first["amount"], ...retry })).status).toBe(200);
});
