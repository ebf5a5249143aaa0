import type { ScheduledPayment } from "./scheduled-payment.ts";
import type { ScheduledPaymentAction } from "./lifecycle.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { announceScheduledPayment } from "./events.ts";
import { scheduledPaymentLifecycle } from "./lifecycle.ts";
import { scheduledPayments } from "./scheduled-payment.ts";
import { take } from "../transition.ts";
import { transitionFrom } from "../../engine/lifecycle.ts";

/**
 * Takes an action that ends a charge: nothing is due on it any more, and the company is told where the action
 * has an event of its own.
 */
export function endScheduledPayment(
  tx: Transaction,
  payment: ScheduledPayment,
  action: Exclude<ScheduledPaymentAction, "send" | "accept">,
  changed: Partial<ScheduledPayment> = {},
): ScheduledPayment {
  const row = transitionFrom(scheduledPaymentLifecycle, payment.status, action);
  const taken = take(tx, scheduledPaymentLifecycle, payment, action);
  tx.disarm(payment.stepTimer);
  tx.disarm(payment.closeTimer);
  const ended = tx.put(scheduledPayments, { ...taken, stepTimer: null, closeTimer: null, ...changed });
  if (row?.emits) announceScheduledPayment(tx, row.emits, ended);
  return ended;
}
