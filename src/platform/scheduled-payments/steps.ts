import type { ScheduledPayment } from "./scheduled-payment.ts";
import type { ScheduledPaymentRejectionCode } from "../../api/generated/shapes.ts";
import type { StepOutcome } from "../autopilot.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { announceScheduledPayment } from "./events.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { cancelOutright } from "./cancellation.ts";
import { canTake, requireAction, take } from "../transition.ts";
import { chargedSubscription, payerOf, scheduledPaymentOf, scheduledPayments } from "./scheduled-payment.ts";
import { draftScheduledPayment } from "./draft.ts";
import { endScheduledPayment } from "./change.ts";
import { exhaustScheduledPayment, failScheduledPayment, settleScheduledPayment } from "./settlement.ts";
import { finalInstant, firstAttemptAt, nextAttemptAt, resendAt } from "./timetable.ts";
import { handPlansOn } from "../plans/plan.ts";
import { outcomeOf, outcomeWhenDue, scheduleStep } from "../autopilot.ts";
import { scheduledPaymentLifecycle } from "./lifecycle.ts";
import { timerKind } from "../../engine/timers.ts";

interface Due {
  readonly paymentId: string;
}

/** Why a charge is rejected where nobody says: no particular reason. */
const UNSAID: ScheduledPaymentRejectionCode = "GRER";
const ABOVE_MAXIMUM: ScheduledPaymentRejectionCode = "AM02";

/** Sends a drafted charge to the payer's institution: PENDING, until that answers or the settlement date is over. */
export function sendScheduledPayment(tx: Transaction, drafted: ScheduledPayment): ScheduledPayment {
  const sent = take(tx, scheduledPaymentLifecycle, drafted, "send");
  const closeTimer = tx.arm(closeSettlementDate, finalInstant(tx, sent.settlementDate), {
    paymentId: sent.id,
  });
  return scheduleScheduling(tx, { ...sent, closeTimer });
}

/** Puts a charge that was sent, with the timer by which it is answered, where it does not wait for a hand. */
export function scheduleScheduling(tx: Transaction, sent: ScheduledPayment): ScheduledPayment {
  const stepTimer = scheduleStep(tx, {
    step: "scheduled-payment.scheduling",
    objectId: sent.id,
    person: payerOf(chargedSubscription(tx, sent)),
    delay: assumption(tx, "charge.schedule-delay"),
    timer: answerScheduling,
    input: { paymentId: sent.id },
  });
  return tx.put(scheduledPayments, { ...sent, stepTimer });
}

/** The payer's institution takes the charge on; its first attempt to settle is armed. */
export function acceptScheduledPayment(tx: Transaction, payment: ScheduledPayment): void {
  const taken = take(tx, scheduledPaymentLifecycle, payment, "accept");
  tx.disarm(payment.stepTimer);
  const stepTimer = tx.arm(attemptSettlement, firstAttemptAt(tx, taken), { paymentId: payment.id });
  const accepted = tx.put(scheduledPayments, { ...taken, stepTimer });
  announceScheduledPayment(tx, "SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED", accepted);
}

/** The payer's institution does not take the charge on. */
export function rejectScheduledPayment(
  tx: Transaction,
  payment: ScheduledPayment,
  rejectionCode: ScheduledPaymentRejectionCode = UNSAID,
): void {
  endScheduledPayment(tx, payment, "reject", { rejectionCode });
}

/**
 * The payer's institution meets an error of its own: it cancels the charge, and where the rules allow it the
 * platform will resend (interface: Scheduled payment).
 */
export function breakScheduledPayment(tx: Transaction, payment: ScheduledPayment): void {
  requireAction(scheduledPaymentLifecycle, payment, "break");
  const at = resendAt(tx, payment);
  cancelOutright(tx, payment, {
    reason: "SETTLEMENT_ERROR",
    action: "break",
    requestedBy: "payer",
    customer: { document: payerOf(chargedSubscription(tx, payment)).document },
    resendTimer: at === undefined ? null : tx.arm(createResend, at, { paymentId: payment.id }),
  });
}

/** The payer's institution answers. An amount above the payer's maximum is never taken on (assumption: charge.amount). */
export const answerScheduling = timerKind<Due & StepOutcome<"scheduled-payment.scheduling">>(
  "scheduled-payment.scheduling",
  (tx, { paymentId, outcome: decided }) => {
    const payment = scheduledPaymentOf(tx, paymentId);
    if (!canTake(scheduledPaymentLifecycle, payment, "accept")) return;
    const subscription = chargedSubscription(tx, payment);
    const outcome = outcomeOf(tx, "scheduled-payment.scheduling", {
      objectId: paymentId,
      decided,
      person: payerOf(subscription),
    });
    const maximum = subscription.payerMaximum;
    if (outcome === "ERROR") failScheduledPayment(tx, payment);
    else if (maximum !== null && payment.amount.minor > maximum.minor)
      rejectScheduledPayment(tx, payment, ABOVE_MAXIMUM);
    else if (outcome === "REJECTED") rejectScheduledPayment(tx, payment);
    else acceptScheduledPayment(tx, payment);
  },
);

/** The payer's institution tries to settle (assumption: charge.settlement-windows). */
export const attemptSettlement = timerKind<Due>("scheduled-payment.settlement", (tx, { paymentId }) => {
  const payment = scheduledPaymentOf(tx, paymentId);
  if (!canTake(scheduledPaymentLifecycle, payment, "settle")) return;
  const outcome = outcomeWhenDue(tx, "scheduled-payment.settlement", {
    objectId: paymentId,
    subjectId: payment.settlementErrorRetryRootId ?? paymentId,
    person: payerOf(chargedSubscription(tx, payment)),
  });
  switch (outcome) {
    case "SETTLED":
      return settleScheduledPayment(tx, payment);
    case "SETTLEMENT_ERROR":
      return breakScheduledPayment(tx, payment);
    case "ERROR":
      return failScheduledPayment(tx, payment);
    case "INSUFFICIENT_BALANCE":
      tx.log({ kind: "note", objectId: paymentId, what: "settlement attempted: too little money" });
      return armNextAttempt(tx, payment);
    case undefined:
      return armNextAttempt(tx, payment);
  }
});

/** The settlement date is over: a charge that was scheduled ran out of balance, one that was not failed. */
export const closeSettlementDate = timerKind<Due>("scheduled-payment.close", (tx, { paymentId }) => {
  const payment = scheduledPaymentOf(tx, paymentId);
  if (canTake(scheduledPaymentLifecycle, payment, "exhaust")) exhaustScheduledPayment(tx, payment);
  else if (canTake(scheduledPaymentLifecycle, payment, "fail")) failScheduledPayment(tx, payment);
});

/** The platform resends a charge that met a settlement error; what was planned for the chain goes with it. */
export const createResend = timerKind<Due>("scheduled-payment.resend", (tx, { paymentId }) => {
  const original = tx.put(scheduledPayments, { ...scheduledPaymentOf(tx, paymentId), resendTimer: null });
  const resend = draftScheduledPayment(tx, chargedSubscription(tx, original), {
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
  for (const plan of ["scheduled-payment.scheduling", "scheduled-payment.settlement"] as const)
    handPlansOn(tx, plan, { from: original.id, to: resend.id });
  sendScheduledPayment(tx, resend);
});

function armNextAttempt(tx: Transaction, payment: ScheduledPayment): void {
  const at = nextAttemptAt(tx, payment);
  const stepTimer = at === undefined ? null : tx.arm(attemptSettlement, at, { paymentId: payment.id });
  tx.put(scheduledPayments, { ...payment, stepTimer });
}
