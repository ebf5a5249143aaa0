import type { Records } from "../../engine/store.ts";
import type { Destination } from "./destination.ts";
import type { Lifecycle } from "../../engine/lifecycle.ts";
import { type Money, subtract } from "../../engine/money.ts";
import type { PayoutMethod } from "../../api/generated/shapes.ts";
import type { TaxPerson } from "../payers/payer.ts";
import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { failureCodes } from "./failures.ts";
import { addDays, instantAt, localDate, localTime } from "../../countries/brazil/calendar.ts";
import { later } from "../later.ts";
import { type Instant } from "../../engine/instant.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { type StoredRecord, collection, compositeKey } from "../../engine/collection.ts";
import { isBankBusinessDay, nextBankBusinessDay } from "../../countries/brazil/bank-days.ts";
import { step } from "../step.ts";

type PayoutStatus = (typeof payoutLifecycle)["states"][number];
type PayoutTransactionStatus = (typeof payoutTransactionLifecycle)["states"][number];
export type PayoutTransactionAction = (typeof payoutTransactionLifecycle)["transitions"][number]["action"];

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
  /** The receiver that the request names. Null if the request leaves the receiver to the key or the QR code. */
  readonly receiver: TaxPerson | null;
  readonly destination: Destination;
  /** That of the first transaction; for a TED one made by the platform (assumption: payout.ted-end-to-end-id). */
  readonly endToEndId: string;
  /** Null if the payout was not split. */
  readonly batchId: string | null;
  /** The number of its transactions that are not final yet. */
  readonly openCount: number;
  readonly errorMessage: string | null;
  /** The event that reported returned money. Absent without such an event (assumption: payout.returns). */
  readonly returns?: "canceled-event" | "error-event";
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
  readonly status: PayoutTransactionStatus;
  /** Null for a TED. */
  readonly endToEndId: string | null;
  /** Null for a PIX, and until a TED is settled. */
  readonly controlNumber: string | null;
  readonly paidAt: Instant | null;
  /** The time at which the payee's institution last sent money back (assumption: payout.returns). */
  readonly returnedAt: Instant | null;
  /** The sum of all returned money. Absent if no money came back. */
  readonly returnedAmount?: Money;
  readonly errorMessage: string | null;
  readonly updatedAt: Instant;
}

const SETTLE = "payout.settle";
const RETURN = "payout.return";

/** Returned money is reported by the event that the assumption payout.returns names, or not at all. */
const returned = {
  act: RETURN,
  assumption: "payout.returns",
  emits: { "canceled-event": "ORDER-PAYOUT.CANCELED", "error-event": "ORDER-PAYOUT.ERROR" },
} as const;

/** The states of a payout (assumptions: payout.parent-status, payout.returns, payout.after-all). */
export const payoutLifecycle = {
  resource: "payout",
  initial: "PENDING",
  states: ["PENDING", "PAID", "CANCELED", "ERROR", "REFUNDED", "PARTIAL_REFUNDED"],
  ends: { PAID: "good", CANCELED: "neutral", ERROR: "bad", REFUNDED: "bad", PARTIAL_REFUNDED: "bad" },
  variant: "returns",
  transitions: [
    { from: ["PENDING"], action: "settle", to: "PAID", emits: "ORDER-PAYOUT.PAID" },
    { from: ["PENDING"], action: "fail", to: "ERROR", emits: "ORDER-PAYOUT.ERROR" },
    { from: ["PENDING"], action: "cancel", to: "CANCELED", emits: "ORDER-PAYOUT.CANCELED" },
    { from: ["ERROR"], action: "settle-after-all", to: "PAID", emits: "ORDER-PAYOUT.PAID", act: SETTLE },
    { from: ["PAID", "PARTIAL_REFUNDED"], action: "return", to: "REFUNDED", ...returned },
    { from: ["PAID", "PARTIAL_REFUNDED"], action: "return-partly", to: "PARTIAL_REFUNDED", ...returned },
    { from: ["ERROR"], action: "return-paid-part", to: "ERROR", ...returned },
  ],
} as const satisfies Lifecycle;

