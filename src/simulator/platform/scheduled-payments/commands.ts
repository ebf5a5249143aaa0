import type { Account } from "../accounts/account.ts";
import type { Cancellation } from "../cancellations/cancellation.ts";
import type { Instant } from "../../engine/instant.ts";
import type { ScheduledPaymentCancellationReason } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { canTake } from "../../engine/lifecycle.ts";
import { isInTime } from "./timetable.ts";
import { imposeCancellation } from "../cancellations/commands.ts";
import {
  type ScheduledPayment,
  isBeingResent,
  scheduledPaymentLifecycle,
  scheduledPaymentOf,
  scheduledPayments,
} from "./scheduled-payment.ts";
import { localDate } from "../../countries/brazil/calendar.ts";
import { type Subscription, subscriptions } from "../subscriptions/subscription.ts";
import { scheduledPaymentStates } from "./states.ts";

/** A cancellation that needs no consent. */
interface ImposedCancellation extends Pick<Cancellation, "requestedBy" | "customer"> {
  readonly reason: ScheduledPaymentCancellationReason;
  /** `break` is a settlement error; everything else is `cancel`. */
  readonly action: "cancel" | "break";
  /** The time at which the platform resends the scheduled payment. Default: never. */
  readonly resendAt?: Instant | null;
}

/** Whether a request can still cancel a scheduled payment (assumption: charge.cancellation-cutoffs). */
export function isScheduledPaymentCancellable(tx: Transaction, cancellation: Cancellation): boolean {
  const payment = scheduledPaymentOf(tx, cancellation.subjectId);
  return canTake(scheduledPaymentLifecycle, payment, "cancel") && isInTime(tx, payment, cancellation);
}

/** Cancels the scheduled payment that an accepted request is about; the caller accepts the request. */
export function cancelScheduledPayment(tx: Transaction, { subjectId, reason }: Cancellation): void {
  const canceledFor = reason as ScheduledPaymentCancellationReason;
  scheduledPaymentStates.take(tx, scheduledPaymentOf(tx, subjectId), "cancel", { canceledFor });
}

/** Cancels a scheduled payment with the one event ACCEPTED (assumption: charge.imposed-cancellations). */
export function cancelOutright(
  tx: Transaction,
  payment: ScheduledPayment,
  { reason, action, requestedBy, customer, resendAt = null }: ImposedCancellation,
): void {
  const { companyId, id: subjectId } = payment;
  const subject = "scheduled-payment";
  imposeCancellation(tx, { companyId, subject, subjectId, reason, requestedBy, customer }, () => {
    scheduledPaymentStates.take(tx, payment, action, { canceledFor: reason, resendAt });
  });
}

/** Cancels the open scheduled payments of a canceled subscription (assumption: subscription.cancellable-in). */
export function cancelScheduledPaymentsOfSubscription(
  tx: Transaction,
  subscription: Subscription,
  { requestedBy, customer }: Cancellation,
): void {
  const today = localDate(tx.now);
  for (const payment of tx.find(scheduledPayments, "open", subscription.id)) {
    if (payment.settlementDate > today)
      stopScheduledPayment(tx, payment, { reason: "AUTHORIZATION_CANCELED", requestedBy, customer });
  }
}

/** Cancels every open scheduled payment to an account that is no longer ACTIVE (assumption: charge.account-closed). */
export function cancelScheduledPaymentsOfAccount(tx: Transaction, account: Account): void {
  const reason = account.status === "CLOSED" ? "ACCOUNT_CLOSURE" : "ACCOUNT_BLOCKED";
  for (const { id, receiver } of tx.find(subscriptions, "account", account.id)) {
    const customer = { document: receiver.document };
    for (const payment of tx.find(scheduledPayments, "open", id))
      stopScheduledPayment(tx, payment, { reason, requestedBy: "receiver", customer });
  }
}

/** A scheduled payment that waits for its resend is canceled already: only the resend is called off. */
function stopScheduledPayment(
  tx: Transaction,
  payment: ScheduledPayment,
  cause: Pick<ImposedCancellation, "reason" | "requestedBy" | "customer">,
): void {
  if (!isBeingResent(payment)) {
    cancelOutright(tx, payment, { ...cause, action: "cancel" });
    return;
  }
  tx.disarm("scheduled-payment.resend", payment.id);
  tx.put(scheduledPayments, { ...payment, resendAt: null });
  const what = `resend called off: ${cause.reason}`;
  tx.log({ kind: "note", objectId: payment.id, collection: scheduledPayments.name, what });
}
