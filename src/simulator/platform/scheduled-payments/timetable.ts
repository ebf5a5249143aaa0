import type { Records } from "../../engine/store.ts";
import type { Cancellation } from "../cancellations/cancellation.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import type { Transaction } from "../../engine/transaction.ts";
import {
  type CalendarDate,
  addDays,
  instantAt,
  localDate,
  localTime,
  nextWeekday,
} from "../../countries/brazil/calendar.ts";
import { type Instant } from "../../engine/instant.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { nextBankBusinessDay } from "../../countries/brazil/bank-days.ts";
import { type ScheduledPayment, settlement } from "./scheduled-payment.ts";

/** The end of the first settlement window of the scheme. The second window ends when the day is final. */
const FIRST_WINDOW_UNTIL = "08:00";

/** The day a scheduled payment is paid (interface: allowAdjustToBusinessDay; assumption: charge.business-days). */
export function settlementDateOf(
  tx: Records,
  { allowAdjustToBusinessDay }: Subscription,
  dueDate: CalendarDate,
): CalendarDate {
  if (allowAdjustToBusinessDay !== true) return dueDate;
  return assumption(tx, "charge.business-days") === "weekends"
    ? nextWeekday(dueDate)
    : nextBankBusinessDay(dueDate);
}

/** Returns the time from which a scheduled payment of a settlement date is final (assumption: charge.final-at). */
export function finalInstant(tx: Records, settlementDate: CalendarDate): Instant {
  return instantAt(settlementDate, assumption(tx, "charge.final-at"));
}

/**
 * Returns the time of the first settlement of a payment that is accepted now: in the open window or the next one. In
 * the mode `immediate` that is now.
 */
export function firstAttemptAt(
  tx: Transaction,
  { settlementDate, purpose }: Pick<ScheduledPayment, "settlementDate" | "purpose">,
): Instant {
  if (settlement.mode(tx) === "immediate") return tx.now;
  const windows = windowsOf(tx, settlementDate);
  if (purpose === "RESEND_DUE_TO_SETTLEMENT_ERROR") return Math.max(tx.now, windows[0]?.at ?? tx.now);
  const window = windows.find(({ until }) => tx.now < until);
  return Math.max(tx.now, window?.at ?? tx.now);
}

/**
 * Returns the time of the next try of a scheduled payment that an attempt left unpaid. Undefined if its day has no
 * window left.
 */
export function nextAttemptAt(tx: Transaction, { settlementDate }: ScheduledPayment): Instant | undefined {
  return windowsOf(tx, settlementDate).find(({ at }) => at > tx.now)?.at;
}

/** Whether there was an attempt to settle the scheduled payment, or the one it resends, by now. */
export function wasTried(tx: Transaction, payment: ScheduledPayment): boolean {
  if (payment.purpose === "RESEND_DUE_TO_SETTLEMENT_ERROR") return true;
  if (payment.status !== "ACCEPTED") return false;
  if (settlement.mode(tx) === "immediate") return true;
  const [first] = windowsOf(tx, payment.settlementDate);
  return first !== undefined && tx.now >= first.at;
}

/** Whether a cancellation was requested early enough (assumption: charge.cancellation-cutoffs). */
export function isInTime(
  tx: Records,
  { settlementDate }: ScheduledPayment,
  { createdAt, requestedBy }: Pick<Cancellation, "createdAt" | "requestedBy">,
): boolean {
  const requested = localDate(createdAt);
  const lastDay = addDays(settlementDate, -1);
  if (requested !== lastDay) return requested < lastDay;
  const cutoff = assumption(
    tx,
    requestedBy === "receiver" ? "charge.receiver-cutoff" : "charge.payer-cutoff",
  );
  return localTime(createdAt) <= cutoff.padEnd("HH:mm:ss".length, ":00");
}

interface SettlementWindow {
  readonly at: Instant;
  readonly until: Instant;
}

/** The windows of a day, earliest first (assumption: charge.settlement-windows). */
export function windowsOf(tx: Records, date: CalendarDate): SettlementWindow[] {
  const final = finalInstant(tx, date);
  return [
    {
      at: instantAt(date, assumption(tx, "charge.first-attempt-at")),
      until: instantAt(date, FIRST_WINDOW_UNTIL),
    },
    { at: instantAt(date, assumption(tx, "charge.second-attempt-at")), until: final },
  ]
    .filter(({ at }) => at < final)
    .sort((left, right) => left.at - right.at);
}
