import type { Payout, PayoutTransaction } from "./payout.ts";
import type {
  Payout as PayoutShape,
  PayoutBatch,
  PayoutTransaction as PayoutTransactionShape,
} from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { firstTransaction, transactionsOf } from "./payout.ts";
import { formatMoney, money } from "../../engine/money.ts";
import { omitNulls, timestampOrNull } from "../shape.ts";

/** The payout as answers show it (interface: Payout). */
export function payoutShape(payout: Payout, records: Pick<Transaction, "find">): PayoutShape {
  const { id, externalId, status, amount, description, endToEndId, batchId, errorMessage } = payout;
  return {
    id,
    externalId,
    status,
    amount: formatMoney(amount),
    currency: "BRL",
    description,
    endToEndId,
    ...omitNulls({
      controlNumber: firstTransaction(records, id).controlNumber,
      batch: batchId === null ? null : batchShape(batchId, transactionsOf(records, id)),
      errorMessage,
    }),
  };
}

/** Counters and sums are counted from the transactions themselves, so that they always add up. */
function batchShape(id: string, transactions: readonly PayoutTransaction[]): PayoutBatch {
  const paid = transactions.filter(({ status }) => status === "PAID");
  const pending = transactions.filter(({ status }) => status === "PENDING");
  return {
    id,
    transactionsCount: transactions.length,
    paidCount: paid.length,
    failedCount: transactions.length - paid.length - pending.length,
    pendingCount: pending.length,
    paidAmount: sumOf(paid),
    pendingAmount: sumOf(pending),
    transactions: transactions.map(transactionShape),
  };
}

function transactionShape(transaction: PayoutTransaction): PayoutTransactionShape {
  const { id, idempotencyKey, sequence, amount, status, endToEndId, paidAt, errorMessage } = transaction;
  return {
    id,
    idempotencyKey,
    sequence,
    amount: formatMoney(amount),
    status,
    ...omitNulls({ endToEndId, paidAt: timestampOrNull(paidAt), errorMessage }),
  };
}

function sumOf(transactions: readonly PayoutTransaction[]): string {
  return formatMoney(
    money(
      "BRL",
      transactions.reduce((sum, { amount }) => sum + amount.minor, 0),
    ),
  );
}
