import type { EventOf } from "../state-machine.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { announce } from "../webhook-events/announcement.ts";
import { assumption } from "../assumptions/assumptions.ts";
import {
  type ScheduledPayment,
  subscriptionOf,
  type scheduledPaymentLifecycle,
  scheduledPayments,
} from "./scheduled-payment.ts";
import { formatInstant } from "../../engine/instant.ts";
import { scheduledPaymentFields } from "./view.ts";

/** Sends a new status of a scheduled payment to the company (assumption: charge.events). */
export function announceScheduledPayment(
  tx: Transaction,
  payment: ScheduledPayment,
  event: EventOf<typeof scheduledPaymentLifecycle>,
): void {
  if (assumption(tx, "charge.events") === "none") return;
  announce(tx, {
    companyId: payment.companyId,
    event,
    collection: scheduledPayments.name,
    objectId: payment.id,
    url: subscriptionOf(tx, payment).webhookUrl,
    body: { event, occurredAt: formatInstant(tx.now), data: scheduledPaymentFields(payment) },
  });
}
