import type { AskedCharge } from "./rules.ts";
import type { Problems } from "../problems.ts";
import type { ScheduledPayment } from "./scheduled-payment.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { chargesOfCycle, isBeingResent, isOpen, scheduledPayments } from "./scheduled-payment.ts";
import { cycleOf } from "../../countries/brazil/cycles.ts";
import { daysBetween, localDate } from "../../countries/brazil/calendar.ts";
import { formatMoney, parseMoney } from "../../engine/money.ts";
import { settlementDateOf } from "./timetable.ts";

/** What a new attempt after the due date has to keep to (assumption: charge.retries). */
export function validateNewAttempt(tx: Transaction, asked: AskedCharge, problems: Problems): void {
  const { subscription, body } = asked;
  if (subscription.allowChargeAfterDueDate !== true) {
    problems.add(
      "purpose",
      "NOT_ALLOWED",
      "The subscription does not allow charges after the due date: allowChargeAfterDueDate is not true (IRNT).",
    );
    return;
  }
  const original = originalOf(tx, asked);
  problems.check("originalScheduledPaymentId", body.originalScheduledPaymentId, (id) =>
    originalProblem(tx, original, id),
  );
  if (original === undefined || !problems.isSound("originalScheduledPaymentId")) return;
  problems.check("amount.value", body.amount?.value, (value) =>
    parseMoney("BRL", value)?.minor === original.amount.minor
      ? undefined
      : `A new attempt charges the same amount as the first, ${formatMoney(original.amount)}; found ${value}.`,
  );
  const attempts = attemptsAfter(tx, original);
  const max = assumption(tx, "charge.retries-max");
  if (attempts.length >= max) {
    problems.add(
      "originalScheduledPaymentId",
      "TOO_MANY_ATTEMPTS",
      `A charge takes ${max} new attempts after its due date; ${original.id} has had ${attempts.length} (QUNT).`,
    );
  }
  problems.check(
    "dueDate",
    body.dueDate,
    (dueDate) => dayProblem(tx, { asked, original, attempts }, dueDate),
    "OUT_OF_WINDOW",
  );
}

function originalOf(tx: Transaction, { subscription, body }: AskedCharge): ScheduledPayment | undefined {
  if (typeof body.originalScheduledPaymentId !== "string") return undefined;
  const original = tx.get(scheduledPayments, body.originalScheduledPaymentId);
  return original?.subscriptionId === subscription.id ? original : undefined;
}

/** Why the charge cannot be retried: it has to be a first attempt whose outcome is final, and unpaid. */
function originalProblem(
  tx: Transaction,
  original: ScheduledPayment | undefined,
  id: string,
): string | undefined {
  if (original === undefined) return `The subscription has no charge "${id.slice(0, 64)}" (NITX).`;
  if (original.purpose !== "FIRST_ATTEMPT")
    return `A new attempt names the first attempt it retries; ${id} is a ${original.purpose} (NITX).`;
  const charges = chargesOfCycle(tx, original.subscriptionId, original.cycle);
  const live = charges.find((charge) => isOpen(charge) || isBeingResent(charge));
  if (live !== undefined) {
    const state = isBeingResent(live) ? "is being resent" : `is ${live.status}`;
    return `A new attempt follows once the one before is final; ${live.id} ${state} (NIEC).`;
  }
  const paid = charges.find(({ status }) => status === "COMPLETED");
  if (paid !== undefined) return `The charge ${paid.id} was paid: there is nothing to retry (NIPA).`;
  return isUnpaid(original)
    ? undefined
    : `Only a charge that was scheduled and not paid on its day can be retried; ${id} is ${original.status} (NITX).`;
}

/** Whether its own day, or that of its resends, went by without the money. */
function isUnpaid({ status, canceledFor }: ScheduledPayment): boolean {
  if (status === "CANCELED") return canceledFor === "SETTLEMENT_ERROR";
  return status === "CANCELED_INSUFFICIENT_BALANCE" || status === "ERROR";
}

/** The new attempts that were made so far; one that was never scheduled, or was taken back, is none. */
function attemptsAfter(tx: Transaction, original: ScheduledPayment): ScheduledPayment[] {
  return chargesOfCycle(tx, original.subscriptionId, original.cycle).filter(
    (charge) =>
      charge.purpose === "NEW_ATTEMPT_AFTER_DUE_DATE" &&
      charge.originalScheduledPaymentId === original.id &&
      (isOpen(charge) || isUnpaid(charge)),
  );
}

interface NewAttempt {
  readonly asked: AskedCharge;
  readonly original: ScheduledPayment;
  readonly attempts: readonly ScheduledPayment[];
}

function dayProblem(
  tx: Transaction,
  { asked: { subscription }, original, attempts }: NewAttempt,
  dueDate: string,
): string | undefined {
  const settlementDate = settlementDateOf(tx, subscription, dueDate);
  const found = settlementDate === dueDate ? dueDate : `${dueDate}, which settles on ${settlementDate}`;
  const today = localDate(tx.now);
  if (settlementDate <= today)
    return `A new attempt must settle after today in Brasília, ${today}; found ${found}.`;
  const days = daysBetween(original.settlementDate, settlementDate);
  const max = assumption(tx, "charge.retry-days-max");
  if (days < 1 || days > max)
    return `A new attempt must settle 1 to ${max} days after the first, ${original.settlementDate}; found ${found} (DTNT).`;
  const cycle = cycleOf(subscription.startDate, subscription.frequencyType, original.dueDate);
  if (cycle !== undefined && settlementDate > cycle.end)
    return `A new attempt must settle before the next cycle, which begins after ${cycle.end}; found ${found} (DTED).`;
  const same = attempts.find((attempt) => attempt.settlementDate === settlementDate);
  if (same !== undefined)
    return `Each new attempt needs a day of its own; ${same.id} settled on ${settlementDate} already. Choose another day.`;
  return undefined;
}
