import type { Records } from "../../engine/store.ts";
import type { Lifecycle } from "../../engine/lifecycle.ts";
import type { Money } from "../../engine/money.ts";
import type {
  ScheduledPaymentCancellationReason,
  ScheduledPaymentPurpose,
  ScheduledPaymentRejectionCode,
  ScheduledPaymentStatus,
} from "../../api/generated/shapes.ts";
import type { TaxPerson } from "../payers/payer.ts";
import { recordOf } from "../../engine/transaction.ts";
import { type Instant } from "../../engine/instant.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { type StoredRecord, collection, compositeKey } from "../../engine/collection.ts";
import type { CalendarDate } from "../../countries/brazil/calendar.ts";
import { later } from "../later.ts";
import { step } from "../step.ts";
import { type Subscription, subscriptions } from "../subscriptions/subscription.ts";

/** A scheduled payment of a subscription on its way from the payer's account (interface: Scheduled payment). */
export interface ScheduledPayment extends StoredRecord {
  readonly companyId: string;
  readonly subscriptionId: string;
  /** The partner's code of the scheduled payment; the platform's own on a resend. */
  readonly externalId: string;
  readonly status: ScheduledPaymentStatus;
  readonly purpose: ScheduledPaymentPurpose;
  readonly amount: Money;
  readonly description: string | null;
  readonly dueDate: CalendarDate;
  /** The day of its payment: the due date, moved off the weekend if the subscription says so. */
  readonly settlementDate: CalendarDate;
  /** The cycle of the subscription that contains the due date, counted from 0. */
  readonly cycle: number;
  /** A resend: the one it resends; a new attempt: the first attempt it retries. */
  readonly originalScheduledPaymentId: string | null;
  /** A resend only: the scheduled payment that the partner created, at the root of the chain. */
  readonly settlementErrorRetryRootId: string | null;
  /** A resend only: 1 to 3. */
  readonly settlementErrorRetryAttempt: number | null;
  /** Names its PIX payment from its creation on (assumption: charge.end-to-end-id). */
  readonly endToEndId: string;
  /** The reason why the payer's institution did not schedule it. The platform API does not show it. */
  readonly rejectionCode: ScheduledPaymentRejectionCode | null;
  readonly canceledFor: ScheduledPaymentCancellationReason | null;
  /** The paid order that a completed scheduled payment also is. */
  readonly orderId: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** The time at which the platform resends it. Null except between a settlement error and the resend. */
  readonly resendAt: Instant | null;
}

const FAIL = "scheduled-payment.fail";

/**
 * The states of a scheduled payment (interface: States, Scheduled payment; assumptions: charge.events,
 * charge.settlement-windows). `exhaust` is the end of a day without enough money, `break` a settlement error. The two
 * rows to CANCELED send no event themselves: the cancellation that belongs to them sends it.
 */
export const scheduledPaymentLifecycle = {
  resource: "scheduled-payment",
  initial: "INITIAL",
  states: [
    "INITIAL",
    "PENDING",
    "ACCEPTED",
    "REJECTED",
    "COMPLETED",
    "ERROR",
    "CANCELED",
    "CANCELED_INSUFFICIENT_BALANCE",
  ],
  ends: {
    ACCEPTED: "good",
    COMPLETED: "good",
    REJECTED: "bad",
    ERROR: "bad",
    CANCELED: "neutral",
    CANCELED_INSUFFICIENT_BALANCE: "bad",
  },
  transitions: [
    { from: ["INITIAL"], action: "send", to: "PENDING", act: null },
    {
      from: ["PENDING"],
      action: "accept",
      to: "ACCEPTED",
      emits: "SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED",
    },
    {
      from: ["PENDING"],
      action: "reject",
      to: "REJECTED",
      emits: "SUBSCRIPTION.SCHEDULED_PAYMENT.REJECTED",
    },
    {
      from: ["ACCEPTED"],
      action: "settle",
      to: "COMPLETED",
      emits: "SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED",
    },
    {
      from: ["ACCEPTED"],
      action: "exhaust",
      to: "CANCELED_INSUFFICIENT_BALANCE",
      emits: "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELED_INSUFFICIENT_BALANCE",
      act: FAIL,
    },
    {
      from: ["PENDING", "ACCEPTED"],
      action: "fail",
      to: "ERROR",
      emits: "SUBSCRIPTION.SCHEDULED_PAYMENT.ERROR",
      act: FAIL,
    },
    { from: ["ACCEPTED"], action: "break", to: "CANCELED", act: FAIL },
    {
      from: ["PENDING", "ACCEPTED"],
      action: "cancel",
      to: "CANCELED",
      act: "scheduled-payment.request-cancellation",
    },
  ],
  timers: {
    "scheduled-payment.close": ["PENDING", "ACCEPTED"],
    "scheduled-payment.scheduling": ["PENDING"],
    "scheduled-payment.settlement": ["ACCEPTED"],
    "scheduled-payment.resend": ["CANCELED"],
  },
} as const satisfies Lifecycle<ScheduledPaymentStatus>;

