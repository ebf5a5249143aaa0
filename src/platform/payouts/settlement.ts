import type { Payout, PayoutTransaction } from "./payout.ts";
import type { PayoutAction } from "./lifecycle.ts";
import type { PixKeySettlement } from "../pix-keys/pix-key.ts";
import type { StepOutcome } from "../autopilot.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { addDuration } from "../../engine/instant.ts";
import { announcePayout } from "./events.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { availableOn, heldFor, move } from "../ledger/ledger.ts";
import { canTake, take } from "../transition.ts";
import { credit } from "./credit.ts";
import { deadCode, obstacleTo } from "./obstacles.ts";
import { failureMessage } from "./failures.ts";
import { formatMoney, money } from "../../engine/money.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { localDate, saoPaulo } from "../../countries/brazil/calendar.ts";
import { scheduleStep } from "../autopilot.ts";
import { takeOutcome } from "../plans/plan.ts";
import { payoutLifecycle, payoutTransactionLifecycle } from "./lifecycle.ts";
import { payouts, payoutTransactions, transactionsOf } from "./payout.ts";
import { tedControlNumber } from "../../countries/brazil/identifiers.ts";
import { tedSettlementTime } from "./ted-hours.ts";
import { timerKind } from "../../engine/timers.ts";

/**
 * Lets a transaction settle in its own time (assumption: payout.settlement-delay). A key of the fixtures that is
 * to fail or to be slow has decided already, as a payer of the fixtures has, so it does not wait for a hand.
 */
export function scheduleSettlement(tx: Transaction, payout: Payout, transaction: PayoutTransaction): void {
  const input = { transactionId: transaction.id };
  const { settlement } = payout.destination;
  const delay = settlement?.delay ?? assumption(tx, "payout.pix-delay");
  const due = payout.paymentMethod === "TED" ? tedSettlementTime(tx) : addDuration(tx.now, delay, saoPaulo);
  const settlementTimer =
    scheduleStep(tx, {
      step: "payout.settlement",
      objectId: payout.id,
      due,
      timer: settlePayoutTransaction,
      input,
    }) ?? (hasDecided(settlement) ? tx.arm(settlePayoutTransaction, due, { ...input, outcome: null }) : null);
  tx.put(payoutTransactions, { ...transaction, settlementTimer });
}

function hasDecided(settlement: PixKeySettlement | null): boolean {
  return settlement !== null && (settlement.outcome !== "PAID" || settlement.delay !== undefined);
}

/** A transaction is due: what was planned comes of it, else what is in the way, else what its key is made for. */
export const settlePayoutTransaction = timerKind<
  { transactionId: string } & StepOutcome<"payout.settlement">
>("payout.settlement", (tx, { transactionId, outcome: decided }) => {
  const transaction = assertDefined(
    tx.get(payoutTransactions, transactionId),
    `the transaction ${transactionId}`,
  );
  if (!canTake(payoutTransactionLifecycle, transaction, "settle")) return;
  const payout = payoutOf(tx, transaction);
  const planned = decided ?? takeOutcome(tx, "payout.settlement", payout.id);
  const obstacle = planned === undefined ? obstacleTo(tx, payout) : deadCode(tx, payout);
  const outcome = planned ?? (obstacle === null ? payout.destination.settlement?.outcome : "ERROR");
  if (outcome === "CANCELED") cancelTransaction(tx, transaction);
  else if (outcome === "ERROR" || obstacle !== null) {
    failTransaction(tx, transaction, obstacle ?? failureMessage("AB09"));
  } else settleTransaction(tx, transaction);
});

/** The money reaches the receiver. */
export function settleTransaction(tx: Transaction, transaction: PayoutTransaction): void {
  const payout = payoutOf(tx, transaction);
  const settled = end(tx, transaction, "settle", {
    paidAt: tx.now,
    controlNumber: payout.paymentMethod === "TED" ? nextControlNumber(tx) : null,
  });
  credit(tx, payout, settled);
  closePayout(tx, payout);
}

/** The transaction comes to nothing, and its money is back on the account. */
export function failTransaction(tx: Transaction, transaction: PayoutTransaction, errorMessage: string): void {
  giveBack(tx, end(tx, transaction, "fail", { errorMessage }), "failed");
}

/** The transaction is canceled, and its money is back on the account. */
export function cancelTransaction(tx: Transaction, transaction: PayoutTransaction): void {
  giveBack(tx, end(tx, transaction, "cancel", {}), "canceled");
}

function giveBack(tx: Transaction, transaction: PayoutTransaction, what: string): void {
  const payout = payoutOf(tx, transaction);
  move(tx, {
    from: heldFor(payout.id),
    to: availableOn(payout.accountId),
    amount: transaction.amount,
    memo: `payout ${payout.externalId} ${what}`,
    objectId: payout.id,
  });
  closePayout(tx, payout);
}

function end(
  tx: Transaction,
  transaction: PayoutTransaction,
  action: PayoutAction,
  changed: Partial<PayoutTransaction>,
): PayoutTransaction {
  const taken = take(tx, payoutTransactionLifecycle, transaction, action);
  tx.disarm(transaction.settlementTimer);
  return tx.put(payoutTransactions, { ...taken, ...changed, settlementTimer: null });
}

/** Counts one transaction off; the last one decides what became of the payout (assumption: payout.parent-status). */
function closePayout(tx: Transaction, payout: Payout): void {
  const counted = tx.put(payouts, { ...payout, openCount: payout.openCount - 1 });
  if (counted.openCount > 0) return;
  const transactions = transactionsOf(tx, payout.id);
  const action = outcomeOfAll(transactions);
  const ended = tx.put(payouts, {
    ...take(tx, payoutLifecycle, counted, action),
    paidAt: action === "settle" ? tx.now : null,
    errorMessage: action === "fail" ? errorOfAll(transactions) : null,
  });
  announcePayout(tx, ended);
}

function outcomeOfAll(transactions: readonly PayoutTransaction[]): PayoutAction {
  if (transactions.every(({ status }) => status === "PAID")) return "settle";
  return transactions.every(({ status }) => status === "CANCELED") ? "cancel" : "fail";
}

/** The one reason where all failed for it, else how many failed. */
function errorOfAll(transactions: readonly PayoutTransaction[]): string {
  const [first] = transactions;
  const message = first?.errorMessage ?? null;
  if (message !== null && transactions.every(({ errorMessage }) => errorMessage === message)) return message;
  const failed = transactions.filter(({ status }) => status !== "PAID");
  const amount = failed.reduce((sum, transaction) => sum + transaction.amount.minor, 0);
  return `${failed.length} of ${transactions.length} transactions were not paid; ${formatMoney(money("BRL", amount))} BRL went back to the account.`;
}

function nextControlNumber(tx: Transaction): string {
  const date = localDate(tx.now);
  return tedControlNumber({ date, sequence: tx.count(`ted ${date}`) });
}

function payoutOf(tx: Transaction, { payoutId }: PayoutTransaction): Payout {
  return assertDefined(tx.get(payouts, payoutId), `the payout ${payoutId}`);
}
