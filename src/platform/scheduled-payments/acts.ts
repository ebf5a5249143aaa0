import type { ScheduledPayment } from "./scheduled-payment.ts";
import type {
  ScheduledPaymentFailFields,
  ScheduledPaymentRejectFields,
  ScheduledPaymentRequestCancellationFields,
} from "../../api/generated/shapes.ts";
import { acceptScheduledPayment, breakScheduledPayment, rejectScheduledPayment } from "./steps.ts";
import { act } from "../act.ts";
import { actObject } from "../act-object.ts";
import { chargedSubscription, payerOf, scheduledPayments } from "./scheduled-payment.ts";
import { customerOf } from "../cancellations/customer.ts";
import { exhaustScheduledPayment, failScheduledPayment, settleScheduledPayment } from "./settlement.ts";
import { illegalAct } from "../refusals.ts";
import { requestCancellation } from "../cancellations/request.ts";
import { requireAction } from "../transition.ts";
import { scheduledPaymentLifecycle } from "./lifecycle.ts";

const FAILURES = {
  SETTLEMENT_ERROR: breakScheduledPayment,
  INSUFFICIENT_BALANCE: exhaustScheduledPayment,
  ERROR: failScheduledPayment,
} as const;

/** What the payer, the receiver and the payer's institution do to a charge. */
export const scheduledPaymentActs = [
  act({
    name: "scheduled-payment.accept",
    collection: "scheduled-payments",
    schema: null,
    summary: "The payer's institution schedules the charge for its day.",
    run: (tx, { id }) => acceptScheduledPayment(tx, actObject(tx, scheduledPayments, id)),
  }),
  act<ScheduledPaymentRejectFields>({
    name: "scheduled-payment.reject",
    collection: "scheduled-payments",
    schema: "ScheduledPaymentRejectFields",
    summary: "The payer's institution does not schedule the charge, for one of the scheme's codes.",
    run: (tx, { id, fields }) =>
      rejectScheduledPayment(tx, actObject(tx, scheduledPayments, id), fields.code),
  }),
  act({
    name: "scheduled-payment.settle",
    collection: "scheduled-payments",
    schema: null,
    summary: "The payer's institution pays the charge now, whatever its day.",
    run: (tx, { id }) => settleScheduledPayment(tx, actObject(tx, scheduledPayments, id)),
  }),
  act<ScheduledPaymentFailFields>({
    name: "scheduled-payment.fail",
    collection: "scheduled-payments",
    schema: "ScheduledPaymentFailFields",
    summary:
      "The charge ends unpaid now: for lack of balance, by a settlement error that the platform resends on the settlement date, or by an error for good.",
    run: (tx, { id, fields: { outcome } }) => {
      const payment = actObject(tx, scheduledPayments, id);
      if (payment.status === "PENDING" && outcome !== "ERROR") throw notTriedYet(payment, outcome);
      FAILURES[outcome](tx, payment);
    },
  }),
  act<ScheduledPaymentRequestCancellationFields>({
    name: "scheduled-payment.request-cancellation",
    collection: "scheduled-payments",
    schema: "ScheduledPaymentRequestCancellationFields",
    summary:
      "The payer, the receiver or an institution asks to take the charge back; too late a request is rejected.",
    run: (tx, { id, fields }) => {
      const payment = actObject(tx, scheduledPayments, id);
      requireAction(scheduledPaymentLifecycle, payment, "cancel");
      const subscription = chargedSubscription(tx, payment);
      requestCancellation(tx, {
        companyId: payment.companyId,
        subject: "scheduled-payment",
        subjectId: payment.id,
        reason: fields.reason,
        ...customerOf(fields, {
          payer: payerOf(subscription).document,
          receiver: subscription.receiver.document,
        }),
      });
    },
  }),
];

function notTriedYet({ id }: ScheduledPayment, outcome: string): Error {
  return illegalAct(
    `Failed to end the charge ${id} with ${outcome}: it is PENDING, and only a scheduled charge is tried. Possible from there: scheduled-payment.accept, scheduled-payment.reject, scheduled-payment.fail with the outcome ERROR, scheduled-payment.request-cancellation.`,
  );
}