/** The states of one transaction of a payout (assumption: payout.transaction-statuses). */
export const payoutTransactionLifecycle = {
  resource: "payout-transaction",
  initial: "PENDING",
  states: ["PENDING", "ANALYSIS", "PAID", "CANCELED", "ERROR", "REFUNDED", "PARTIAL_REFUNDED"],
  ends: { PAID: "good", CANCELED: "neutral", ERROR: "bad", REFUNDED: "bad", PARTIAL_REFUNDED: "bad" },
  transitions: [
    { from: ["PENDING"], action: "analyse", to: "ANALYSIS", act: "payout.analyse" },
    { from: ["PENDING", "ANALYSIS"], action: "settle", to: "PAID", act: SETTLE },
    { from: ["PENDING", "ANALYSIS"], action: "fail", to: "ERROR", act: "payout.fail" },
    { from: ["PENDING", "ANALYSIS"], action: "cancel", to: "CANCELED", act: "payout.cancel" },
    { from: ["ERROR"], action: "settle-after-all", to: "PAID", act: SETTLE },
    {
      from: ["PAID", "PARTIAL_REFUNDED"],
      action: "return",
      to: "REFUNDED",
      act: RETURN,
      assumption: "payout.returns",
    },
    {
      from: ["PAID", "PARTIAL_REFUNDED"],
      action: "return-partly",
      to: "PARTIAL_REFUNDED",
      act: RETURN,
      assumption: "payout.returns",
    },
  ],
  timers: { "payout.settlement": ["PENDING"] },
} as const satisfies Lifecycle;

export const payouts = collection<Payout, "externalId">(
  "payouts",
  { externalId: (payout) => compositeKey(payout.companyId, payout.externalId) },
  payoutLifecycle,
);

export const payoutTransactions = collection<PayoutTransaction, "payout" | "idempotencyKey">(
  "payout-transactions",
  {
    payout: (transaction) => transaction.payoutId,
    idempotencyKey: (transaction) => compositeKey(transaction.companyId, transaction.idempotencyKey),
  },
  payoutTransactionLifecycle,
);

/** The decision of the institutions about a transaction (assumption: payout.settlement-delay). */
export const payoutSettlement = step({
  name: "payout.settlement",
  of: payoutTransactions,
  outcomes: ["PAID", "ERROR", "CANCELED", ...failureCodes.map((code) => `ERROR:${code}` as const)],
  decidedBy: "institution",
  summary: "The settlement of a payout",
  settles: true,
  planIds: ({ payoutId }) => [payoutId],
  planCollection: payouts.name,
  due: (tx, transaction) => settlementTime(tx, payoutOf(tx, transaction)),
});

/** Returns the settlement time of a transaction that is sent now. */
export function settlementTime(tx: Transaction, { paymentMethod, destination }: Payout): Instant {
  if (paymentMethod === "TED") return tedSettlementTime(tx);
  return later(tx.now, destination.settlement?.delay ?? assumption(tx, "payout.pix-delay"));
}

/** Returns the settlement time of a TED that is sent now: soon in banking hours, otherwise after the next opening. */
function tedSettlementTime(tx: Transaction): Instant {
  return later(tedSendingTime(tx), assumption(tx, "payout.ted-delay"));
}

/**
 * Returns the present if the settlement system of the banks is open, otherwise its next opening (assumption:
 * payout.settlement-delay).
 */
function tedSendingTime(tx: Transaction): Instant {
  const opens = assumption(tx, "payout.ted-opens");
  const closes = assumption(tx, "payout.ted-closes");
  const today = localDate(tx.now);
  const time = localTime(tx.now);
  if (isBankBusinessDay(today)) {
    if (time < opens) return instantAt(today, opens);
    if (time < closes) return tx.now;
  }
  return instantAt(nextBankBusinessDay(addDays(today, 1)), opens);
}

/** The transactions of a payout by sequence: one, or the children of its batch. */
export function transactionsOf(records: Records, payoutId: string): readonly PayoutTransaction[] {
  return records.find(payoutTransactions, "payout", payoutId);
}

/** The first transaction, which every payout has. */
export function firstTransaction(records: Records, payoutId: string): PayoutTransaction {
  return assertDefined(
    transactionsOf(records, payoutId)[0],
    `the first transaction of the payout ${payoutId}`,
  );
}

/** The payout of a transaction. */
export function payoutOf(records: Records, { payoutId }: PayoutTransaction): Payout {
  return recordOf(records, payouts, payoutId);
}

/** Returns the part of a transaction that did not come back. */
export function leftOf({ amount, returnedAmount }: PayoutTransaction): Money {
  return returnedAmount ? subtract(amount, returnedAmount) : amount;
}
