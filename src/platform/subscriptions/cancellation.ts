import type { Cancellation } from "../cancellations/cancellation.ts";
import type { CancellationSubject } from "../cancellations/subject.ts";
import type { Subscription } from "./subscription.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { announce } from "../webhook-events/announcement.ts";
import { cancelChargesOfSubscription } from "../scheduled-payments/cascade.ts";
import { canTake, take } from "../transition.ts";
import { closeFirstOrder } from "./authorization.ts";
import { formatInstant } from "../../engine/instant.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { subscriptionLifecycle } from "./lifecycle.ts";
import { subscriptions } from "./subscription.ts";
import { timestampOrNull } from "../shape.ts";

/** How a subscription is canceled on request (interface: Subscription cancellation event). */
export const subscriptionCancellation: CancellationSubject = {
  isCancellable: (tx, { subjectId }) =>
    canTake(subscriptionLifecycle, subscriptionOf(tx, subjectId), "cancel"),
  cancel: cancelSubscription,
  announce: announceCancellation,
  conclude: (tx, cancellation) => {
    cancelChargesOfSubscription(tx, subscriptionOf(tx, cancellation.subjectId), cancellation);
  },
};

function cancelSubscription(tx: Transaction, { subjectId }: Cancellation): void {
  const subscription = subscriptionOf(tx, subjectId);
  const canceled = tx.put(subscriptions, take(tx, subscriptionLifecycle, subscription, "cancel"));
  closeFirstOrder(tx, canceled);
}

function announceCancellation(tx: Transaction, cancellation: Cancellation): void {
  const subscription = subscriptionOf(tx, cancellation.subjectId);
  const event = `SUBSCRIPTION.CANCELLATION.${cancellation.status}`;
  announce(tx, {
    companyId: subscription.companyId,
    event,
    objectId: subscription.id,
    url: subscription.webhookUrl,
    body: {
      event,
      occurredAt: formatInstant(tx.now),
      data: {
        id: subscription.id,
        externalId: subscription.externalId,
        status: subscription.status,
        cancellation: {
          id: cancellation.id,
          status: cancellation.status,
          reason: cancellation.reason,
          createdAt: formatInstant(cancellation.createdAt),
          canceledAt: timestampOrNull(cancellation.canceledAt),
          customer: cancellation.customer,
        },
      },
    },
  });
}

function subscriptionOf(tx: Transaction, id: string): Subscription {
  return assertDefined(tx.get(subscriptions, id), `the subscription ${id}`);
}
