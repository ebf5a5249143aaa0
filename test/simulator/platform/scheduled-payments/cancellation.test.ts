import {
  acceptedSubscription,
  advanceTo,
  chargeEvents,
  chargeOf,
  charges,
  createCharge,
  planSettlement,
  putCharge,
  chargeBody,
  story,
} from "./charge.ts";
import { ACME_ACCOUNT, type Partner, openPartner, detail } from "../../../partner.ts";
import { expect, test } from "vitest";

const PAYER = { type: "CPF", number: "52998224725" };
const RECEIVER = { type: "CNPJ", number: "11222333000181" };
const CANCEL = "scheduled-payment.request-cancellation";

/** A charge of 25 November, scheduled. */
async function scheduledCharge(partner: Partner, changed: object = {}) {
  const subscription = await acceptedSubscription(partner);
  const charge = await createCharge(partner, subscription["id"], changed);
  await partner.advance("PT5S");
  return { subscriptionId: subscription["id"], id: charge["id"] };
}

test("a request is PENDING, then accepted: the events are exactly those in the tables of the platform API", async () => {
  await using partner = await openPartner();
  const { subscriptionId, id } = await scheduledCharge(partner);
  await partner.act(CANCEL, { id, reason: "REQUESTED_BY_RECEIVER" });
  await partner.advance("PT5S");
  const [, pending, accepted] = await chargeEvents(partner);
  const { endToEndId } = await chargeOf(partner, id);
  const data = {
    id,
    externalId: "charge-1",
    subscriptionId,
    status: "ACCEPTED",
    purpose: "FIRST_ATTEMPT",
    updatedAt: "2026-11-20T12:00:05.000Z",
  };
  const cancellation = {
    id: expect.any(String) as string,
    status: "PENDING",
    endToEndId,
    reason: "REQUESTED_BY_RECEIVER",
    canceledAt: null,
    customer: { document: RECEIVER },
  };
  expect(pending).toEqual({
    event: "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.PENDING",
    occurredAt: "2026-11-20T12:00:05.000Z",
    data: { ...data, cancellation },
  });
  expect(accepted).toEqual({
    event: "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED",
    occurredAt: "2026-11-20T12:00:10.000Z",
    data: {
      ...data,
      status: "CANCELED",
      updatedAt: "2026-11-20T12:00:10.000Z",
      cancellation: { ...cancellation, status: "ACCEPTED", canceledAt: "2026-11-20T12:00:10.000Z" },
    },
  });
  await advanceTo(partner, "2026-11-26 00:00");
  expect(await chargeEvents(partner)).toHaveLength(3);
});

test.each([
  [{ reason: "REQUESTED_BY_PAYER" }, PAYER],
  [{ reason: "REQUESTED_BY_RECEIVER" }, RECEIVER],
  [{ reason: "ACCOUNT_CLOSURE" }, PAYER],
  [{ reason: "ACCOUNT_BLOCKED", requestedBy: "receiver" }, RECEIVER],
  [{ reason: "AUTHORIZATION_CANCELED" }, PAYER],
  [{ reason: "OTHER_REASONS", requestedBy: "receiver" }, RECEIVER],
])("%j is passed to the company unchanged, with the requester", async (fields, document) => {
  await using partner = await openPartner();
  const { id } = await scheduledCharge(partner);
  await partner.act(CANCEL, { id, ...fields });
  await partner.advance("PT5S");
  const events = (await chargeEvents(partner)).slice(1);
  expect(events).toHaveLength(2);
  for (const { data } of events)
    expect(data).toMatchObject({ cancellation: { reason: fields.reason, customer: { document } } });
});

