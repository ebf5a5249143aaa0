import type { Order } from "./order.ts";
import { amountShape, omitNulls, timestampOrNull } from "../shape.ts";
import { finalAmountOf } from "./order.ts";
import { formatInstant } from "../../core/instant.ts";

/** The order as `/sandbox/resources/orders` shows it: the interface has no read of an order. */
export function orderShape(order: Order): object {
  const final = finalAmountOf(order);
  const { id, externalId, status, paymentMethod, accountId } = order;
  return {
    id,
    externalId,
    status,
    paymentMethod,
    accountId,
    createdAt: formatInstant(order.createdAt),
    updatedAt: formatInstant(order.updatedAt),
    paidAt: timestampOrNull(order.paidAt),
    endToEndId: order.endToEndId,
    ...omitNulls({
      amount: order.amount && amountShape(order.amount),
      finalAmount: final && amountShape(final),
      paidAmount: order.paidAmount && amountShape(order.paidAmount),
      refundedAmount: order.refundedAmount && amountShape(order.refundedAmount),
      errorMessage: order.errorMessage,
      customer: order.customer,
      description: order.description,
      payer: order.payer && omitNulls(order.payer),
      expiresAt: timestampOrNull(order.expiresAt),
      subscriptionId: order.subscriptionId,
      scheduledPaymentId: order.scheduledPaymentId,
    }),
  };
}
