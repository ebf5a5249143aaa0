import type { CreateScheduledPaymentResponse, ScheduledPaymentFields } from "../../api/generated/shapes.ts";
import { amountShape, omitNulls } from "../shape.ts";
import type { ScheduledPayment } from "./scheduled-payment.ts";
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

/** The scheduled payment as `/sandbox/resources/scheduled-payments` shows it: the platform API has no read of one. */
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

function termsOf({ amount, dueDate, settlementDate, createdAt }: ScheduledPayment) {
  return { amount: amountShape(amount), dueDate, settlementDate, createdAt: formatInstant(createdAt) };
}