test.each([
  ["REQUESTED_BY_RECEIVER", "21:59:59", "CANCELED"],
  ["REQUESTED_BY_RECEIVER", "22:00:00", "CANCELED"],
  ["REQUESTED_BY_RECEIVER", "22:00:01", "COMPLETED"],
  ["REQUESTED_BY_PAYER", "22:00:01", "CANCELED"],
  ["REQUESTED_BY_PAYER", "23:58:00", "CANCELED"],
  ["REQUESTED_BY_PAYER", "23:59:59", "CANCELED"],
  ["ACCOUNT_CLOSURE", "23:59:59", "CANCELED"],
])("%s at %s of the day before leaves the charge %s", async (reason, time, status) => {
  await using partner = await openPartner();
  const { id } = await scheduledCharge(partner);
  await advanceTo(partner, `2026-11-24 ${time}`);
  await partner.act(CANCEL, { id, reason });
  await advanceTo(partner, "2026-11-25 21:00");
  expect(await chargeOf(partner, id)).toMatchObject({ status });
});

test("the payer is refused at 00:01 of the day: PENDING, then REJECTED, and the charge settles", async () => {
  await using partner = await openPartner();
  const { id } = await scheduledCharge(partner);
  await advanceTo(partner, "2026-11-25 00:01");
  await partner.act(CANCEL, { id, reason: "REQUESTED_BY_PAYER" });
  await advanceTo(partner, "2026-11-26 00:00");
  expect((await story(partner)).slice(1)).toEqual([
    "2026-11-25 00:01:00 CANCELLATION.PENDING ACCEPTED REQUESTED_BY_PAYER",
    "2026-11-25 00:01:05 CANCELLATION.REJECTED ACCEPTED REQUESTED_BY_PAYER",
    "2026-11-25 00:05:00 COMPLETED COMPLETED",
  ]);
});

test("the cut-off depends on the moved settlement date", async () => {
  await using partner = await openPartner();
  const { id: subscriptionId } = await acceptedSubscription(partner, { allowAdjustToBusinessDay: true });
  const { id } = await createCharge(partner, subscriptionId, { dueDate: "2026-11-28" });
  await advanceTo(partner, "2026-11-29 21:00");
  await partner.act(CANCEL, { id, reason: "REQUESTED_BY_RECEIVER" });
  await partner.advance("PT5S");
  expect(await chargeOf(partner, id)).toMatchObject({ status: "CANCELED" });
});

test("a request that is still PENDING when the charge settles is rejected, and its event has the status COMPLETED", async () => {
  await using partner = await openPartner({ assumptions: { "cancellation.delay": "PT10M" } });
  const { id } = await scheduledCharge(partner);
  await advanceTo(partner, "2026-11-24 23:58");
  await partner.act(CANCEL, { id, reason: "REQUESTED_BY_PAYER" });
  await advanceTo(partner, "2026-11-26 00:00");
  expect((await story(partner)).slice(1)).toEqual([
    "2026-11-24 23:58:00 CANCELLATION.PENDING ACCEPTED REQUESTED_BY_PAYER",
    "2026-11-25 00:05:00 COMPLETED COMPLETED",
    "2026-11-25 00:08:00 CANCELLATION.REJECTED COMPLETED REQUESTED_BY_PAYER",
  ]);
});

test("a request made in time is accepted after midnight, if the morning's attempt found too little money", async () => {
  await using partner = await openPartner({ assumptions: { "cancellation.delay": "PT10M" } });
  const { id } = await scheduledCharge(partner);
  await planSettlement(partner, id, ["INSUFFICIENT_BALANCE"]);
  await advanceTo(partner, "2026-11-24 23:58");
  await partner.act(CANCEL, { id, reason: "REQUESTED_BY_PAYER" });
  await advanceTo(partner, "2026-11-26 00:00");
  expect((await story(partner)).at(-1)).toBe(
    "2026-11-25 00:08:00 CANCELLATION.ACCEPTED CANCELED REQUESTED_BY_PAYER",
  );
});

