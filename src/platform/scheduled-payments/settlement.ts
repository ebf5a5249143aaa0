import type { PlanOutcome } from "../plans/plan.ts";
import type { ScheduledPayment } from "./scheduled-payment.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { bookOrder } from "./order.ts";
import { endScheduledPayment } from "./change.ts";

export type SettlementOutcome = PlanOutcome<"scheduled-payment.settlement">;

/** The payer's institution settles the charge: it is COMPLETED, and a paid order. */
export function settleScheduledPayment(tx: Transaction, payment: ScheduledPayment): void {
  const orderId = tx.chance("orders").uuid();
  bookOrder(tx, endScheduledPayment(tx, payment, "settle", { orderId }));
}

/** No attempt of its day found enough money. */
export function exhaustScheduledPayment(tx: Transaction, payment: ScheduledPayment): void {
  endScheduledPayment(tx, payment, "exhaust");
}

/** The charge fails for good, for a technical reason. */
export function failScheduledPayment(tx: Transaction, payment: ScheduledPayment): void {
  endScheduledPayment(tx, payment, "fail");
}
