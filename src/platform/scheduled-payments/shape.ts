import type { CreateScheduledPaymentResponse, ScheduledPaymentFields } from "../../api/generated/shapes.ts";
import type { ScheduledPayment } from "./scheduled-payment.ts";
import { amountShape, omitNulls } from "../shape.ts";
import { formatInstant } from "../../engine/instant.ts";
import { scheduledPaymentLifecycle } from "./lifecycle.ts";
import { stateAfter } from "../../engine/lifecycle.ts";

/** The charge as events show it (interface: Scheduled payment). */
export function scheduledPaymentShape(payment: ScheduledPayment): ScheduledPaymentFields {
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

/**
 * The answer to the request that created the charge: it shows it as just sent, however far it has come since,
 * so that the same request again gets the same answer (assumption: charge.endpoint).
 */
export function creationShape(payment: ScheduledPayment): CreateScheduledPaymentResponse {
  return {
    ...scheduledPaymentShape(payment),
    status: stateAfter(scheduledPaymentLifecycle, scheduledPaymentLifecycle.initial, "send"),
    updatedAt: formatInstant(payment.createdAt),
    ...termsShape(payment),
  };
}

/** The charge as `/sandbox/resources/scheduled-payments` shows it: the interface has no read of one. */
export function scheduledPaymentResource(payment: ScheduledPayment): object {
  return {
    ...scheduledPaymentShape(payment),
    ...termsShape(payment),
    endToEndId: payment.endToEndId,
    ...omitNulls({
      description: payment.description,
      rejectionCode: payment.rejectionCode,
      cancellationReason: payment.canceledFor,
      orderId: payment.orderId,
    }),
  };
}

function termsShape({ amount, dueDate, settlementDate, createdAt }: ScheduledPayment) {
  return { amount: amountShape(amount), dueDate, settlementDate, createdAt: formatInstant(createdAt) };
}
