import { type ResourceApi, described, withoutNotFound } from "../operations.ts";

const refund = described("Refunds", "PayInRefundEvent");

const unrefunded = { refundedAt: null };

/** The operations and events of refunds, as the platform API describes them. */
export const refundApi = {
  operations: {
    refundOrder: {
      method: "PUT",
      path: "/order/v2/refund",
      tag: "Refunds",
      summary: "Refund an order",
      description:
        "Gives the money of a paid order back, whole or in part. The pay-in refund webhook brings the outcome. Error bodies are arrays of sentences.",
      creates: true,
      scoped: true,
      idempotencyKey: "uuid",
      request: "RefundRequest",
      response: "Refund",
      errors: withoutNotFound,
      assumedErrors: ["FORBIDDEN_ERROR"],
      errorForm: "sentences",
    },
  },
  events: {
    "ORDER-PAYIN.REFUNDED": refund("A pay-in was refunded", "an order was refunded", {}),
    "ORDER-PAYIN.REJECTED": refund("The refund of a pay-in was rejected", "a refund was rejected", {
      status: "REJECTED",
      ...unrefunded,
      message: "The payer's account is closed.",
    }),
  },
  statuses: {
    Refund: [{ of: "refund", id: "id", status: "status" }],
    PayInRefundEvent: [{ of: "refund", id: "refundId", status: "status" }],
  },
} as const satisfies ResourceApi;
