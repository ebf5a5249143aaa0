import {
  acceptedSubscription,
  advanceTo,
  chargeEvents,
  chargeOf,
  charges,
  createCharge,
  planSettlement,
  refusalOf,
  story,
} from "./charge.ts";
import { expect, test } from "vitest";
import { openPartner } from "../../../partner.ts";
import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";

const ACCEPTED = "2026-11-20 09:00:05 ACCEPTED ACCEPTED";
const broken = (at: string) => `2026-11-25 ${at} CANCELLATION.ACCEPTED CANCELED SETTLEMENT_ERROR`;
const scheduled = (at: string) => `2026-11-25 ${at} ACCEPTED ACCEPTED`;

test("a settlement error sends only the ACCEPTED event of the cancellation, exactly as in the tables of the platform API", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const charge = await createCharge(partner, id);
  await planSettlement(partner, charge["id"], ["SETTLEMENT_ERROR"]);
  await advanceTo(partner, "2026-11-25 00:05");
  const events = await chargeEvents(partner);
  expect(events).toHaveLength(2);
  expect(events[1]).toEqual({
    event: "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED",
    occurredAt: "2026-11-25T03:05:00.000Z",
    data: {
      id: charge["id"],
      externalId: "charge-1",
      subscriptionId: id,
      status: "CANCELED",
      purpose: "FIRST_ATTEMPT",
      updatedAt: "2026-11-25T03:05:00.000Z",
      cancellation: {
        id: expect.any(String) as string,
        status: "ACCEPTED",
        endToEndId: (await chargeOf(partner, charge["id"]))["endToEndId"],
        reason: "SETTLEMENT_ERROR",
        canceledAt: "2026-11-25T03:05:00.000Z",
        customer: { document: { type: "CPF", number: "52998224725" } },
      },
    },
  });
});

test("three resends follow one another until one settles, each naming the one before and the root", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const root = await createCharge(partner, id);
  await planSettlement(partner, root["id"], ["SETTLEMENT_ERROR", "SETTLEMENT_ERROR", "SETTLEMENT_ERROR"]);
  await advanceTo(partner, "2026-11-26 00:00");
  expect(await story(partner)).toEqual([
    ACCEPTED,
    broken("00:05:00"),
    scheduled("00:35:05"),
    broken("00:35:05"),
    scheduled("01:05:10"),
    broken("01:05:10"),
    scheduled("01:35:15"),
    "2026-11-25 01:35:15 COMPLETED COMPLETED",
  ]);
  const all = await charges(partner);
  expect(new Set(all.map((charge) => charge["externalId"])).size).toBe(4);
  expect(new Set(all.map((charge) => charge["endToEndId"])).size).toBe(4);
  for (const [index, resend] of all.slice(1).entries()) {
    expect(resend).toMatchObject({
      subscriptionId: id,
      purpose: "RESEND_DUE_TO_SETTLEMENT_ERROR",
      originalScheduledPaymentId: all[index]?.["id"],
      settlementErrorRetryRootId: root["id"],
      settlementErrorRetryAttempt: index + 1,
      amount: { currency: "BRL", value: "59.90" },
      dueDate: "2026-11-25",
    });
  }
  const completed = (await chargeEvents(partner)).at(-1)?.["data"] as SandboxObject;
  expect(completed).toMatchObject({ settlementErrorRetryRootId: root["id"], settlementErrorRetryAttempt: 3 });
});

test("there is no fourth resend: the third stays canceled", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const root = await createCharge(partner, id);
  await planSettlement(
    partner,
    root["id"],
    Array.from({ length: 9 }, () => "SETTLEMENT_ERROR"),
  );
  await advanceTo(partner, "2026-11-27 00:00");
  expect((await charges(partner)).map(({ status }) => status)).toEqual(
    Array.from({ length: 4 }, () => "CANCELED"),
  );
  expect((await story(partner)).at(-1)).toBe(broken("01:35:15"));
});

