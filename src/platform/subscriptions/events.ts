import type { Subscription } from "./subscription.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { announce } from "../webhook-events/announcement.ts";
import { formatInstant } from "../../engine/instant.ts";
import { subscriptionShape } from "./shape.ts";

/** Tells the company of a new status of a subscription (assumption: subscription.events). */
export function announceSubscription(tx: Transaction, event: string, subscription: Subscription): void {
  announce(tx, {
    companyId: subscription.companyId,
    event,
    objectId: subscription.id,
    url: subscription.webhookUrl,
    body: { event, occurredAt: formatInstant(tx.now), data: subscriptionShape(tx, subscription) },
  });
}
