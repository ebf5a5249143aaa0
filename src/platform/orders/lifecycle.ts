import type { Lifecycle } from "../../core/lifecycle.ts";

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

export type OrderAction = "pay" | "expire" | "cancel" | "fail" | "refundInPart" | "refund";

/** The life of a pay-in order (assumptions: order.statuses, order.events). */
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
    { from: ["INITIAL"], action: "pay", to: "PAID", emits: "ORDER-PAYIN.PAID" },
    { from: ["INITIAL"], action: "expire", to: "EXPIRED", emits: "ORDER-PAYIN.EXPIRED" },
    { from: ["INITIAL"], action: "cancel", to: "CANCELED", emits: "ORDER-PAYIN.CANCELED" },
    { from: ["INITIAL"], action: "fail", to: "ERROR", emits: "ORDER-PAYIN.ERROR" },
    {
      from: ["PAID", "PARTIALLY_PAID", "PARTIAL_REFUNDED"],
      action: "refundInPart",
      to: "PARTIAL_REFUNDED",
      act: null,
    },
    { from: ["PAID", "PARTIALLY_PAID", "PARTIAL_REFUNDED"], action: "refund", to: "REFUNDED", act: null },
  ],
} as const satisfies Lifecycle<OrderStatus, OrderAction>;
