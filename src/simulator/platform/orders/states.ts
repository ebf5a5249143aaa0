import type { Money } from "../../engine/money.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { announceOrder } from "./events.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import {
  type Order,
  awaitsChallenge,
  creditedAmount,
  isPayable,
  orderLifecycle,
  orderPayment,
  orders,
} from "./order.ts";
import { canTake } from "../../engine/lifecycle.ts";
import { later } from "../later.ts";
import { stateMachine } from "../state-machine.ts";

export const orderStates = stateMachine(orders, orderLifecycle, {
  emit: announceOrder,
  arm: {
    "order.expire": (tx, { id, expiresAt }) => {
      if (expiresAt !== null) tx.arm({ kind: "order.expire", owner: id, due: expiresAt });
    },
    "order.payment": schedulePayment,
    "order.confirmation": (tx, { id, confirmation }) => {
      if (confirmation !== null) tx.arm({ kind: "order.confirmation", owner: id, due: confirmation.at });
    },
  },
});

/**
 * Schedules the decision of the payer or of the issuer of the card, if a plan, a fixture or the autopilot asks for
 * it. A first charge follows only a plan: otherwise it is paid when its subscription is accepted. The order of a
 * settled charge is paid already, and a card with a challenge waits for its customer.
 */
export function schedulePayment(tx: Transaction, order: Order): void {
  if (order.scheduledPaymentId !== null || awaitsChallenge(order)) return;
  if (!isPayable(order)) return;
  if (order.subscriptionId === null) {
    orderPayment.schedule(tx, order);
    return;
  }
  const outcome = orderPayment.planned(tx, order);
  if (outcome === undefined) return;
  const delay = orderPayment.mode(tx) === "immediate" ? "PT0S" : assumption(tx, "autopilot.payer-delay");
  const due = later(tx.now, delay);
  tx.arm({ kind: orderPayment.name, owner: order.id, due, input: { outcome } });
}

/**
 * Marks what went back to the payer: `refundedTotal` is the sum of all refunds. The caller moves the money. An order
 * whose rest waits for its confirmation, or failed, keeps its status.
 */
export function markRefunded(tx: Transaction, order: Order, refundedTotal: Money): Order {
  const credited = assertDefined(creditedAmount(order), `what was paid for the order ${order.id}`);
  const action = refundedTotal.minor < credited.minor ? "refund-partly" : "refund";
  const refunded = { refundedAmount: refundedTotal };
  if (canTake(orderLifecycle, order, action)) return orderStates.take(tx, order, action, refunded);
  return tx.put(orders, { ...order, ...refunded, updatedAt: tx.now });
}