test("a plan rejects a request, a second request has to wait for the first, and no act accepts a late one", async () => {
  await using partner = await openPartner({ assumptions: { "autopilot.cancellation.answer": "manual" } });
  const { id } = await scheduledCharge(partner);
  await partner.sandbox.plan({ plan: "cancellation.answer", on: String(id), outcomes: ["REJECTED"] });
  await partner.act(CANCEL, { id, reason: "REQUESTED_BY_PAYER" });
  await expect(partner.act(CANCEL, { id, reason: "REQUESTED_BY_PAYER" })).rejects.toThrow(/still PENDING/);
  await partner.advance("PT5S");
  const requests = async () =>
    (await partner.ask("GET", "/sandbox/resources/cancellations")).body["data"] as {
      id: string;
      status: string;
    }[];
  const [first] = await requests();
  if (first?.status === "PENDING") await partner.act("cancellation.reject", { id: first.id });
  await advanceTo(partner, "2026-11-25 00:01");
  await partner.act(CANCEL, { id, reason: "REQUESTED_BY_PAYER" });
  const late = (await requests()).at(-1)?.id;
  await expect(partner.act("cancellation.accept", { id: late })).rejects.toThrow(/can no longer be canceled/);
  await partner.act("cancellation.reject", { id: late });
  expect(await chargeOf(partner, id)).toMatchObject({ status: "ACCEPTED" });
});

test("a PENDING charge can be canceled, a final one cannot", async () => {
  await using partner = await openPartner();
  const { id: subscriptionId } = await acceptedSubscription(partner);
  const { id } = await createCharge(partner, subscriptionId);
  await partner.act(CANCEL, { id, reason: "REQUESTED_BY_RECEIVER" });
  await partner.advance("PT5S");
  expect(await chargeOf(partner, id)).toMatchObject({
    status: "CANCELED",
    cancellationReason: "REQUESTED_BY_RECEIVER",
  });
  await expect(partner.act(CANCEL, { id, reason: "REQUESTED_BY_RECEIVER" })).rejects.toThrow(
    /Possible acts: none/,
  );
});

/** It was accepted and nothing was resent. */
test("a charge is not canceled for a settlement error before there was a settlement", async () => {
  await using partner = await openPartner();
  const { id: subscriptionId } = await acceptedSubscription(partner);
  const { id } = await createCharge(partner, subscriptionId);
  const body = { id, reason: "SETTLEMENT_ERROR" };
  const request = () => partner.ask("POST", `/sandbox/acts/${CANCEL}`, { body });
  for (const moment of ["2026-11-20 09:00", "2026-11-20 09:01", "2026-11-24 23:59"]) {
    await advanceTo(partner, moment);
    const refused = await request();
    expect(refused.status).toBe(409);
    expect(detail(refused, "act")["issue"]).toBe("ILLEGAL_ACT");
  }
  const other = { ...body, reason: "OTHER_REASONS" };
  await partner.act(CANCEL, other);
});

test("after an attempt that found no funds a charge may be requested to be canceled for a settlement error", async () => {
  await using partner = await openPartner();
  await partner.sandbox.plan({ plan: "scheduled-payment.settlement", outcomes: ["INSUFFICIENT_BALANCE"] });
  const { id: subscriptionId } = await acceptedSubscription(partner);
  const { id } = await createCharge(partner, subscriptionId);
  await advanceTo(partner, "2026-11-25 00:06");
  await partner.act(CANCEL, { id, reason: "SETTLEMENT_ERROR" });
  expect((await partner.webhooks()).at(-1)).toMatchObject({
    event: "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.PENDING",
    data: { cancellation: { reason: "SETTLEMENT_ERROR" } },
  });
});

test("canceling a subscription cancels its open charges, whose ACCEPTED events follow its own", async () => {
  await using partner = await openPartner();
  const { subscriptionId, id } = await scheduledCharge(partner);
  await partner.act("subscription.request-cancellation", {
    id: subscriptionId,
    reason: "REQUESTED_BY_RECEIVER",
  });
  await partner.advance("PT5S");
  const names = (await partner.webhooks())
    .slice(2)
    .map(({ event, data }) => [event, (data as { status: string }).status]);
  expect(names).toEqual([
    ["SUBSCRIPTION.CANCELLATION.PENDING", "ACCEPTED"],
    ["SUBSCRIPTION.CANCELLATION.ACCEPTED", "CANCELED"],
    ["SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED", "CANCELED"],
  ]);
  expect((await chargeEvents(partner)).at(-1)).toMatchObject({
    data: {
      id,
      cancellation: {
        status: "ACCEPTED",
        reason: "AUTHORIZATION_CANCELED",
        canceledAt: "2026-11-20T12:00:10.000Z",
        customer: { document: RECEIVER },
      },
    },
  });
  await advanceTo(partner, "2026-11-26 00:00");
  expect(await chargeOf(partner, id)).toMatchObject({ status: "CANCELED" });
});

