import type { Lifecycle } from "../../engine/lifecycle.ts";

export type RefundStatus = "INITIAL" | "REFUNDED" | "REJECTED" | "ERROR";

export type RefundAction = "settle" | "reject" | "fail";

/** The life of a refund (interface: States, Refund). */
export const refundLifecycle = {
  resource: "refund",
  initial: "INITIAL",
  states: ["INITIAL", "REFUNDED", "REJECTED", "ERROR"],
  transitions: [
    { from: ["INITIAL"], action: "settle", to: "REFUNDED", emits: "ORDER-PAYIN.REFUNDED" },
    { from: ["INITIAL"], action: "reject", to: "REJECTED", emits: "ORDER-PAYIN.REJECTED" },
    { from: ["INITIAL"], action: "fail", to: "ERROR", emits: "ORDER-PAYIN.ERROR" },
  ],
} as const satisfies Lifecycle<RefundStatus, RefundAction>;
