import type { Instant } from "../../engine/instant.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { cancelOutright } from "./commands.ts";
import { draftScheduledPayment } from "./draft.ts";
import { finalInstant, windowsOf } from "./timetable.ts";
import { later } from "../later.ts";
import { movePlans } from "../plans.ts";
import {
  type ScheduledPayment,
  payerOf,
  scheduledPaymentLifecycle,
  scheduledPayments,
  scheduling,
  settlement,
  subscriptionOf,
} from "./scheduled-payment.ts";
import { scheduledPaymentStates as states } from "./states.ts";
import { requireAction } from "../state-machine.ts";

/** Resends after settlement errors (interface: Limits, settlement-error resend attempts). */
const RESENDS_MAX = 3;

/**
 * A scheduled payment is resent after a settlement error. Interface, Scheduled payment: a
 * RESEND_DUE_TO_SETTLEMENT_ERROR 'is created by the platform on the due date, until 21h, after the payer institution
 * cancelled the original with reason SETTLEMENT_ERROR'; Limits: attempts 1 to 3.
 *
 * This cancels the charge. If these limits allow a resend, `resendInstant` gives its time (assumption:
 * charge.resend-delay). At that time `createResend` creates it as a separate scheduled payment.
 */
export function resendAfterSettlementError(tx: Transaction, payment: ScheduledPayment): void {
  requireAction(scheduledPaymentLifecycle, payment, "break");
  cancelOutright(tx, payment, {
    reason: "SETTLEMENT_ERROR",
    action: "break",
    requestedBy: "payer",
    customer: { document: payerOf(subscriptionOf(tx, payment)).document },
    resendAt: resendInstant(tx, payment),
  });
}

/**
 * Returns the time of the resend after a settlement error. Null if the platform does not resend: the day would be
 * final by then, or the scheduled payment is the last resend already (interface: Scheduled payment; Limits;
 * assumption: charge.resend-delay).
 */
function resendInstant(tx: Transaction, payment: ScheduledPayment): Instant | null {
  if ((payment.settlementErrorRetryAttempt ?? 0) >= RESENDS_MAX) return null;
  const { settlementDate } = payment;
  const delayed = later(tx.now, assumption(tx, "charge.resend-delay"));
  const at = Math.max(delayed, windowsOf(tx, settlementDate)[0]?.at ?? delayed);
  return at < finalInstant(tx, settlementDate) ? at : null;
}

/** Creates the resend of a payment with a settlement error. The resend gets the rest of the payment's plans. */
export function createResend(tx: Transaction, payment: ScheduledPayment): void {
  const original = tx.put(scheduledPayments, { ...payment, resendAt: null });
  const resend = draftScheduledPayment(tx, subscriptionOf(tx, original), {
    externalId: tx.chance("resend-external-ids").uuid(),
    purpose: "RESEND_DUE_TO_SETTLEMENT_ERROR",
    amount: original.amount,
    description: original.description,
    dueDate: original.dueDate,
    settlementDate: original.settlementDate,
    cycle: original.cycle,
    originalScheduledPaymentId: original.id,
    settlementErrorRetryRootId: original.settlementErrorRetryRootId ?? original.id,
    settlementErrorRetryAttempt: (original.settlementErrorRetryAttempt ?? 0) + 1,
  });
  for (const { name } of [scheduling, settlement]) movePlans(tx, name, { from: original.id, to: resend.id });
  states.take(tx, resend, "send");
}
