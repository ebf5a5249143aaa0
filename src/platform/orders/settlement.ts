import type { Money } from "../../engine/money.ts";
import type { Order, OrderPayer } from "./order.ts";
import type { Person } from "../payers/payer.ts";
import type { PlanOutcome } from "../plans/plan.ts";
import type { StepOutcome } from "../autopilot.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { amountDue, awaitsChallenge, orders } from "./order.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { canTake } from "../transition.ts";
import { endOrder, payOrder } from "./payment.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { orderLifecycle } from "./lifecycle.ts";
import { outcomeOf, scheduleStep } from "../autopilot.ts";
import { parseMoney } from "../../engine/money.ts";
import { payerFrom, somebody } from "../payers/payer.ts";
import { timerKind } from "../../engine/timers.ts";

/** The methods that bring the money by a transfer from the payer's account at a Brazilian institution. */
const TRANSFERS = new Set(["PIX", "DEPOSIT"]);

const DECLINED = "The payment was declined.";

/** Settles an order: what is due unless an amount is said, from the customer unless somebody is named. */
export function settleOrder(
  tx: Transaction,
  order: Order,
  { payer, amount }: { payer?: Person | undefined; amount?: Money | undefined } = {},
): Order {
  const person = payer ?? order.customer ?? somebody(tx);
  const paid = amount ?? amountDue(order) ?? openAmount(tx);
  const orderPayer: OrderPayer = TRANSFERS.has(order.paymentMethod)
    ? payerFrom(tx, person)
    : { ...person, bankData: null };
  return payOrder(tx, order, { payer: orderPayer, amount: paid });
}

/**
 * Lets the payer or the issuer of the card decide where a plan, a fixture or the autopilot says so. A first
 * charge is paid as its subscription is accepted, and a card that is challenged waits for its customer.
 */
export function schedulePayment(tx: Transaction, order: Order): void {
  const { subscriptionId, paymentTimer: before } = order;
  if (subscriptionId !== null || awaitsChallenge(order) || !canTake(orderLifecycle, order, "pay")) return;
  const paymentTimer = scheduleStep(tx, {
    step: "order.payment",
    objectId: order.id,
    person: order.customer,
    nature: natureOf(order),
    timer: decidePayment,
    input: { orderId: order.id },
  });
  tx.disarm(before);
  tx.put(orders, { ...order, paymentTimer });
}

export const decidePayment = timerKind<{ orderId: string } & StepOutcome<"order.payment">>(
  "order.payment",
  (tx, { orderId, outcome: decided }) => {
    const order = assertDefined(tx.get(orders, orderId), `the order ${orderId}`);
    if (canTake(orderLifecycle, order, "pay")) settleBy(tx, order, paymentOutcome(tx, order, decided));
  },
);

/** What comes of the payment of an order: what was planned, or is in the nature of card or payer; else PAID. */
export function paymentOutcome(
  tx: Transaction,
  order: Order,
  decided: PlanOutcome<"order.payment"> | null = null,
): PlanOutcome<"order.payment"> {
  return outcomeOf(tx, "order.payment", {
    objectId: order.id,
    decided,
    person: order.customer,
    nature: natureOf(order),
  });
}

/** Lets the outcome happen, where the order's state allows it: one that was paid in part is neither declined nor expires. */
export function settleBy(tx: Transaction, order: Order, outcome: PlanOutcome<"order.payment">): Order {
  if (outcome === "PAID") return settleOrder(tx, order);
  if (outcome === "DECLINED")
    return canTake(orderLifecycle, order, "decline") ? declineOrder(tx, order) : order;
  return canTake(orderLifecycle, order, "expire") ? endOrder(tx, order, "expire") : order;
}

/** The payer, or the issuer of the card, refuses to pay. */
export function declineOrder(tx: Transaction, order: Order): Order {
  const reason = order.checkout?.kind === "card" ? order.checkout.card.declineReason : null;
  return endOrder(tx, order, "decline", reason ?? DECLINED);
}

/** What the card of an order decides by itself. */
function natureOf({ checkout }: Order): PlanOutcome<"order.payment"> | null {
  return checkout?.kind === "card" ? checkout.card.outcome : null;
}

/** What a payer chooses who was not told what to pay. */
function openAmount(tx: Transaction): Money {
  return assertDefined(parseMoney("BRL", assumption(tx, "order.open-amount")), "the amount of an open order");
}
