import type { Instant } from "../../engine/instant.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { announceScheduledPayment } from "./events.ts";
import { finalInstant, firstAttemptAt } from "./timetable.ts";
import {
  type ScheduledPayment,
  scheduledPaymentLifecycle,
  scheduledPayments,
  scheduling,
  settlement,
} from "./scheduled-payment.ts";
import { stateMachine } from "../state-machine.ts";

export const scheduledPaymentStates = stateMachine(scheduledPayments, scheduledPaymentLifecycle, {
  emit: announceScheduledPayment,
  arm: {
    "scheduled-payment.close": (tx, { id, settlementDate }) =>
      tx.arm({ kind: "scheduled-payment.close", owner: id, due: finalInstant(tx, settlementDate) }),
    "scheduled-payment.scheduling": scheduling.schedule,
    "scheduled-payment.settlement": (tx, payment) => armSettlement(tx, payment, firstAttemptAt(tx, payment)),
    "scheduled-payment.resend": (tx, { id, resendAt }) => {
      if (resendAt !== null) tx.arm({ kind: "scheduled-payment.resend", owner: id, due: resendAt });
    },
  },
});

/** Arms an attempt of the payer's institution to settle the charge. */
export function armSettlement(tx: Transaction, { id }: ScheduledPayment, due: Instant): void {
  tx.arm({ kind: settlement.name, owner: id, due });
}
