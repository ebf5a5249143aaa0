import type { Subscription } from "../subscriptions/subscription.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { endToEndId } from "../../countries/brazil/identifiers.ts";
import { firstAttemptAt } from "./timetable.ts";
import { type ScheduledPayment, scheduledPaymentLifecycle } from "./scheduled-payment.ts";

/** The given fields of a new scheduled payment. The other fields are empty or follow from its subscription. */
type NewScheduledPayment = Pick<
  ScheduledPayment,
  "externalId" | "purpose" | "amount" | "description" | "dueDate" | "settlementDate" | "cycle"
> &
  Partial<ScheduledPayment>;

/** Returns a new scheduled payment, INITIAL, with its own id and end-to-end id. It is stored only when it is sent. */
export function draftScheduledPayment(
  tx: Transaction,
  { id: subscriptionId, companyId, payer }: Subscription,
  given: NewScheduledPayment,
): ScheduledPayment {
  const { bankData } = assertDefined(payer, `the payer of the accepted subscription ${subscriptionId}`);
  return {
    id: tx.chance("scheduled-payments").uuid(),
    companyId,
    subscriptionId,
    status: scheduledPaymentLifecycle.initial,
    originalScheduledPaymentId: null,
    settlementErrorRetryRootId: null,
    settlementErrorRetryAttempt: null,
    endToEndId: endToEndId({
      ispb: bankData.ispb,
      // The scheme names a payment by when it is to be made, half a day more or less, not by when it was ordered.
      instant: firstAttemptAt(tx, given),
      chance: tx.chance("end-to-end-ids"),
    }),
    rejectionCode: null,
    canceledFor: null,
    orderId: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    resendAt: null,
    ...given,
  };
}
