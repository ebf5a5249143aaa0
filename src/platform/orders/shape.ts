import type { Order } from "./order.ts";
import { amountShape, omitNulls, timestampOrNull } from "../shape.ts";
import type { Checkout } from "./checkout.ts";
import { feesShape } from "./transparent-shape.ts";
import { finalAmountOf } from "./order.ts";
import { formatInstant } from "../../engine/instant.ts";

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
      fees: order.fees && feesShape(order.fees),
    }),
    ...(order.checkout && checkoutShape(order.checkout)),
  };
}

/** What the customer was given to pay with, without the addresses of pages, which depend on who asks. */
function checkoutShape(checkout: Checkout): object {
  switch (checkout.kind) {
    case "pix":
      return { qrcodeData: checkout.qrcodeData, pixKey: checkout.pixKey };
    case "app":
      return {};
    case "card": {
      const { lastDigits, brand, installments, threeDs } = checkout.card;
      return omitNulls({ lastDigits, brand, installments, threeDs: omitNulls(threeDs) });
    }
    case "transfer": {
      const { clabe, beneficiary, bankCode } = checkout;
      return { bankAccount: { clabe, beneficiary, bankCode } };
    }
    case "page": {
      const { token, slip, bank, reference } = checkout;
      return omitNulls({ token, slip, bank, reference });
    }
  }
}
