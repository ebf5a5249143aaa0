import type { Money } from "../../core/money.ts";
import type { Order } from "./order.ts";
import type { OrderAction } from "./lifecycle.ts";
import type { Payer } from "../payers/payer.ts";
import type { Transaction } from "../../core/transaction.ts";
import { announceOrder } from "./events.ts";
import { endToEndId } from "../../brazil/identifiers.ts";
import { known } from "../../core/assertion.ts";
import { move, availableOn, OUTSIDE } from "../ledger/ledger.ts";
import { orderLifecycle } from "./lifecycle.ts";
import { orders } from "./order.ts";
import { take } from "../transition.ts";
import { timerKind } from "../../core/timers.ts";
import { transitionFrom } from "../../core/lifecycle.ts";

/** Settles an order: the money arrives on the company's account, and the company is told. */
export function payOrder(
  tx: Transaction,
  order: Order,
  { payer, amount }: { payer: Payer; amount: Money },
): Order {
  const paid = put(tx, order, "pay", {
    payer,
    amount: order.amount ?? amount,
    paidAmount: amount,
    paidAt: tx.now,
    endToEndId: endToEndId({
      ispb: payer.bankData.ispb,
      instant: tx.now,
      chance: tx.chance("end-to-end-ids"),
    }),
  });
  const memo = `order ${order.externalId} paid`;
  move(tx, { from: OUTSIDE, to: availableOn(order.accountId), amount, memo, objectId: order.id });
  return paid;
}

/** Ends an order that was not paid, and tells the company. */
export function endOrder(tx: Transaction, order: Order, action: "expire" | "cancel" | "fail"): Order {
  return put(tx, order, action, {});
}

export const expireOrder = timerKind<{ orderId: string }>("order.expire", (tx, { orderId }) => {
  endOrder(tx, known(tx.get(orders, orderId), `the order ${orderId}`), "expire");
});

function put(tx: Transaction, order: Order, action: OrderAction, changed: Partial<Order>): Order {
  const row = transitionFrom(orderLifecycle, order.status, action);
  const taken = take(tx, orderLifecycle, order, action);
  tx.disarm(order.expiryTimer);
  const ended = tx.put(orders, { ...taken, ...changed, expiryTimer: null });
  if (row?.emits) announceOrder(tx, row.emits, ended);
  return ended;
}
