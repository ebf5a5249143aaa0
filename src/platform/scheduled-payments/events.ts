import type { Cancellation } from "../cancellations/cancellation.ts";
import type { ScheduledPayment } from "./scheduled-payment.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { announce } from "../webhook-events/announcement.ts";
import { chargedSubscription } from "./scheduled-payment.ts";
import { formatInstant } from "../../engine/instant.ts";
import { scheduledPaymentShape } from "./shape.ts";
import { timestampOrNull } from "../shape.ts";

/** Tells the company of a new status of a charge (assumption: charge.events). */
export function announceScheduledPayment(tx: Transaction, event: string, payment: ScheduledPayment): void {
  tell(tx, event, payment, scheduledPaymentShape(payment));
}

/** Tells the company how a request to cancel a charge stands (interface: Scheduled payment cancellation event). */
export function announceChargeCancellation(
  tx: Transaction,
  payment: ScheduledPayment,
  cancellation: Cancellation,
): void {
  const { id, status, reason, customer } = cancellation;
  tell(tx, `SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.${status}`, payment, {
    ...scheduledPaymentShape(payment),
    cancellation: {
      id,
      status,
      endToEndId: payment.endToEndId,
      reason,
      canceledAt: timestampOrNull(cancellation.canceledAt),
      customer,
    },
  });
}

function tell(tx: Transaction, event: string, payment: ScheduledPayment, data: object): void {
  announce(tx, {
    companyId: payment.companyId,
    event,
    objectId: payment.id,
    url: chargedSubscription(tx, payment).webhookUrl,
    body: { event, occurredAt: formatInstant(tx.now), data },
  });
}
