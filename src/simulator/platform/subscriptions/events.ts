import type { EventOf } from "../state-machine.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { announce } from "../webhook-events/announcement.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { formatInstant } from "../../engine/instant.ts";
import { type Subscription, type subscriptionLifecycle, subscriptions } from "./subscription.ts";
import { subscriptionView } from "./view.ts";

/** Sends the new status of a subscription to the company (assumption: subscription.events). */
export function announceSubscription(
  tx: Transaction,
  subscription: Subscription,
  event: EventOf<typeof subscriptionLifecycle>,
): void {
  if (assumption(tx, "subscription.events") === "none") return;
  announce(tx, {
    companyId: subscription.companyId,
    event,
    collection: subscriptions.name,
    objectId: subscription.id,
    url: subscription.webhookUrl,
    body: { event, occurredAt: formatInstant(tx.now), data: subscriptionView(subscription, tx) },
  });
}
