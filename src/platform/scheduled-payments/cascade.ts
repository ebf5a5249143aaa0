import type { Account } from "../accounts/account.ts";
import type { Cancellation } from "../cancellations/cancellation.ts";
import type { ImposedCancellation } from "./cancellation.ts";
import type { ScheduledPayment } from "./scheduled-payment.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { cancelOutright } from "./cancellation.ts";
import { isBeingResent, scheduledPayments } from "./scheduled-payment.ts";
import { localDate } from "../../countries/brazil/calendar.ts";
import { subscriptions } from "../subscriptions/subscription.ts";

type Cause = Pick<ImposedCancellation, "reason" | "requestedBy" | "customer">;

/**
 * Cancels what a canceled subscription still had to collect. The charge that settles on that very day, and its
 * resends, still run (assumption: subscription.cancellable-in).
 */
export function cancelChargesOfSubscription(
  tx: Transaction,
  subscription: Subscription,
  { requestedBy, customer }: Cancellation,
): void {
  const today = localDate(tx.now);
  for (const payment of tx.find(scheduledPayments, "open", subscription.id)) {
    if (payment.settlementDate > today)
      stopCharge(tx, payment, { reason: "AUTHORIZATION_CANCELED", requestedBy, customer });
  }
}

/** Cancels every charge on its way to an account that is no longer ACTIVE (assumption: charge.account-closed). */
export function cancelChargesOfAccount(tx: Transaction, account: Account): void {
  const reason = account.status === "CLOSED" ? "ACCOUNT_CLOSURE" : "ACCOUNT_BLOCKED";
  for (const { id, receiver } of tx.find(subscriptions, "account", account.id)) {
    const customer = { document: receiver.document };
    for (const payment of tx.find(scheduledPayments, "open", id))
      stopCharge(tx, payment, { reason, requestedBy: "receiver", customer });
  }
}

/** A charge that waits for its resend is canceled already: only the resend is called off. */
function stopCharge(tx: Transaction, payment: ScheduledPayment, cause: Cause): void {
  if (!isBeingResent(payment)) {
    cancelOutright(tx, payment, { ...cause, action: "cancel" });
    return;
  }
  tx.disarm(payment.resendTimer);
  tx.put(scheduledPayments, { ...payment, resendTimer: null });
  tx.log({ kind: "note", objectId: payment.id, what: `resend called off: ${cause.reason}` });
}
