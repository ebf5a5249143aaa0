import type { ScheduledPayment } from "./scheduled-payment.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { chargedSubscription } from "./scheduled-payment.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { openOrder, payOrder } from "../orders/payment.ts";

/**
 * Books a completed charge as a paid pay-in order, so that the money arrives and can go back again
 * (assumptions: charge.settles-as-order, order.born-of-subscription).
 */
export function bookOrder(tx: Transaction, payment: ScheduledPayment): void {
  const subscription = chargedSubscription(tx, payment);
  const payer = assertDefined(
    subscription.payer,
    `the payer of the accepted subscription ${subscription.id}`,
  );
  const order = openOrder(tx, {
    id: assertDefined(payment.orderId, `the order of the completed charge ${payment.id}`),
    companyId: payment.companyId,
    accountId: subscription.receiver.id,
    externalId: payment.externalId,
    paymentMethod: "PIX",
    amount: payment.amount,
    description: payment.description ?? subscription.description,
    subscriptionId: subscription.id,
    scheduledPaymentId: payment.id,
  });
  payOrder(tx, order, { payer, amount: payment.amount, endToEndId: payment.endToEndId });
}
