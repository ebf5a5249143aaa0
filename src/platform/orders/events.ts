import type { Order } from "./order.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { announce } from "../webhook-events/announcement.ts";
import { companyOf } from "../companies/company.ts";
import { formatInstant } from "../../engine/instant.ts";
import { amountShape } from "../shape.ts";
import { finalAmountOf } from "./order.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { scheduledPayments } from "../scheduled-payments/scheduled-payment.ts";
import { subscriptions } from "../subscriptions/subscription.ts";

const MESSAGES: Readonly<Record<string, string>> = {
  "ORDER-PAYIN.PAID": "The order was paid.",
  "ORDER-PAYIN.PARTIALLY_PAID": "The order was paid in part.",
  "ORDER-PAYIN.EXPIRED": "The order expired before it was paid.",
  "ORDER-PAYIN.CANCELED": "The order was canceled.",
  "ORDER-PAYIN.ERROR": "The payment of the order failed.",
};

/** Tells the company what became of an order (assumption: order.events). */
export function announceOrder(tx: Transaction, event: string, order: Order): void {
  const amount = order.paidAmount ?? finalAmountOf(order);
  announce(tx, {
    companyId: order.companyId,
    event,
    objectId: order.id,
    url: orderEventUrl(tx, order),
    body: {
      id: order.id,
      code: order.externalId,
      event,
      status: order.status,
      type: "PAY-IN",
      paidAt: order.paidAt === null ? null : formatInstant(order.paidAt),
      updatedAt: formatInstant(order.updatedAt),
      endToEndId: order.endToEndId,
      message: order.errorMessage ?? assertDefined(MESSAGES[event], `the message of ${event}`),
      ...(order.description !== null && { description: order.description }),
      ...(amount && { amount: amountShape(amount) }),
      ...(order.payer && { payer: { name: order.payer.name, document: order.payer.document } }),
      ...originOf(tx, order),
    },
  });
}

/** The subscription and the scheduled payment an order came from, for its events and those of its refunds. */
export function originOf(tx: Transaction, order: Order): object {
  const subscription =
    order.subscriptionId === null ? undefined : tx.get(subscriptions, order.subscriptionId);
  const payment =
    order.scheduledPaymentId === null ? undefined : tx.get(scheduledPayments, order.scheduledPaymentId);
  return {
    ...(subscription && { subscription: { id: subscription.id, code: subscription.externalId } }),
    ...(payment && { scheduledPayment: { id: payment.id, externalId: payment.externalId } }),
  };
}

/** Where an order's events go: its own notification URL, the company's, or that of its subscription. */
export function orderEventUrl(tx: Transaction, order: Order): string | null {
  if (order.notificationUrl !== null) return order.notificationUrl;
  const subscription =
    order.subscriptionId === null ? undefined : tx.get(subscriptions, order.subscriptionId);
  return companyOf(tx, order.companyId).webhook.url ?? subscription?.webhookUrl ?? null;
}
