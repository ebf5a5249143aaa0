import type { Lifecycle } from "../../engine/lifecycle.ts";
import type { PayoutStatus } from "../../api/generated/shapes.ts";

export type PayoutAction = "settle" | "fail" | "cancel";

/** The life of a payout (interface: Payout; assumption: payout.parent-status for one that was split). */
export const payoutLifecycle = {
  resource: "payout",
  initial: "PENDING",
  states: ["PENDING", "PAID", "CANCELED", "ERROR"],
  transitions: [
    { from: ["PENDING"], action: "settle", to: "PAID", emits: "ORDER-PAYOUT.PAID" },
    { from: ["PENDING"], action: "fail", to: "ERROR", emits: "ORDER-PAYOUT.ERROR" },
    { from: ["PENDING"], action: "cancel", to: "CANCELED", emits: "ORDER-PAYOUT.CANCELED" },
  ],
} as const satisfies Lifecycle<PayoutStatus, PayoutAction>;

/**
 * The life of one transaction of a payout: of the ten statuses that the interface names for it, those that
 * money on its way out can come to (assumption: payout.transaction-statuses).
 */
export const payoutTransactionLifecycle = {
  resource: "payout-transaction",
  initial: "PENDING",
  states: ["PENDING", "PAID", "CANCELED", "ERROR"],
  transitions: [
    { from: ["PENDING"], action: "settle", to: "PAID", act: "payout.settle" },
    { from: ["PENDING"], action: "fail", to: "ERROR", act: "payout.fail" },
    { from: ["PENDING"], action: "cancel", to: "CANCELED", act: "payout.cancel" },
  ],
} as const satisfies Lifecycle<PayoutStatus, PayoutAction>;
