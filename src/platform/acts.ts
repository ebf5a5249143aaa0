import type { Act } from "./act.ts";
import { accountActs } from "./accounts/acts.ts";
import { cancellationActs } from "./cancellations/acts.ts";
import { claimActs } from "./pix-key-claims/acts.ts";
import { companyActs } from "./companies/webhook.ts";
import { orderActs } from "./orders/acts.ts";
import { payoutActs } from "./payouts/acts.ts";
import { refundActs } from "./refunds/acts.ts";
import { scheduledPaymentActs } from "./scheduled-payments/acts.ts";
import { subscriptionActs } from "./subscriptions/acts.ts";

const registered: readonly (readonly Act[])[] = [
  accountActs,
  cancellationActs,
  claimActs,
  companyActs,
  orderActs,
  payoutActs,
  refundActs,
  scheduledPaymentActs,
  subscriptionActs,
];

/** Every act, by name. */
export const acts: ReadonlyMap<string, Act> = new Map(registered.flat().map((act) => [act.name, act]));
