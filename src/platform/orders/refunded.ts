import type { Money } from "../../core/money.ts";
import type { Order } from "./order.ts";
import type { Transaction } from "../../core/transaction.ts";
import { known } from "../../core/assertion.ts";
import { orderLifecycle } from "./lifecycle.ts";
import { orders } from "./order.ts";
import { take } from "../transition.ts";

/** Marks an order of which `refundedTotal` went back by now: refunded whole, or in part. The refund tells of it. */
export function markRefunded(tx: Transaction, order: Order, refundedTotal: Money): Order {
  const paid = known(order.paidAmount, `what was paid of the order ${order.id}`);
  const action = refundedTotal.minor < paid.minor ? "refundInPart" : "refund";
  return tx.put(orders, take(tx, orderLifecycle, order, action));
}
