import type { Act } from "./act.ts";
import { accountActs } from "./accounts/acts.ts";
import { cancellationActs } from "./cancellations/acts.ts";
import { companyActs } from "./companies/webhook.ts";
import { orderActs } from "./orders/acts.ts";
import { subscriptionActs } from "./subscriptions/acts.ts";

/** Every act, by name. */
export const acts: ReadonlyMap<string, Act> = new Map(
  [...subscriptionActs, ...cancellationActs, ...orderActs, ...accountActs, ...companyActs].map((act) => [
    act.name,
    act,
  ]),
);
