import type { PlanName } from "./plan.ts";
import type { Transaction } from "../../core/transaction.ts";
import { orders } from "../orders/order.ts";
import { refunds } from "../refunds/refund.ts";
import { scheduleAuthorization } from "../subscriptions/authorization.ts";
import { scheduleOutcome } from "../refunds/outcome.ts";
import { schedulePayment } from "../orders/settlement.ts";
import { subscriptions } from "../subscriptions/subscription.ts";

/** Sets a step of an object going that waits for a hand. */
type Wake = (tx: Transaction, objectId: string) => void;

const waitingSteps: { readonly [Name in PlanName]?: Wake } = {
  "subscription.authorization": (tx, id) => {
    const subscription = tx.get(subscriptions, id);
    if (subscription?.status === "PENDING_AUTHORIZATION") scheduleAuthorization(tx, subscription);
  },
  "order.payment": (tx, id) => {
    const order = tx.get(orders, id);
    if (order !== undefined) schedulePayment(tx, order);
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
