import type { ScheduledPayment } from "./scheduled-payment.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { endToEndId } from "../../countries/brazil/identifiers.ts";
import { firstAttemptAt } from "./timetable.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { scheduledPaymentLifecycle } from "./lifecycle.ts";

type Essentials = Pick<
  ScheduledPayment,
  "externalId" | "purpose" | "amount" | "description" | "dueDate" | "settlementDate" | "cycle"
> &
  Partial<ScheduledPayment>;

/** A new charge, INITIAL, with an id and an end-to-end id of its own. It is not put yet. */
export function draftScheduledPayment(
  tx: Transaction,
  { id: subscriptionId, companyId, payer }: Subscription,
  given: Essentials,
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
      // The scheme names an order by when it is to be sent, half a day more or less, and not by when it was written.
      instant: firstAttemptAt(tx, given),
      chance: tx.chance("end-to-end-ids"),
    }),
    rejectionCode: null,
    canceledFor: null,
    orderId: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    stepTimer: null,
    closeTimer: null,
    resendTimer: null,
    ...given,
  };
}
