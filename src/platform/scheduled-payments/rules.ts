import type { CreateScheduledPaymentRequest } from "../../api/generated/shapes.ts";
import type { Problems } from "../problems.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { chargesOfCycle, isBeingResent, isOpen, scheduledPayments } from "./scheduled-payment.ts";
import { compositeKey } from "../../engine/collection.ts";
import { cycleOf } from "../../countries/brazil/cycles.ts";
import { daysBetween, localDate } from "../../countries/brazil/calendar.ts";
import { finalInstant, settlementDateOf } from "./timetable.ts";
import { formatMoney, parseMoney } from "../../engine/money.ts";
import { validateNewAttempt } from "./new-attempt.ts";
import { validateReais } from "../field-rules.ts";

/** A charge that is asked for. Where `problems` names a field of the body, that field cannot be trusted. */
export interface AskedCharge {
  readonly subscription: Subscription;
  readonly body: CreateScheduledPaymentRequest;
}

/** What the schema cannot say about a new charge (assumptions: charge.*). */
export function validateCharge(tx: Transaction, asked: AskedCharge, problems: Problems): void {
  const { body } = asked;
  validateSubscription(tx, asked, problems);
  validateExternalId(tx, asked, problems);
  validateAmount(asked, problems);
  validateTerm(tx, asked, problems);
  if (!problems.isSound("purpose")) return;
  if (body?.purpose === "NEW_ATTEMPT_AFTER_DUE_DATE") validateNewAttempt(tx, asked, problems);
  else validateFirstAttempt(tx, asked, problems);
}

function validateSubscription(tx: Transaction, { subscription }: AskedCharge, problems: Problems): void {
  const { id, status, type } = subscription;
  if (status !== "ACCEPTED") {
    problems.add(
      "id",
      "SUBSCRIPTION_NOT_ACCEPTED",
      `Only an ACCEPTED subscription can be charged; the subscription ${id} is ${status}.`,
    );
  } else if (type !== "AUTHORIZATION_QRCODE" && !assumption(tx, "charge.journey-3")) {
    problems.add("id", "NOT_ALLOWED", `A subscription of type ${type} takes no charges of its own.`);
  }
}

function validateExternalId(tx: Transaction, { subscription, body }: AskedCharge, problems: Problems): void {
  problems.check(
    "externalId",
    body?.externalId,
    (externalId) => {
      const others = tx.find(
        scheduledPayments,
        "externalId",
        compositeKey(subscription.companyId, externalId),
      );
      const taken = assumption(tx, "charge.external-id-unique")
        ? others.length > 0
        : others.some(({ subscriptionId }) => subscriptionId === subscription.id);
      return taken
        ? `The external id "${externalId}" names another charge already. Use a new one, or send the same body again.`
        : undefined;
    },
    "ALREADY_EXISTS",
  );
}

function validateAmount({ subscription, body }: AskedCharge, problems: Problems): void {
  validateReais(problems, "amount", body?.amount);
  const fixed = subscription.fixedAmount;
  problems.check("amount.value", body?.amount?.value, (value) =>
    fixed === null || parseMoney("BRL", value)?.minor === fixed.minor
      ? undefined
      : `The amount must be the fixedAmount of the subscription, ${formatMoney(fixed)}; found ${value}.`,
  );
}

/** The due date within the subscription's own term. */
function validateTerm(tx: Transaction, { subscription, body }: AskedCharge, problems: Problems): void {
  const { startDate, endDate } = subscription;
  problems.check("dueDate", body?.dueDate, (dueDate) => {
    if (dueDate < startDate)
      return `The due date must not be before the subscription starts, ${startDate}; found ${dueDate}.`;
    if (endDate !== null && dueDate > endDate)
      return `The due date must not be after the subscription ends, ${endDate}; found ${dueDate}.`;
    const today = localDate(tx.now);
    if (dueDate < today)
      return `The due date must not be before today in Brasília, ${today}; found ${dueDate}.`;
    return undefined;
  });
}

function validateFirstAttempt(tx: Transaction, asked: AskedCharge, problems: Problems): void {
  const { body, subscription } = asked;
  if (isGiven(body?.originalScheduledPaymentId) && problems.isSound("originalScheduledPaymentId")) {
    problems.add(
      "originalScheduledPaymentId",
      "NOT_ALLOWED",
      "originalScheduledPaymentId belongs to NEW_ATTEMPT_AFTER_DUE_DATE. Leave it out, or give that purpose.",
    );
  }
  problems.check("dueDate", body?.dueDate, (dueDate) => windowProblem(tx, asked, dueDate), "OUT_OF_WINDOW");
  problems.check(
    "dueDate",
    body?.dueDate,
    (dueDate) => {
      const cycle = cycleOf(subscription.startDate, subscription.frequencyType, dueDate);
      const charge = chargesOfCycle(tx, subscription.id, cycle?.index ?? 0).find(takesCycle);
      if (charge === undefined) return undefined;
      const isRetryable =
        subscription.allowChargeAfterDueDate === true &&
        (charge.status === "CANCELED_INSUFFICIENT_BALANCE" || charge.status === "ERROR");
      const then = isRetryable
        ? "Retry it with NEW_ATTEMPT_AFTER_DUE_DATE"
        : "Choose a date in another cycle";
      return `The cycle from ${cycle?.start} to ${cycle?.end} has the charge ${charge.id} already, which is ${isBeingResent(charge) ? "being resent" : charge.status}. ${then}.`;
    },
    "CYCLE_TAKEN",
  );
}

/** The days between today and the settlement date, on the calendar of Brasília (assumption: charge.window). */
function windowProblem(tx: Transaction, { subscription }: AskedCharge, dueDate: string): string | undefined {
  const today = localDate(tx.now);
  const settlementDate = settlementDateOf(tx, subscription, dueDate);
  const days = daysBetween(today, settlementDate);
  const [min, max] = [assumption(tx, "charge.window-min-days"), assumption(tx, "charge.window-max-days")];
  if (days >= min && days <= max && tx.now < finalInstant(tx, settlementDate)) return undefined;
  const moved = settlementDate === dueDate ? "" : `, which settles on ${settlementDate}`;
  return `A first attempt must settle ${min} to ${max} days after today in Brasília, ${today}; found ${dueDate}${moved}.`;
}

/** Whether a charge leaves no room for another first attempt in its cycle (assumption: charge.per-cycle). */
function takesCycle(payment: Parameters<typeof isOpen>[0]): boolean {
  return (payment.status !== "REJECTED" && payment.status !== "CANCELED") || isBeingResent(payment);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
