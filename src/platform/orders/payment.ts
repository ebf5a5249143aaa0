import type { Money } from "../../engine/money.ts";
import type { Order, OrderPayer } from "./order.ts";
import type { OrderAction } from "./lifecycle.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { add, money } from "../../engine/money.ts";
import { announceOrder } from "./events.ts";
import { assert, assertDefined } from "../../engine/assertion.ts";
import { availableOn, FEES, move, OUTSIDE } from "../ledger/ledger.ts";
import { canTake, take } from "../transition.ts";
import { creditedAmount, draftOrder, finalAmountOf, orders } from "./order.ts";
import { endToEndId as endToEndIdFrom } from "../../countries/brazil/identifiers.ts";
import { orderLifecycle } from "./lifecycle.ts";
import { timerKind } from "../../engine/timers.ts";
import { transitionFrom } from "../../engine/lifecycle.ts";

/** Puts a new order and arms its expiry, where it has one. */
export function openOrder(tx: Transaction, given: Parameters<typeof draftOrder>[1]): Order {
  const order = draftOrder(tx, given);
  const { id: orderId, expiresAt } = order;
  const expiryTimer = expiresAt === null ? null : tx.arm(expireOrder, expiresAt, { orderId });
  return tx.put(orders, { ...order, expiryTimer });
}

/**
 * Takes a payment, whole or in part: the money arrives on the company's account, and the company is told. More
 * than is due is a bug of the caller; an open amount becomes what was paid. A payment that has an end-to-end id
 * already, such as a payout, brings it along.
 */
export function payOrder(
  tx: Transaction,
  order: Order,
  { payer, amount, endToEndId = null }: { payer: OrderPayer; amount: Money; endToEndId?: string | null },
): Order {
  const paidAmount = order.paidAmount === null ? amount : add(order.paidAmount, amount);
  const final = finalAmountOf(order) ?? paidAmount;
  assert(paidAmount.minor <= final.minor, `the order ${order.id} was paid more than it asks for`);
  const paid = put(tx, order, paidAmount.minor < final.minor ? "pay-partly" : "pay", {
    payer,
    customer: order.customer ?? { name: payer.name, document: payer.document },
    amount: order.amount ?? amount,
    paidAmount,
    paidAt: tx.now,
    endToEndId: endToEndId ?? newEndToEndId(tx, order, payer),
  });
  book(tx, order, paid);
  return paid;
}

/** Ends or holds up an order without a payment, and tells the company where there is an event for it. */
export function endOrder(
  tx: Transaction,
  order: Order,
  action: Exclude<OrderAction, "pay" | "pay-partly" | "refund" | "refund-partly">,
  errorMessage: string | null = null,
): Order {
  return put(tx, order, action, { errorMessage });
}

/**
 * Marks what went back to the payer: PARTIAL_REFUNDED, or REFUNDED once `refundedTotal`, the sum of all refunds
 * of the order, is all that the account was credited with. The caller moves the money and tells the company.
 */
export function markRefunded(tx: Transaction, order: Order, refundedTotal: Money): Order {
  const credited = assertDefined(creditedAmount(order), `what was paid for the order ${order.id}`);
  const action = refundedTotal.minor < credited.minor ? "refund-partly" : "refund";
  return put(tx, order, action, { refundedAmount: refundedTotal });
}

/** An order that is being looked into, or was paid in part, does not expire. */
export const expireOrder = timerKind<{ orderId: string }>("order.expire", (tx, { orderId }) => {
  const order = assertDefined(tx.get(orders, orderId), `the order ${orderId}`);
  if (canTake(orderLifecycle, order, "expire")) endOrder(tx, order, "expire");
  else tx.put(orders, { ...order, expiryTimer: null });
});

/** The account is credited up to the order's amount; what is paid beyond it are the platform's fees. */
function book(tx: Transaction, before: Order, after: Order): void {
  const memo = `order ${after.externalId} ${after.status === "PAID" ? "paid" : "paid in part"}`;
  const credited = assertDefined(creditedAmount(after), "what was credited");
  const creditedNow = credited.minor - (creditedAmount(before)?.minor ?? 0);
  const paidNow = assertDefined(after.paidAmount, "what was paid").minor - (before.paidAmount?.minor ?? 0);
  for (const [to, minor] of [
    [availableOn(after.accountId), creditedNow],
    [FEES, paidNow - creditedNow],
  ] as const) {
    const amount = money(credited.currency, minor);
    if (minor > 0) move(tx, { from: OUTSIDE, to, amount, memo, objectId: after.id });
  }
}

function newEndToEndId(tx: Transaction, order: Order, { bankData }: OrderPayer): string | null {
  if (order.paymentMethod !== "PIX") return null;
  const { ispb } = assertDefined(bankData, "the account of whoever pays by PIX");
  return endToEndIdFrom({ ispb, instant: tx.now, chance: tx.chance("end-to-end-ids") });
}

/** An order that is over, or whose payment has begun to come in, expires no more. */
function put(tx: Transaction, order: Order, action: OrderAction, changed: Partial<Order>): Order {
  const row = transitionFrom(orderLifecycle, order.status, action);
  const taken = take(tx, orderLifecycle, order, action);
  const keepsTimer = canTake(orderLifecycle, taken, "expire");
  if (!keepsTimer) tx.disarm(order.expiryTimer);
  tx.disarm(order.paymentTimer);
  const changedOrder = tx.put(orders, {
    ...taken,
    ...changed,
    expiryTimer: keepsTimer ? order.expiryTimer : null,
    paymentTimer: null,
  });
  if (row?.emits) announceOrder(tx, row.emits, changedOrder);
  return changedOrder;
}
