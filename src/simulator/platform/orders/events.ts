import type { EventOf } from "../state-machine.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { amountShape, timestampOrNull } from "../shape.ts";
import { announce } from "../webhook-events/announcement.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { companyOf } from "../companies/company.ts";
import { type Order, finalAmountOf, type orderLifecycle, orders } from "./order.ts";
import { formatInstant } from "../../engine/instant.ts";
import { scheduledPayments } from "../scheduled-payments/scheduled-payment.ts";
import { subscriptions } from "../subscriptions/subscription.ts";

const MESSAGES: Readonly<Record<EventOf<typeof orderLifecycle>, string>> = {
  "ORDER-PAYIN.PAID": "The order was paid.",
  "ORDER-PAYIN.PARTIALLY_PAID": "The order was paid in part.",
  "ORDER-PAYIN.EXPIRED": "The order expired before it was paid.",
  "ORDER-PAYIN.CANCELED": "The order was canceled.",
  "ORDER-PAYIN.ERROR": "The payment of the order failed.",
};

/** The events that are sent in any case (assumption: order.events). */
const TELLS_OF_MONEY: ReadonlySet<string> = new Set(["ORDER-PAYIN.PAID", "ORDER-PAYIN.PARTIALLY_PAID"]);

/** Sends the new status of an order to the company (assumption: order.events). */
export function announceOrder(tx: Transaction, order: Order, event: EventOf<typeof orderLifecycle>): void {
  if (assumption(tx, "order.events") === "paid" && !TELLS_OF_MONEY.has(event)) return;
  const amount = order.paidAmount ?? finalAmountOf(order);
  announce(tx, {
    companyId: order.companyId,
    event,
    collection: orders.name,
    objectId: order.id,
    url: orderEventUrl(tx, order),
    body: {
      id: order.id,
      code: order.externalId,
      event,
      status: order.status,
      type: "PAY-IN",
      paidAt: timestampOrNull(order.paidAt),
      updatedAt: formatInstant(order.updatedAt),
      endToEndId: order.endToEndId,
      message: order.errorMessage ?? MESSAGES[event],
      ...(order.description !== null && { description: order.description }),
      ...(amount && { amount: amountShape(amount) }),
      ...(order.payer && { payer: { name: order.payer.name, document: order.payer.document } }),
      ...originOf(tx, order),
    },
  });
}

/** The subscription and the scheduled payment an order came from, for its events and those of its refunds. */
export function originOf(tx: Transaction, order: Order): object {
  const subscription = tx.get(subscriptions, order.subscriptionId ?? "");
  const payment = tx.get(scheduledPayments, order.scheduledPaymentId ?? "");
  return {
    ...(subscription && { subscription: { id: subscription.id, code: subscription.externalId } }),
    ...(payment && { scheduledPayment: { id: payment.id, externalId: payment.externalId } }),
  };
}

/**
 * Returns the URL for an order's events: its own notification URL, or the company's URL, or the URL of its
 * subscription.
 */
export function orderEventUrl(tx: Transaction, order: Order): string | null {
  if (order.notificationUrl !== null) return order.notificationUrl;
  const subscription = tx.get(subscriptions, order.subscriptionId ?? "");
  return companyOf(tx, order.companyId).webhook.url ?? subscription?.webhookUrl ?? null;
}