test("on the due date the charge of that day still runs, its resends included, and a later one does not", async () => {
  await using partner = await openPartner();
  const { id: subscriptionId } = await acceptedSubscription(partner, { frequencyType: "WEEKLY" });
  const today = await createCharge(partner, subscriptionId);
  const later = await createCharge(partner, subscriptionId, {
    externalId: "charge-2",
    dueDate: "2026-11-28",
  });
  await planSettlement(partner, today["id"], ["INSUFFICIENT_BALANCE", "SETTLEMENT_ERROR"]);
  await advanceTo(partner, "2026-11-25 00:04");
  await partner.act("subscription.request-cancellation", {
    id: subscriptionId,
    reason: "REQUESTED_BY_PAYER",
  });
  await advanceTo(partner, "2026-11-30 00:00");
  expect((await story(partner)).slice(2)).toEqual([
    "2026-11-25 00:04:05 CANCELLATION.ACCEPTED CANCELED AUTHORIZATION_CANCELED",
    "2026-11-25 18:05:00 CANCELLATION.ACCEPTED CANCELED SETTLEMENT_ERROR",
    "2026-11-25 18:35:05 ACCEPTED ACCEPTED",
    "2026-11-25 18:35:05 COMPLETED COMPLETED",
  ]);
  expect(await chargeOf(partner, later["id"])).toMatchObject({
    cancellationReason: "AUTHORIZATION_CANCELED",
  });
});

test("a request about a charge that was canceled with its subscription is rejected", async () => {
  await using partner = await openPartner();
  const { subscriptionId, id } = await scheduledCharge(partner);
  await partner.act("subscription.request-cancellation", {
    id: subscriptionId,
    reason: "REQUESTED_BY_PAYER",
  });
  await partner.act(CANCEL, { id, reason: "REQUESTED_BY_PAYER" });
  await partner.advance("PT1M");
  expect((await story(partner)).slice(1)).toEqual([
    "2026-11-20 09:00:05 CANCELLATION.PENDING ACCEPTED REQUESTED_BY_PAYER",
    "2026-11-20 09:00:10 CANCELLATION.ACCEPTED CANCELED AUTHORIZATION_CANCELED",
    "2026-11-20 09:00:10 CANCELLATION.REJECTED CANCELED REQUESTED_BY_PAYER",
  ]);
});

test.each([
  ["account.close", "ACCOUNT_CLOSURE"],
  ["account.deactivate", "ACCOUNT_BLOCKED"],
])("%s cancels the open charges of the account with %s, and its resends", async (act, reason) => {
  await using partner = await openPartner();
  const { subscriptionId, id } = await scheduledCharge(partner);
  const other = await acceptedSubscription(partner, { externalId: "subscription-2" });
  const resent = await createCharge(partner, other["id"], { externalId: "charge-2" });
  await planSettlement(partner, resent["id"], ["SETTLEMENT_ERROR"]);
  await planSettlement(partner, id, ["INSUFFICIENT_BALANCE"]);
  await advanceTo(partner, "2026-11-25 00:10");
  await partner.act(act, { id: ACME_ACCOUNT });
  await advanceTo(partner, "2026-11-27 00:00");
  expect(await chargeOf(partner, id)).toMatchObject({ status: "CANCELED", cancellationReason: reason });
  expect(await charges(partner)).toHaveLength(2);
  expect((await chargeEvents(partner)).at(-1)).toMatchObject({
    data: { cancellation: { reason, customer: { document: RECEIVER } } },
  });
  expect(
    (await putCharge(partner, subscriptionId, chargeBody({ externalId: "x", dueDate: "2026-12-01" }))).status,
  ).toBe(403);
});
