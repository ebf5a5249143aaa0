import type { CreateScheduledPaymentResponse, ScheduledPaymentFields } from "../../api/generated/shapes.ts";
import type { EventName } from "../state-machine.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { amountShape, omitNulls } from "../shape.ts";
import { announce } from "../webhook-events/announcement.ts";
import { assumption } from "../assumptions/assumptions.ts";
import {
  type ScheduledPayment,
  subscriptionOf,
  type scheduledPaymentLifecycle,
  scheduledPayments,
} from "./scheduled-payment.ts";
import { formatInstant } from "../../engine/instant.ts";

/** The scheduled payment as events show it (interface: Scheduled payment). */
export function scheduledPaymentFields(payment: ScheduledPayment): ScheduledPaymentFields {
  const { id, externalId, subscriptionId, status, purpose } = payment;
  return {
    id,
    externalId,
    subscriptionId,
    status,
    purpose,
    ...omitNulls({
      originalScheduledPaymentId: payment.originalScheduledPaymentId,
      settlementErrorRetryRootId: payment.settlementErrorRetryRootId,
      settlementErrorRetryAttempt: payment.settlementErrorRetryAttempt,
    }),
    updatedAt: formatInstant(payment.updatedAt),
  };
}

/** The answer to its creation: as it was sent, whatever its status is now (assumption: charge.endpoint). */
export function creationAnswer(payment: ScheduledPayment): CreateScheduledPaymentResponse {
  return {
    ...scheduledPaymentFields(payment),
    status: "PENDING",
    updatedAt: formatInstant(payment.createdAt),
    ...termsOf(payment),
  };
}

/** The scheduled payment as `/sandbox/resources/scheduled-payments` shows it: the interface has no read of one. */
export function scheduledPaymentView(payment: ScheduledPayment) {
  return {
    ...scheduledPaymentFields(payment),
    ...termsOf(payment),
    endToEndId: payment.endToEndId,
    ...omitNulls({
      description: payment.description,
      rejectionCode: payment.rejectionCode,
      cancellationReason: payment.canceledFor,
      orderId: payment.orderId,
    }),
  };
}

/** Sends a new status of a scheduled payment to the company (assumption: charge.events). */
export function announceScheduledPayment(
  tx: Transaction,
  payment: ScheduledPayment,
  event: EventName<typeof scheduledPaymentLifecycle>,
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

function termsOf({ amount, dueDate, settlementDate, createdAt }: ScheduledPayment) {
  return { amount: amountShape(amount), dueDate, settlementDate, createdAt: formatInstant(createdAt) };
}
