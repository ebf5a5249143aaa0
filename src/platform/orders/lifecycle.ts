import type { Lifecycle } from "../../engine/lifecycle.ts";

export type OrderStatus =
  | "INITIAL"
  | "PENDING"
  | "PAID"
  | "PARTIALLY_PAID"
  | "ANALYSIS"
  | "EXPIRED"
  | "CANCELED"
  | "ERROR"
  | "PARTIAL_REFUNDED"
  | "REFUNDED";

export type OrderAction =
  | "pass-challenge"
  | "pay"
  | "pay-partly"
  | "analyse"
  | "expire"
  | "cancel"
  | "fail"
  | "decline"
  | "fail-challenge"
  | "refund"
  | "refund-partly";

/**
 * The life of a pay-in order (assumptions: order.statuses, order.events). PENDING: the customer passed the
 * challenge; the issuer of the card answers at once, so no act ever finds an order there. ANALYSIS: the
 * payment is being looked into.
 */
export const orderLifecycle = {
  resource: "order",
  initial: "INITIAL",
  states: [
    "INITIAL",
    "PENDING",
    "PAID",
    "PARTIALLY_PAID",
    "ANALYSIS",
    "EXPIRED",
    "CANCELED",
    "ERROR",
    "PARTIAL_REFUNDED",
    "REFUNDED",
  ],
  transitions: [
    {
      from: ["INITIAL", "PENDING", "ANALYSIS", "PARTIALLY_PAID"],
      action: "pay",
      to: "PAID",
      emits: "ORDER-PAYIN.PAID",
    },
    {
      from: ["INITIAL", "ANALYSIS", "PARTIALLY_PAID"],
      action: "pay-partly",
      to: "PARTIALLY_PAID",
      emits: "ORDER-PAYIN.PARTIALLY_PAID",
      act: "order.pay",
    },
    { from: ["INITIAL"], action: "pass-challenge", to: "PENDING" },
    { from: ["INITIAL"], action: "analyse", to: "ANALYSIS" },
    { from: ["INITIAL", "PENDING"], action: "expire", to: "EXPIRED", emits: "ORDER-PAYIN.EXPIRED" },
    { from: ["INITIAL", "ANALYSIS"], action: "cancel", to: "CANCELED", emits: "ORDER-PAYIN.CANCELED" },
    { from: ["INITIAL", "ANALYSIS"], action: "fail", to: "ERROR", emits: "ORDER-PAYIN.ERROR" },
    { from: ["INITIAL", "PENDING", "ANALYSIS"], action: "decline", to: "ERROR", emits: "ORDER-PAYIN.ERROR" },
    { from: ["INITIAL"], action: "fail-challenge", to: "ERROR", emits: "ORDER-PAYIN.ERROR" },
    {
      from: ["PAID", "PARTIALLY_PAID", "PARTIAL_REFUNDED"],
      action: "refund-partly",
      to: "PARTIAL_REFUNDED",
      act: null,
    },
    { from: ["PAID", "PARTIALLY_PAID", "PARTIAL_REFUNDED"], action: "refund", to: "REFUNDED", act: null },
  ],
} as const satisfies Lifecycle<OrderStatus, OrderAction>;
