import type { Lifecycle } from "../../engine/lifecycle.ts";

export type SubscriptionStatus =
  "INITIAL" | "PENDING_AUTHORIZATION" | "ACCEPTED" | "REJECTED" | "CANCELED" | "ERROR";

export type SubscriptionAction = "register" | "accept" | "reject" | "fail" | "cancel";

/** The life of a subscription (interface: States and transitions; assumption: subscription.transitions). */
export const subscriptionLifecycle = {
  resource: "subscription",
  initial: "INITIAL",
  states: ["INITIAL", "PENDING_AUTHORIZATION", "ACCEPTED", "REJECTED", "CANCELED", "ERROR"],
  transitions: [
    { from: ["INITIAL"], action: "register", to: "PENDING_AUTHORIZATION", act: null },
    { from: ["PENDING_AUTHORIZATION"], action: "accept", to: "ACCEPTED", emits: "SUBSCRIPTION.ACCEPTED" },
    { from: ["PENDING_AUTHORIZATION"], action: "reject", to: "REJECTED", emits: "SUBSCRIPTION.REJECTED" },
    { from: ["INITIAL", "PENDING_AUTHORIZATION"], action: "fail", to: "ERROR", emits: "SUBSCRIPTION.ERROR" },
    {
      from: ["PENDING_AUTHORIZATION", "ACCEPTED"],
      action: "cancel",
      to: "CANCELED",
      act: "subscription.request-cancellation",
    },
  ],
} as const satisfies Lifecycle<SubscriptionStatus, SubscriptionAction>;
