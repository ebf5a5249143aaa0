import type { Act } from "./act.ts";
import { accountActs } from "./accounts/acts.ts";
import { cancellationActs } from "./cancellations/acts.ts";
import { claimActs } from "./pix-key-claims/acts.ts";
import { companyActs } from "./companies/webhook.ts";
import { orderActs } from "./orders/acts.ts";
import { refundActs } from "./refunds/acts.ts";
import { payoutActs } from "./payouts/acts.ts";
import { scheduledPaymentActs } from "./scheduled-payments/acts.ts";
import { subscriptionActs } from "./subscriptions/acts.ts";

/** Every act, by name. */
export const acts: ReadonlyMap<string, Act> = new Map(
  [
    ...subscriptionActs,
    ...scheduledPaymentActs,
    ...cancellationActs,
    ...orderActs,
    ...refundActs,
    ...payoutActs,
    ...accountActs,
    ...claimActs,
    ...companyActs,
  ].map((act) => [act.name, act]),
);
