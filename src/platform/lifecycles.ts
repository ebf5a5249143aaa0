import type { Lifecycle } from "../engine/lifecycle.ts";
import { accountLifecycle } from "./accounts/lifecycle.ts";
import { cancellationLifecycle } from "./cancellations/lifecycle.ts";
import { claimLifecycle, validationLifecycle } from "./pix-key-claims/lifecycle.ts";
import { orderLifecycle } from "./orders/lifecycle.ts";
import { refundLifecycle } from "./refunds/lifecycle.ts";
import { payoutLifecycle, payoutTransactionLifecycle } from "./payouts/lifecycle.ts";
import { scheduledPaymentLifecycle } from "./scheduled-payments/lifecycle.ts";
import { subscriptionLifecycle } from "./subscriptions/lifecycle.ts";

/** Every lifecycle table of the platform, for those who draw and count them. */
export const lifecycles: readonly Lifecycle[] = [
  subscriptionLifecycle,
  cancellationLifecycle,
  scheduledPaymentLifecycle,
  orderLifecycle,
  accountLifecycle,
  claimLifecycle,
  validationLifecycle,
  payoutLifecycle,
  payoutTransactionLifecycle,
  refundLifecycle,
];
