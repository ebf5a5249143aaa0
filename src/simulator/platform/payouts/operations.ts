import { type ResourceApi, described, withoutNotFound } from "../operations.ts";

const payout = described("Payouts", "PayoutEvent");

const unsettled = { paidAt: null, endToEndId: null };

/** The operations and events of payouts, as the platform API describes them. */
export const payoutApi = {
  operations: {
    createPayout: {
      method: "POST",
      path: "/order/v1/banking/order-payouts",
      tag: "Payouts",
      summary: "Create a banking payout",
      description:
        "Pays by PIX or TED from a company account to a key, a QR code or a bank account. The payout webhook brings the outcome.",
      creates: true,
      idempotencyKey: "text",
      request: "CreatePayoutRequest",
      response: "Payout",
      successStatus: 201,
      errors: withoutNotFound,
      assumedErrors: ["UNAUTHORIZED"],
    },
  },
  events: {
    "ORDER-PAYOUT.PAID": payout("A payout was paid", "a payout was paid", {}),
    "ORDER-PAYOUT.CANCELED": payout("A payout was canceled", "a payout was canceled", {
      ...unsettled,
      status: "CANCELED",
      message: "The payout was canceled by the receiver's institution.",
    }),
    "ORDER-PAYOUT.ERROR": payout("A payout failed", "a payout failed", {
      ...unsettled,
      status: "ERROR",
      message: "The PIX key is not registered.",
    }),
  },
  statuses: {
    Payout: [
      { of: "payout", id: "id", status: "status" },
      { of: "payout-transaction", in: "batch.transactions", id: "id", status: "status" },
    ],
    PayoutEvent: [{ of: "payout", id: "id", status: "status" }],
  },
} as const satisfies ResourceApi;
