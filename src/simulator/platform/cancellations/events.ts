import type { Cancellation, cancellationLifecycle } from "./cancellation.ts";
import type { EventOf } from "../state-machine.ts";
import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { announce } from "../webhook-events/announcement.ts";
import { assumption } from "../assumptions/assumptions.ts";
import {
  subscriptionOf,
  scheduledPaymentOf,
  scheduledPayments,
} from "../scheduled-payments/scheduled-payment.ts";
import { formatInstant } from "../../engine/instant.ts";
import { scheduledPaymentFields } from "../scheduled-payments/view.ts";
import { subscriptions } from "../subscriptions/subscription.ts";
import { timestampOrNull } from "../shape.ts";

/**
 * Sends a new status of a request to the company, as an event of the object that is to be canceled. The status in
 * `data` is that of the object, not of the request (interface: States).
 */
export function announceCancellation(
  tx: Transaction,
  cancellation: Cancellation,
  event: EventOf<typeof cancellationLifecycle>,
): void {
  const { companyId, subject, subjectId } = cancellation;
  const { collection, url, data } =
    subject === "subscription"
      ? subscriptionEvent(tx, cancellation)
      : scheduledPaymentEvent(tx, cancellation);
  const body = { event, occurredAt: formatInstant(tx.now), data };
  announce(tx, { companyId, event, collection, objectId: subjectId, url, body });
}

/** Returns the time of a cancellation, as events show it (assumption: cancellation.event-canceled-at). */
function canceledAtOf(tx: Transaction, { canceledAt }: Cancellation) {
  const isTold = assumption(tx, "cancellation.event-canceled-at") === "time";
  return timestampOrNull(canceledAt ?? (isTold ? tx.now : null));
}

/** Interface: Subscription cancellation event. */
function subscriptionEvent(tx: Transaction, cancellation: Cancellation) {
  const { subjectId, id, status, reason, createdAt, customer } = cancellation;
  const subscription = recordOf(tx, subscriptions, subjectId);
  return {
    collection: subscriptions.name,
    url: subscription.webhookUrl,
    data: {
      id: subscription.id,
      externalId: subscription.externalId,
      status: subscription.status,
      cancellation: {
        id,
        status,
        reason,
        createdAt: formatInstant(createdAt),
        canceledAt: canceledAtOf(tx, cancellation),
        customer,
      },
    },
  };
}

/** Interface: Scheduled payment cancellation event. */
function scheduledPaymentEvent(tx: Transaction, cancellation: Cancellation) {
  const { subjectId, id, status, reason, customer } = cancellation;
  const payment = scheduledPaymentOf(tx, subjectId);
  return {
    collection: scheduledPayments.name,
    url: subscriptionOf(tx, payment).webhookUrl,
    data: {
      ...scheduledPaymentFields(payment),
      cancellation: {
        id,
        status,
        endToEndId: payment.endToEndId,
        reason,
        canceledAt: canceledAtOf(tx, cancellation),
        customer,
      },
    },
  };
}
