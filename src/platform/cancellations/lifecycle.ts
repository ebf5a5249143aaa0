import type { Lifecycle } from "../../engine/lifecycle.ts";

export type CancellationStatus = "INITIAL" | "PENDING" | "ACCEPTED" | "REJECTED" | "ERROR";

export type CancellationAction = "send" | "impose" | "accept" | "reject" | "fail";

/**
 * The life of a cancellation request (interface: States, Cancellation request). The subject's events tell of it.
 * What an institution or the platform imposes is nobody's to answer, and never PENDING.
 */
export const cancellationLifecycle = {
  resource: "cancellation",
  initial: "INITIAL",
  states: ["INITIAL", "PENDING", "ACCEPTED", "REJECTED", "ERROR"],
  transitions: [
    { from: ["INITIAL"], action: "send", to: "PENDING", act: null },
    { from: ["INITIAL"], action: "impose", to: "ACCEPTED", act: null },
    { from: ["PENDING"], action: "accept", to: "ACCEPTED" },
    { from: ["PENDING"], action: "reject", to: "REJECTED" },
    { from: ["PENDING"], action: "fail", to: "ERROR" },
  ],
} as const satisfies Lifecycle<CancellationStatus, CancellationAction>;
