import type { CreateScheduledPaymentRequest } from "../../api/generated/shapes.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assumption } from "../assumptions/assumptions.ts";
import {
  type ScheduledPayment,
  scheduledPaymentsOfCycle,
  isBeingResent,
  isOpen,
  scheduledPayments,
} from "./scheduled-payment.ts";
import { compositeKey } from "../../engine/collection.ts";
import { cycleOf } from "../../countries/brazil/cycles.ts";
import { daysBetween, localDate } from "../../countries/brazil/calendar.ts";
import { finalInstant, settlementDateOf } from "./timetable.ts";
import { formatMoney, parseMoney } from "../../engine/money.ts";
import { type Problems, validateReais } from "../problems.ts";

/** A requested scheduled payment. If `problems` names a field of the body, that field cannot be trusted. */
interface RequestedPayment {
  readonly subscription: Subscription;
  readonly body: CreateScheduledPaymentRequest;
}

/** Checks the rules of a new scheduled payment that the schema cannot state (assumptions: charge.*). */
export function validateScheduledPayment(
  tx: Transaction,
  requested: RequestedPayment,
  problems: Problems,
): void {
  const { body } = requested;
  validateSubscription(tx, requested, problems);
  validateExternalId(tx, requested, problems);
  validateAmount(tx, requested, problems);
  validateTerm(tx, requested, problems);
  if (!problems.isSound("purpose")) return;
  if (body?.purpose === "NEW_ATTEMPT_AFTER_DUE_DATE") validateNewAttempt(tx, requested, problems);
  else validateFirstAttempt(tx, requested, problems);
}

function validateSubscription(tx: Transaction, { subscription }: RequestedPayment, problems: Problems): void {
  const { id, status, type } = subscription;
  if (status !== "ACCEPTED") {
    const description = `Only an ACCEPTED subscription can be charged; the subscription ${id} is ${status}.`;
    problems.add("id", "SUBSCRIPTION_NOT_ACCEPTED", description);
  } else if (type !== "AUTHORIZATION_QRCODE" && !assumption(tx, "charge.journey-3")) {
    problems.add("id", "NOT_ALLOWED", `A subscription of type ${type} takes no charges of its own.`);
  }
}

function validateExternalId(
  tx: Transaction,
  { subscription, body }: RequestedPayment,
  problems: Problems,
): void {
  problems.checkFor("ALREADY_EXISTS", "externalId", body?.externalId, (externalId) => {
    const key = compositeKey(subscription.companyId, externalId);
    const others = tx.find(scheduledPayments, "externalId", key);
    const taken = assumption(tx, "charge.external-id-unique")
      ? others.length > 0
      : others.some(({ subscriptionId }) => subscriptionId === subscription.id);
    return taken
      ? `The external id "${externalId}" names another charge already. Use a new one, or send the same body again.`
      : undefined;
  });
}

function validateAmount(tx: Transaction, { subscription, body }: RequestedPayment, problems: Problems): void {
  validateReais(problems, "amount", body?.amount);
  const fixed = subscription.fixedAmount;
  if (fixed !== null && assumption(tx, "charge.amount") === "accept-then-reject") return;
  problems.check("amount.value", body?.amount?.value, (value) =>
    fixed === null || parseMoney("BRL", value)?.minor === fixed.minor
      ? undefined
      : `The amount must be the fixedAmount of the subscription, ${formatMoney(fixed)}; found ${value}.`,
  );
}

/** The due date must be within the term of the subscription, and not in the past. */
function validateTerm(tx: Transaction, { subscription, body }: RequestedPayment, problems: Problems): void {
  const { startDate, endDate } = subscription;
  problems.check("dueDate", body?.dueDate, (dueDate) => {
    if (dueDate < startDate)
      return `The due date must not be before the subscription starts, ${startDate}; found ${dueDate}.`;
    const isOver = endDate !== null && dueDate > endDate;
    if (isOver && assumption(tx, "subscription.after-end-date") === "refuse")
      return `The due date must not be after the subscription ends, ${endDate}; found ${dueDate}.`;
    const today = localDate(tx.now);
    if (dueDate < today)
      return `The due date must not be before today in Brasília, ${today}; found ${dueDate}.`;
    return undefined;
  });
}

function validateFirstAttempt(tx: Transaction, requested: RequestedPayment, problems: Problems): void {
  const { body, subscription } = requested;
  if (isGiven(body?.originalScheduledPaymentId) && problems.isSound("originalScheduledPaymentId")) {
    const description =
      "originalScheduledPaymentId belongs to NEW_ATTEMPT_AFTER_DUE_DATE. Leave it out, or give that purpose.";
    problems.add("originalScheduledPaymentId", "NOT_ALLOWED", description);
  }
  problems.checkFor("OUT_OF_WINDOW", "dueDate", body?.dueDate, (dueDate) =>
    windowProblem(tx, requested, dueDate),
  );
  problems.checkFor("CYCLE_TAKEN", "dueDate", body?.dueDate, (dueDate) => {
    const cycle = cycleOf(subscription.startDate, subscription.frequencyType, dueDate);
    const payment = scheduledPaymentsOfCycle(tx, subscription.id, cycle?.index ?? 0).find(takesCycle);
    if (payment === undefined || assumption(tx, "charge.per-cycle") === "any") return undefined;
    const isRetryable =
      subscription.allowChargeAfterDueDate === true &&
      (payment.status === "CANCELED_INSUFFICIENT_BALANCE" || payment.status === "ERROR");
    const then = isRetryable ? "Retry it with NEW_ATTEMPT_AFTER_DUE_DATE" : "Choose a date in another cycle";
    return `The cycle from ${cycle?.start} to ${cycle?.end} has the charge ${payment.id} already, which is ${isBeingResent(payment) ? "being resent" : payment.status}. ${then}.`;
  });
}

