import type { Transaction } from "../../engine/transaction.ts";
import { announcePayout } from "./events.ts";
import {
  type PayoutTransaction,
  payoutLifecycle,
  payoutOf,
  payoutSettlement,
  payoutTransactionLifecycle,
  payoutTransactions,
  payouts,
  settlementTime,
} from "./payout.ts";
import { stateMachine } from "../state-machine.ts";

export const transactionStates = stateMachine(payoutTransactions, payoutTransactionLifecycle, {
  arm: { "payout.settlement": scheduleSettlement },
});

export const payoutStates = stateMachine(payouts, payoutLifecycle, { emit: announcePayout });

/** Settles a transaction in its own time; a key of the fixtures that fails or is slow has decided already. */
function scheduleSettlement(tx: Transaction, transaction: PayoutTransaction): void {
  if (payoutSettlement.schedule(tx, transaction)) return;
  const payout = payoutOf(tx, transaction);
  const { settlement } = payout.destination;
  if (settlement === null || (settlement.outcome === "PAID" && settlement.delay === undefined)) return;
  tx.arm({ kind: payoutSettlement.name, owner: transaction.id, due: settlementTime(tx, payout) });
}
