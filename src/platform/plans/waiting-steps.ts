import type { PlanName } from "./plan.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { cancellations, cancellationsOf } from "../cancellations/cancellation.ts";
import { claims } from "../pix-key-claims/claim.ts";
import { isWithHolder } from "../pix-key-claims/validation.ts";
import { orders } from "../orders/order.ts";
import { payouts, transactionsOf } from "../payouts/payout.ts";
import { refunds } from "../refunds/refund.ts";
import { scheduleAnswer } from "../pix-key-claims/answer.ts";
import { rescheduleAuthorization } from "../subscriptions/authorization.ts";
import { scheduleCancellationAnswer } from "../cancellations/request.ts";
import { scheduleOutcome } from "../refunds/outcome.ts";
import { schedulePayment } from "../orders/settlement.ts";
import { scheduleScheduling } from "../scheduled-payments/steps.ts";
import { scheduleSettlement } from "../payouts/settlement.ts";
import { scheduledPayments } from "../scheduled-payments/scheduled-payment.ts";
import { subscriptions } from "../subscriptions/subscription.ts";

/** Sets a step of an object going that waits for a hand. */
type Wake = (tx: Transaction, objectId: string) => void;

const waitingSteps: { readonly [Name in PlanName]?: Wake } = {
  "subscription.authorization": (tx, id) => {
    const subscription = tx.get(subscriptions, id);
    if (subscription?.status === "PENDING_AUTHORIZATION") rescheduleAuthorization(tx, subscription);
  },
  "order.payment": (tx, id) => {
    const order = tx.get(orders, id);
    if (order !== undefined) schedulePayment(tx, order);
  },
  "cancellation.answer": (tx, id) => {
    const own = tx.get(cancellations, id);
    for (const cancellation of own === undefined ? cancellationsOf(tx, id) : [own]) {
      if (cancellation.status === "PENDING" && cancellation.answerTimer === null)
        scheduleCancellationAnswer(tx, cancellation);
    }
  },
  "scheduled-payment.scheduling": (tx, id) => {
    const payment = tx.get(scheduledPayments, id);
    if (payment?.status === "PENDING" && payment.stepTimer === null) scheduleScheduling(tx, payment);
  },
  "payout.settlement": (tx, id) => {
    const payout = tx.get(payouts, id);
    if (payout === undefined) return;
    for (const transaction of transactionsOf(tx, id)) {
      if (transaction.status === "PENDING" && transaction.settlementTimer === null)
        scheduleSettlement(tx, payout, transaction);
    }
  },
  "claim.answer": (tx, id) => {
    const claim = tx.get(claims, id);
    if (claim?.status === "PENDING" && claim.answerTimer === null && isWithHolder(tx, claim))
      scheduleAnswer(tx, claim);
  },
  "refund.outcome": (tx, id) => {
    const refund = tx.get(refunds, id);
    if (refund?.status === "INITIAL" && refund.outcomeTimer === null) scheduleOutcome(tx, refund);
  },
};

/**
 * A plan for an object that waits for a hand is that hand: the step is taken after the payer's delay. A step
 * that has a timer already finds its plan when it is due.
 */
export function wakeStep(tx: Transaction, plan: PlanName, objectId: string): void {
  waitingSteps[plan]?.(tx, objectId);
}