/** The days between today and the settlement date, on the calendar of Brasília (assumption: charge.window). */
function windowProblem(
  tx: Transaction,
  { subscription }: RequestedPayment,
  dueDate: string,
): string | undefined {
  const today = localDate(tx.now);
  const settlementDate = settlementDateOf(tx, subscription, dueDate);
  const days = daysBetween(today, settlementDate);
  const [min, max] = [assumption(tx, "charge.window-min-days"), assumption(tx, "charge.window-max-days")];
  if (days >= min && days <= max && tx.now < finalInstant(tx, settlementDate)) return undefined;
  const moved = settlementDate === dueDate ? "" : `, which settles on ${settlementDate}`;
  return `A first attempt must settle ${min} to ${max} days after today in Brasília, ${today}; found ${dueDate}${moved}.`;
}

/** Whether the cycle of a scheduled payment allows no other first attempt (assumption: charge.per-cycle). */
function takesCycle(payment: ScheduledPayment): boolean {
  return (payment.status !== "REJECTED" && payment.status !== "CANCELED") || isBeingResent(payment);
}

/** The rules of a new attempt after the due date (assumption: charge.retries). */
function validateNewAttempt(tx: Transaction, requested: RequestedPayment, problems: Problems): void {
  const { subscription, body } = requested;
  if (subscription.allowChargeAfterDueDate !== true) {
    const description =
      "The subscription does not allow charges after the due date: allowChargeAfterDueDate is not true (IRNT).";
    problems.add("purpose", "NOT_ALLOWED", description);
    return;
  }
  const original = originalOf(tx, requested);
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
    const description = `A charge takes ${max} new attempts after its due date; ${original.id} has had ${attempts.length} (QUNT).`;
    problems.add("originalScheduledPaymentId", "TOO_MANY_ATTEMPTS", description);
  }
  problems.checkFor("OUT_OF_WINDOW", "dueDate", body.dueDate, (dueDate) =>
    dayProblem(tx, subscription, original, attempts, dueDate),
  );
}

function originalOf(tx: Transaction, { subscription, body }: RequestedPayment): ScheduledPayment | undefined {
  if (typeof body.originalScheduledPaymentId !== "string") return undefined;
  const original = tx.get(scheduledPayments, body.originalScheduledPaymentId);
  return original?.subscriptionId === subscription.id ? original : undefined;
}

/** Returns the reason why a scheduled payment allows no new attempt. Only a final, unpaid first attempt allows one. */
function originalProblem(
  tx: Transaction,
  original: ScheduledPayment | undefined,
  id: string,
): string | undefined {
  if (original === undefined) return `The subscription has no charge "${id.slice(0, 64)}" (NITX).`;
  if (original.purpose !== "FIRST_ATTEMPT")
    return `A new attempt names the first attempt it retries; ${id} is a ${original.purpose} (NITX).`;
  const today = localDate(tx.now);
  if (today < original.settlementDate)
    return `A new attempt follows the day on which the charge was to be settled; ${id} settles on ${original.settlementDate}, and today in Brasília is ${today} (DTNT).`;
  const payments = scheduledPaymentsOfCycle(tx, original.subscriptionId, original.cycle);
  const unfinished = payments.find((payment) => isOpen(payment) || isBeingResent(payment));
  if (unfinished !== undefined) {
    const state = isBeingResent(unfinished) ? "is being resent" : `is ${unfinished.status}`;
    return `A new attempt follows once the one before is final; ${unfinished.id} ${state} (NIEC).`;
  }
  const paid = payments.find(({ status }) => status === "COMPLETED");
  if (paid !== undefined) return `The charge ${paid.id} was paid: there is nothing to retry (NIPA).`;
  return isUnpaid(original)
    ? undefined
    : `Only a charge that ended unpaid can be retried: CANCELED_INSUFFICIENT_BALANCE, ERROR, or CANCELED after a settlement error; ${id} is ${original.status} (NITX).`;
}

/** Whether its settlement date, or that of its resends, ended without the money. */
function isUnpaid({ status, canceledFor }: ScheduledPayment): boolean {
  if (status === "CANCELED") return canceledFor === "SETTLEMENT_ERROR";
  return status === "CANCELED_INSUFFICIENT_BALANCE" || status === "ERROR";
}

/** Returns the new attempts so far. An attempt that was never scheduled or was canceled does not count. */
function attemptsAfter(tx: Transaction, original: ScheduledPayment): ScheduledPayment[] {
  return scheduledPaymentsOfCycle(tx, original.subscriptionId, original.cycle).filter(
    (payment) =>
      payment.purpose === "NEW_ATTEMPT_AFTER_DUE_DATE" &&
      payment.originalScheduledPaymentId === original.id &&
      (isOpen(payment) || isUnpaid(payment)),
  );
}

function dayProblem(
  tx: Transaction,
  subscription: Subscription,
  original: ScheduledPayment,
  attempts: readonly ScheduledPayment[],
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

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
