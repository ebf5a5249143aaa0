import type { Lifecycle } from "../core/lifecycle.ts";
import { cancellationLifecycle } from "./cancellations/lifecycle.ts";
import { orderLifecycle } from "./orders/lifecycle.ts";
import { scheduledPaymentLifecycle } from "./scheduled-payments/lifecycle.ts";
import { subscriptionLifecycle } from "./subscriptions/lifecycle.ts";

/** Every lifecycle table of the platform, for those who draw and count them. */
export const lifecycles: readonly Lifecycle[] = [
  subscriptionLifecycle,
  cancellationLifecycle,
  scheduledPaymentLifecycle,
  orderLifecycle,
];
