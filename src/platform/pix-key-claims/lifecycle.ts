import type { Lifecycle } from "../../engine/lifecycle.ts";

export type ClaimStatus = "PENDING" | "COMPLETED" | "DENIED" | "CANCELED";

export type ClaimAction = "complete" | "deny" | "cancel";

/** The life of a claim (interface: PIX key claim and validation; assumptions: claim.canceled-status, claim.answer). */
export const claimLifecycle = {
  resource: "claim",
  initial: "PENDING",
  states: ["PENDING", "COMPLETED", "DENIED", "CANCELED"],
  transitions: [
    { from: ["PENDING"], action: "complete", to: "COMPLETED" },
    { from: ["PENDING"], action: "deny", to: "DENIED" },
    { from: ["PENDING"], action: "cancel", to: "CANCELED", act: null },
  ],
} as const satisfies Lifecycle<ClaimStatus, ClaimAction>;

export type ValidationStatus = "PENDING" | "CONFIRMED" | "EXPIRED";

export type ValidationAction = "confirm" | "expire" | "renew";

/** The life of a validation: one whose code ran out goes on with a new code (interface: Endpoints 3). */
export const validationLifecycle = {
  resource: "claim-validation",
  initial: "PENDING",
  states: ["PENDING", "CONFIRMED", "EXPIRED"],
  transitions: [
    { from: ["PENDING"], action: "confirm", to: "CONFIRMED", act: null },
    { from: ["PENDING"], action: "expire", to: "EXPIRED", act: null },
    { from: ["PENDING", "EXPIRED"], action: "renew", to: "PENDING", act: null },
  ],
} as const satisfies Lifecycle<ValidationStatus, ValidationAction>;