export const scheduledPayments = collection<ScheduledPayment, "externalId" | "cycle" | "open">(
  "scheduled-payments",
  {
    externalId: (payment) => compositeKey(payment.companyId, payment.externalId),
    cycle: (payment) => compositeKey(payment.subscriptionId, String(payment.cycle)),
    open: (payment) => (isOpen(payment) || isBeingResent(payment) ? payment.subscriptionId : undefined),
  },
  scheduledPaymentLifecycle,
);

/** The payer's institution schedules the payment for its day, or not (assumption: charge.schedule-delay). */
export const scheduling = step({
  name: "scheduled-payment.scheduling",
  of: scheduledPayments,
  outcomes: ["ACCEPTED", "REJECTED", "ERROR"],
  decidedBy: "institution",
  summary: "The payer institution's answer to a new charge",
  person: (tx, payment) => payerOf(subscriptionOf(tx, payment)),
  due: (tx) => later(tx.now, assumption(tx, "charge.schedule-delay")),
});

/**
 * The payer's institution tries to settle the scheduled payment, at the hours of `timetable.ts`. A plan for the
 * scheduled payment that the partner created applies to its resends, too.
 */
export const settlement = step({
  name: "scheduled-payment.settlement",
  of: scheduledPayments,
  outcomes: ["SETTLED", "SETTLEMENT_ERROR", "INSUFFICIENT_BALANCE", "ERROR"],
  decidedBy: "institution",
  summary: "The payer institution's attempt to settle a charge",
  settles: true,
  planIds: ({ id, settlementErrorRetryRootId }) => [id, settlementErrorRetryRootId ?? id],
  isLater: ({ purpose }) => purpose === "NEW_ATTEMPT_AFTER_DUE_DATE",
  person: (tx, payment) => payerOf(subscriptionOf(tx, payment)),
});

/** Whether its outcome is still to come. */
export function isOpen({ status }: ScheduledPayment): boolean {
  return status === "INITIAL" || status === "PENDING" || status === "ACCEPTED";
}

/** Whether it met a settlement error and its resend is still to come. */
export function isBeingResent({ resendAt }: ScheduledPayment): boolean {
  return resendAt !== null;
}

/** All scheduled payments of the subscription whose due dates fall in one cycle, resends and new attempts included. */
export function scheduledPaymentsOfCycle(
  tx: Records,
  subscriptionId: string,
  cycle: number,
): ScheduledPayment[] {
  return tx.find(scheduledPayments, "cycle", compositeKey(subscriptionId, String(cycle)));
}

/** The scheduled payment of that id, which our own records name. */
export function scheduledPaymentOf(tx: Records, id: string): ScheduledPayment {
  return recordOf(tx, scheduledPayments, id);
}

/** The subscription that is charged. */
export function subscriptionOf(tx: Records, { subscriptionId }: ScheduledPayment): Subscription {
  return recordOf(tx, subscriptions, subscriptionId);
}

/** The person who pays the scheduled payments of a subscription. */
export function payerOf(subscription: Subscription): TaxPerson {
  return subscription.payer ?? subscription.debtor;
}
