import type { Records } from "../../engine/store.ts";
import type {
  Payout as PayoutAnswer,
  PayoutBatch,
  PayoutTransaction as PayoutTransactionAnswer,
} from "../../api/generated/shapes.ts";
import { omitNulls, timestampOrNull } from "../shape.ts";
import { type Payout, type PayoutTransaction, firstTransaction, leftOf, transactionsOf } from "./payout.ts";
import { formatMoney, sumOf } from "../../engine/money.ts";

/** The payout as answers show it (interface: Payout). */
export function payoutView(payout: Payout, records: Records): PayoutAnswer {
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
      batch: batchId === null ? null : batchView(batchId, transactionsOf(records, id)),
      errorMessage,
    }),
  };
}

/** Counters and sums are counted from the transactions themselves, so that they always add up. */
function batchView(id: string, transactions: readonly PayoutTransaction[]): PayoutBatch {
  const paid = transactions.filter(({ status }) => status === "PAID" || status === "PARTIAL_REFUNDED");
  const pending = transactions.filter(({ status }) => status === "PENDING" || status === "ANALYSIS");
  return {
    id,
    transactionsCount: transactions.length,
    paidCount: paid.length,
    failedCount: transactions.length - paid.length - pending.length,
    pendingCount: pending.length,
    paidAmount: amountOf(paid),
    pendingAmount: amountOf(pending),
    transactions: transactions.map(transactionView),
  };
}

function transactionView(transaction: PayoutTransaction): PayoutTransactionAnswer {
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

function amountOf(transactions: readonly PayoutTransaction[]): string {
  return formatMoney(sumOf("BRL", transactions.map(leftOf)));
}