test("a resend that meets insufficient funds waits for the evening window like any charge", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const root = await createCharge(partner, id);
  await planSettlement(partner, root["id"], ["SETTLEMENT_ERROR", "INSUFFICIENT_BALANCE", "SETTLEMENT_ERROR"]);
  await advanceTo(partner, "2026-11-26 00:00");
  expect(await story(partner)).toEqual([
    ACCEPTED,
    broken("00:05:00"),
    scheduled("00:35:05"),
    broken("18:05:00"),
    scheduled("18:35:05"),
    "2026-11-25 18:35:05 COMPLETED COMPLETED",
  ]);
});

test("a resend settles immediately between the windows too", async () => {
  await using partner = await openPartner({ assumptions: { "charge.resend-delay": "PT10H" } });
  const { id } = await acceptedSubscription(partner);
  const root = await createCharge(partner, id);
  await planSettlement(partner, root["id"], ["SETTLEMENT_ERROR"]);
  await advanceTo(partner, "2026-11-26 00:00");
  expect((await story(partner)).slice(2)).toEqual([
    scheduled("10:05:05"),
    "2026-11-25 10:05:05 COMPLETED COMPLETED",
  ]);
});

test.each([
  ["PT2H54M59S", 2],
  ["PT2H55M", 1],
  ["PT3H", 1],
])(
  "after an error at 18:05 a delay of %s leaves %i charges: none is created at or after 21:00",
  async (delay, count) => {
    await using partner = await openPartner({ assumptions: { "charge.resend-delay": delay } });
    const { id } = await acceptedSubscription(partner);
    const root = await createCharge(partner, id);
    await planSettlement(partner, root["id"], ["INSUFFICIENT_BALANCE", "SETTLEMENT_ERROR"]);
    await advanceTo(partner, "2026-11-27 00:00");
    const all = await charges(partner);
    expect(all).toHaveLength(count);
    expect(all[0]).toMatchObject({ status: "CANCELED", cancellationReason: "SETTLEMENT_ERROR" });
  },
);

test("a resend that could not be scheduled before 21:00 ends in ERROR: nothing settles after 21:00", async () => {
  await using partner = await openPartner({ assumptions: { "charge.resend-delay": "PT2H54M58S" } });
  const { id } = await acceptedSubscription(partner);
  const root = await createCharge(partner, id);
  await planSettlement(partner, root["id"], ["INSUFFICIENT_BALANCE", "SETTLEMENT_ERROR"]);
  await advanceTo(partner, "2026-11-27 00:00");
  expect((await story(partner)).slice(1)).toEqual([broken("18:05:00"), "2026-11-25 21:00:00 ERROR ERROR"]);
});

test("while a chain is being resent its cycle is used; after it ends without success, the cycle is free", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const root = await createCharge(partner, id);
  await planSettlement(
    partner,
    root["id"],
    Array.from({ length: 4 }, () => "SETTLEMENT_ERROR"),
  );
  await advanceTo(partner, "2026-11-25 00:20");
  const next = { externalId: "charge-2", dueDate: "2026-12-02" };
  expect(await refusalOf(partner, id, next)).toEqual(["dueDate CYCLE_TAKEN"]);
  await advanceTo(partner, "2026-11-25 12:00");
  expect(await createCharge(partner, id, next)).toMatchObject({ status: "PENDING" });
});

test("a plan for the charge that the partner created applies to its resends, even if made later", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const root = await createCharge(partner, id);
  await planSettlement(partner, root["id"], ["SETTLEMENT_ERROR", "SETTLEMENT_ERROR"]);
  await advanceTo(partner, "2026-11-25 00:40");
  await planSettlement(partner, root["id"], ["ERROR"]);
  await advanceTo(partner, "2026-11-26 00:00");
  expect((await story(partner)).at(-1)).toBe("2026-11-25 01:05:10 ERROR ERROR");
});

test("with the manual autopilot a settlement error before the due day is resent on that day", async () => {
  await using partner = await openPartner();
  const { id } = await acceptedSubscription(partner);
  const root = await createCharge(partner, id);
  await partner.advance("PT5S");
  await partner.act("scheduled-payment.fail", { id: root["id"], outcome: "SETTLEMENT_ERROR" });
  await advanceTo(partner, "2026-11-26 00:00");
  const [, resend] = await charges(partner);
  expect(resend).toMatchObject({ createdAt: "2026-11-25T03:05:00.000Z", status: "COMPLETED" });
});
