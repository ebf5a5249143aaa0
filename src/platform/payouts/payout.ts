import type { Destination } from "./destination.ts";
import type { Instant } from "../../engine/instant.ts";
import type { Money } from "../../engine/money.ts";
import type { PayoutMethod, PayoutStatus } from "../../api/generated/shapes.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { TaxPerson } from "../payers/payer.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { collection, compositeKey } from "../../engine/collection.ts";
import { assertDefined } from "../../engine/assertion.ts";

/** Money on its way out of a company account (interface: Payout). */
export interface Payout extends StoredRecord {
  readonly companyId: string;
  /** The account that pays. */
  readonly accountId: string;
  readonly externalId: string;
  readonly paymentMethod: PayoutMethod;
  readonly status: PayoutStatus;
  readonly amount: Money;
  readonly description: string;
  /** Who the request says is to be paid; null where it leaves that to the key or the QR code. */
  readonly receiver: TaxPerson | null;
  readonly destination: Destination;
  /** That of the first transaction; for a TED one made by the platform (assumption: payout.ted-end-to-end-id). */
  readonly endToEndId: string;
  /** Null where the payout was not split. */
  readonly batchId: string | null;
  /** How many of its transactions are not final yet. */
  readonly openCount: number;
  readonly errorMessage: string | null;
  readonly paidAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** One movement of a payout: the whole of it, or a child of its batch. */
export interface PayoutTransaction extends StoredRecord {
  readonly companyId: string;
  readonly payoutId: string;
  readonly idempotencyKey: string;
  /** Position in the batch, from 1. */
  readonly sequence: number;
  readonly amount: Money;
  readonly status: PayoutStatus;
  /** Null for a TED. */
  readonly endToEndId: string | null;
  /** Null for a PIX, and until a TED is settled. */
  readonly controlNumber: string | null;
  readonly paidAt: Instant | null;
  readonly errorMessage: string | null;
  readonly settlementTimer: string | null;
  readonly updatedAt: Instant;
}

export const payouts = collection<Payout, "externalId">("payouts", {
  externalId: (payout) => compositeKey(payout.companyId, payout.externalId),
});

export const payoutTransactions = collection<PayoutTransaction, "payout" | "idempotencyKey">(
  "payout-transactions",
  {
    payout: (transaction) => transaction.payoutId,
    idempotencyKey: (transaction) => compositeKey(transaction.companyId, transaction.idempotencyKey),
  },
);

/** The transactions of a payout by sequence: one, or the children of its batch. */
export function transactionsOf(
  records: Pick<Transaction, "find">,
  payoutId: string,
): readonly PayoutTransaction[] {
  return records.find(payoutTransactions, "payout", payoutId);
}

/** The first transaction, which every payout has. */
export function firstTransaction(records: Pick<Transaction, "find">, payoutId: string): PayoutTransaction {
  return assertDefined(
    transactionsOf(records, payoutId)[0],
    `the first transaction of the payout ${payoutId}`,
  );
}
