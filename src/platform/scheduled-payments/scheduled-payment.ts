import type { CalendarDate } from "../../countries/brazil/calendar.ts";
import type { Instant } from "../../engine/instant.ts";
import type { Money } from "../../engine/money.ts";
import type {
  ScheduledPaymentCancellationReason,
  ScheduledPaymentPurpose,
  ScheduledPaymentRejectionCode,
} from "../../api/generated/shapes.ts";
import type { ScheduledPaymentStatus } from "./lifecycle.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { TaxPerson } from "../payers/payer.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { collection, compositeKey } from "../../engine/collection.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { subscriptions, type Subscription } from "../subscriptions/subscription.ts";

/** A charge of a subscription on its way from the payer's account (interface: Scheduled payment). */
export interface ScheduledPayment extends StoredRecord {
  readonly companyId: string;
  readonly subscriptionId: string;
  /** The partner's code of the charge; the platform's own on a resend. */
  readonly externalId: string;
  readonly status: ScheduledPaymentStatus;
  readonly purpose: ScheduledPaymentPurpose;
  readonly amount: Money;
  readonly description: string | null;
  readonly dueDate: CalendarDate;
  /** The day it is paid: the due date, moved off the weekend where the subscription says so. */
  readonly settlementDate: CalendarDate;
  /** Which cycle of the subscription the due date falls in, counted from 0. */
  readonly cycle: number;
  /** A resend: the one it resends; a new attempt: the first attempt it retries. */
  readonly originalScheduledPaymentId: string | null;
  /** A resend only: the charge that the partner created, at the root of the chain. */
  readonly settlementErrorRetryRootId: string | null;
  /** A resend only: 1 to 3. */
  readonly settlementErrorRetryAttempt: number | null;
  /** Names its PIX payment from the start (assumption: charge.end-to-end-id). */
  readonly endToEndId: string;
  /** Why the payer's institution did not schedule it. The interface does not show it. */
  readonly rejectionCode: ScheduledPaymentRejectionCode | null;
  readonly canceledFor: ScheduledPaymentCancellationReason | null;
  /** The paid order that a completed charge is, too. */
  readonly orderId: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** The next answer of the payer's institution. */
  readonly stepTimer: string | null;
  /** The end of its settlement date, at which it is final. */
  readonly closeTimer: string | null;
  /** Armed between a settlement error and the resend. */
  readonly resendTimer: string | null;
}

export const scheduledPayments = collection<ScheduledPayment, "externalId" | "cycle" | "open">(
  "scheduled-payments",
  {
    externalId: (payment) => compositeKey(payment.companyId, payment.externalId),
    cycle: (payment) => compositeKey(payment.subscriptionId, String(payment.cycle)),
    open: (payment) => (isOpen(payment) || isBeingResent(payment) ? payment.subscriptionId : undefined),
  },
);

/** Whether its outcome is still to come. */
export function isOpen({ status }: ScheduledPayment): boolean {
  return status === "INITIAL" || status === "PENDING" || status === "ACCEPTED";
}

/** Whether it met a settlement error and its resend is still to come. */
export function isBeingResent({ resendTimer }: ScheduledPayment): boolean {
  return resendTimer !== null;
}

/** All charges of the subscription whose due dates fall in one cycle, resends and new attempts included. */
export function chargesOfCycle(
  tx: Pick<Transaction, "find">,
  subscriptionId: string,
  cycle: number,
): ScheduledPayment[] {
  return tx.find(scheduledPayments, "cycle", compositeKey(subscriptionId, String(cycle)));
}

/** The charge of that id, which our own records name. */
export function scheduledPaymentOf(tx: Pick<Transaction, "get">, id: string): ScheduledPayment {
  return assertDefined(tx.get(scheduledPayments, id), `the scheduled payment ${id}`);
}

/** The subscription that is charged. */
export function chargedSubscription(
  tx: Pick<Transaction, "get">,
  { subscriptionId }: ScheduledPayment,
): Subscription {
  return assertDefined(tx.get(subscriptions, subscriptionId), `the subscription ${subscriptionId}`);
}

/** Who pays the charges of a subscription. */
export function payerOf(subscription: Subscription): TaxPerson {
  return subscription.payer ?? subscription.debtor;
}
