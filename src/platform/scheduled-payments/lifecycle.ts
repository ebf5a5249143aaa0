import type { Lifecycle } from "../../engine/lifecycle.ts";
import type { ScheduledPaymentStatus } from "../../api/generated/shapes.ts";

export type { ScheduledPaymentStatus } from "../../api/generated/shapes.ts";

export type ScheduledPaymentAction =
  "send" | "accept" | "reject" | "settle" | "exhaust" | "fail" | "break" | "cancel";

const FAIL = "scheduled-payment.fail";

/**
 * The life of a charge (interface: States, Scheduled payment; assumptions: charge.events,
 * charge.settlement-windows). `exhaust` is the end of a day without enough money, `break` a settlement error;
 * both CANCELED rows are told by cancellation events.
 */
export const scheduledPaymentLifecycle = {
  resource: "scheduled-payment",
  initial: "INITIAL",
  states: [
    "INITIAL",
    "PENDING",
    "ACCEPTED",
    "REJECTED",
    "COMPLETED",
    "ERROR",
    "CANCELED",
    "CANCELED_INSUFFICIENT_BALANCE",
  ],
  transitions: [
    { from: ["INITIAL"], action: "send", to: "PENDING", act: null },
    {
      from: ["PENDING"],
      action: "accept",
      to: "ACCEPTED",
      emits: "SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED",
    },
    {
      from: ["PENDING"],
      action: "reject",
      to: "REJECTED",
      emits: "SUBSCRIPTION.SCHEDULED_PAYMENT.REJECTED",
    },
    {
      from: ["ACCEPTED"],
      action: "settle",
      to: "COMPLETED",
      emits: "SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED",
    },
    {
      from: ["ACCEPTED"],
      action: "exhaust",
      to: "CANCELED_INSUFFICIENT_BALANCE",
      emits: "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELED_INSUFFICIENT_BALANCE",
      act: FAIL,
    },
    {
      from: ["PENDING", "ACCEPTED"],
      action: "fail",
      to: "ERROR",
      emits: "SUBSCRIPTION.SCHEDULED_PAYMENT.ERROR",
      act: FAIL,
    },
    { from: ["ACCEPTED"], action: "break", to: "CANCELED", act: FAIL },
    {
      from: ["PENDING", "ACCEPTED"],
      action: "cancel",
      to: "CANCELED",
      act: "scheduled-payment.request-cancellation",
    },
  ],
} as const satisfies Lifecycle<ScheduledPaymentStatus, ScheduledPaymentAction>;
