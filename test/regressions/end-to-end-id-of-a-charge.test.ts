import {
  acceptedSubscription,
  advanceTo,
  chargeOf,
  charges,
  createCharge,
  planSettlement,
} from "../simulator/platform/scheduled-payments/charge.ts";
import { expect, test } from "vitest";
import { openPartner } from "../partner.ts";

/** The id carried the minute in which the charge was written, days before its payment: the scheme allows half a day. */
function minuteOf(charge: object): string {
  const { endToEndId } = charge as { endToEndId: string };
  return endToEndId.slice("E12345678".length, "E12345678202611250305".length);
}

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
