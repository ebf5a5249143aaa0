import {
  acceptedSubscription,
  advanceTo,
  chargeOf,
  createCharge,
  putCharge,
  refusalOf,
} from "../simulator/platform/scheduled-payments/charge.ts";
import { detail, openPartner } from "../partner.ts";
import { expect, test } from "vitest";

const PURPOSE = "NEW_ATTEMPT_AFTER_DUE_DATE";

/** It was accepted five days before the due date. */
test("a charge that failed before it was scheduled is retried from its due date on, not before", async () => {
  await using partner = await openPartner();
  await partner.sandbox.plan({ plan: "scheduled-payment.scheduling", outcomes: ["ERROR"] });
  const { id } = await acceptedSubscription(partner);
  const first = await createCharge(partner, id);
  await partner.advance("PT5S");
  expect((await chargeOf(partner, first["id"]))["status"]).toBe("ERROR");
  const retry = {
    externalId: "retry-1",
    purpose: PURPOSE,
    originalScheduledPaymentId: first["id"],
    dueDate: "2026-11-26",
  };
  expect(await refusalOf(partner, id, retry)).toEqual(["originalScheduledPaymentId INVALID"]);
  await advanceTo(partner, "2026-11-24 23:59");
  expect(await refusalOf(partner, id, retry)).toEqual(["originalScheduledPaymentId INVALID"]);
  await advanceTo(partner, "2026-11-25 00:00");
  expect(await createCharge(partner, id, retry)).toMatchObject({ status: "PENDING", purpose: PURPOSE });
});

test("a charge that an act ended before its day is retried from that day on, not before", async () => {
  for (const outcome of ["ERROR", "INSUFFICIENT_BALANCE"]) {
    await using partner = await openPartner();
    const { id } = await acceptedSubscription(partner);
    const first = await createCharge(partner, id);
    await partner.advance("PT5S");
    await partner.act("scheduled-payment.fail", { id: first["id"], outcome });
    const retry = {
      externalId: "r",
      purpose: PURPOSE,
      originalScheduledPaymentId: first["id"],
      dueDate: "2026-11-27",
    };
    expect(await refusalOf(partner, id, retry)).toEqual(["originalScheduledPaymentId INVALID"]);
    await advanceTo(partner, "2026-11-25 09:00");
    expect((await createCharge(partner, id, retry))["status"]).toBe("PENDING");
  }
});

test("a charge that ran out of balance is retried on its day already", async () => {
  await using partner = await openPartner();
  await partner.sandbox.plan({
    plan: "scheduled-payment.settlement",
    outcomes: ["INSUFFICIENT_BALANCE", "INSUFFICIENT_BALANCE"],
  });
  const { id } = await acceptedSubscription(partner);
  const first = await createCharge(partner, id);
  await advanceTo(partner, "2026-11-25 21:00");
  const retry = {
    externalId: "r",
    purpose: PURPOSE,
    originalScheduledPaymentId: first["id"],
    dueDate: "2026-11-26",
  };
  expect((await putCharge(partner, id, { amount: first["amount"], ...retry })).status).toBe(200);
});

/** It was accepted and nothing was resent. */
test("a charge is not canceled for a settlement error before there was a settlement", async () => {
  await using partner = await openPartner();
  const { id: subscriptionId } = await acceptedSubscription(partner);
  const { id } = await createCharge(partner, subscriptionId);
  const body = { id, reason: "SETTLEMENT_ERROR" };
  const request = () => partner.ask("POST", "/sandbox/acts/scheduled-payment.request-cancellation", { body });
  for (const moment of ["2026-11-20 09:00", "2026-11-20 09:01", "2026-11-24 23:59"]) {
    await advanceTo(partner, moment);
    const refused = await request();
    expect(refused.status).toBe(409);
    expect(detail(refused, "act")["issue"]).toBe("ILLEGAL_ACT");
  }
  const other = { ...body, reason: "OTHER_REASONS" };
  await partner.act("scheduled-payment.request-cancellation", other);
});

test("after an attempt that found no funds a charge may be requested to be canceled for a settlement error", async () => {
  await using partner = await openPartner();
  await partner.sandbox.plan({ plan: "scheduled-payment.settlement", outcomes: ["INSUFFICIENT_BALANCE"] });
  const { id: subscriptionId } = await acceptedSubscription(partner);
  const { id } = await createCharge(partner, subscriptionId);
  await advanceTo(partner, "2026-11-25 00:06");
  await partner.act("scheduled-payment.request-cancellation", { id, reason: "SETTLEMENT_ERROR" });
  expect((await partner.webhooks()).at(-1)).toMatchObject({
    event: "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.PENDING",
    data: { cancellation: { reason: "SETTLEMENT_ERROR" } },
  });
});
