import { type ResourceApi, described, withoutNotFound } from "../operations.ts";

const payout = described("Payouts", "PayoutEvent");

const unsettled = { paidAt: null, endToEndId: null };

/** The operations and events of payouts, as the interface describes them. */
export const payoutApi = {
  operations: {
    createPayout: {
      method: "POST",
      path: "/order/v1/banking/order-payouts",
      tag: "Payouts",
      summary: "Create a banking payout",
      description:
        "Pays by PIX or TED from a company account, to a key, a QR code or an account written out by hand. The outcome comes by the payout webhook.",
      authenticated: true,
      idempotencyKey: "text",
      parameters: {},
      request: "CreatePayoutRequest",
      response: "Payout",
      successStatus: 201,
      errors: withoutNotFound,
      assumedErrors: ["UNAUTHORIZED"],
      errorForm: "common",
    },
  },
  events: {
    "ORDER-PAYOUT.PAID": payout("A payout was paid", {}),
    "ORDER-PAYOUT.CANCELED": payout("A payout was canceled", {
      ...unsettled,
      status: "CANCELED",
      message: "The payout was canceled by the receiver's institution.",
    }),
    "ORDER-PAYOUT.ERROR": payout("A payout failed", {
      ...unsettled,
      status: "ERROR",
      message: "The PIX key is not registered.",
    }),
  },
} as const satisfies ResourceApi;
