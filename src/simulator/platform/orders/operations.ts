import { type ResourceApi, described, everyError } from "../operations.ts";

const payIn = described("Orders", "PayInEvent", "order.events");

const order = { of: "order", id: "id", status: "status" };

const unpaid = { paidAt: null, endToEndId: null, payer: undefined };
const unrefunded = { refundedAt: null };

/** The operations and events of orders, as the platform API describes them. */
export const orderApi = {
  operations: {
    createTransparentOrder: {
      method: "PUT",
      path: "/order/v2/transparent",
      tag: "Orders",
      summary: "Create a transparent order",
      description:
        "Creates an order without a screen for the customer. The answer has the payment data of the payment method.",
      creates: true,
      scoped: true,
      idempotencyKey: "text",
      request: "CreateTransparentOrderRequest",
      response: "TransparentOrder",
      errors: everyError,
      assumedErrors: ["FORBIDDEN_ERROR"],
    },
    createTransparentOrderV3: {
      method: "PUT",
      path: "/order/v3/transparent",
      tag: "Orders",
      summary: "Create a transparent order with an optional PIX amount",
      description: "The same as v2, but the amount of a PIX order is optional: the payer can choose it.",
      creates: true,
      scoped: true,
      idempotencyKey: "text",
      request: "CreateTransparentOrderV3Request",
      response: "TransparentOrder",
      errors: everyError,
      assumption: "order.v3",
    },
  },
  events: {
    "ORDER-PAYIN.PAID": payIn("A pay-in was paid", "an order was paid", {}),
    "ORDER-PAYIN.PARTIALLY_PAID": payIn("A pay-in was paid in part", "an order was paid in part", {
      status: "PARTIALLY_PAID",
      amount: { value: "20.00" },
      message: "The order was paid in part.",
    }),
    "ORDER-PAYIN.EXPIRED": payIn("A pay-in expired before it was paid", "an order expired", {
      ...unpaid,
      status: "EXPIRED",
      message: "The order expired before it was paid.",
    }),
    "ORDER-PAYIN.CANCELED": payIn("A pay-in was canceled", "an order was canceled", {
      ...unpaid,
      status: "CANCELED",
      message: "The order was canceled.",
    }),
    "ORDER-PAYIN.ERROR": {
      summary: "The refund of a pay-in failed (type REFUND), or the pay-in failed (type PAY-IN)",
      tag: "Orders",
      shapes: {
        PayInRefundEvent: { ...unrefunded, status: "ERROR", message: "The institution did not answer." },
        PayInEvent: { ...unpaid, status: "ERROR", message: "The institution did not answer." },
      },
      state: {
        "PAY-IN": { state: "an order failed", summary: "The pay-in failed" },
        REFUND: { state: "a refund failed", summary: "The refund failed" },
      },
    },
  },
  statuses: {
    TransparentOrder: [order],
    PayInEvent: [order],
  },
} as const satisfies ResourceApi;
