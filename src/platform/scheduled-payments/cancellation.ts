import type { Cancellation } from "../cancellations/cancellation.ts";
import type { CancellationSubject } from "../cancellations/subject.ts";
import type { ScheduledPayment } from "./scheduled-payment.ts";
import type { ScheduledPaymentCancellationReason } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { announceChargeCancellation } from "./events.ts";
import { canTake } from "../transition.ts";
import { endScheduledPayment } from "./change.ts";
import { imposeCancellation } from "../cancellations/imposition.ts";
import { isInTime } from "./timetable.ts";
import { scheduledPaymentLifecycle } from "./lifecycle.ts";
import { scheduledPaymentOf } from "./scheduled-payment.ts";

/** How a charge is canceled on request (interface: Scheduled payment cancellation event). */
export const scheduledPaymentCancellation: CancellationSubject = {
  isCancellable: (tx, cancellation) => {
    const payment = scheduledPaymentOf(tx, cancellation.subjectId);
    return canTake(scheduledPaymentLifecycle, payment, "cancel") && isInTime(tx, payment, cancellation);
  },
  cancel: (tx, { subjectId, reason }) => {
    const canceledFor = reason as ScheduledPaymentCancellationReason;
    endScheduledPayment(tx, scheduledPaymentOf(tx, subjectId), "cancel", { canceledFor });
  },
  announce: (tx, cancellation) =>
    announceChargeCancellation(tx, scheduledPaymentOf(tx, cancellation.subjectId), cancellation),
};

/** A cancellation that nobody has to agree to. */
export interface ImposedCancellation extends Pick<Cancellation, "requestedBy" | "customer"> {
  readonly reason: ScheduledPaymentCancellationReason;
  /** A settlement error breaks a charge off; everything else cancels it. */
  readonly action: "cancel" | "break";
  /** The timer of the resend that is to follow. */
  readonly resendTimer?: string | null;
}

/** Cancels a charge outright, and tells of it in the one event ACCEPTED (assumption: charge.imposed-cancellations). */
export function cancelOutright(
  tx: Transaction,
  payment: ScheduledPayment,
  { reason, action, requestedBy, customer, resendTimer = null }: ImposedCancellation,
): void {
  const { companyId, id: subjectId } = payment;
  const canceled = endScheduledPayment(tx, payment, action, { canceledFor: reason, resendTimer });
  const cancellation = imposeCancellation(tx, {
    companyId,
    subject: "scheduled-payment",
    subjectId,
    reason,
    requestedBy,
    customer,
  });
  announceChargeCancellation(tx, canceled, cancellation);
}
