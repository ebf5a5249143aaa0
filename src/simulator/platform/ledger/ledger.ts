import type { Records } from "../../engine/store.ts";
import type { Instant } from "../../engine/instant.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assert } from "../../engine/assertion.ts";
import { type StoredRecord, collection, compositeKey } from "../../engine/collection.ts";
import { type Money, add, formatMoney, money, negate } from "../../engine/money.ts";
import { illegalAct } from "../refusals.ts";

/** A movement of money: postings to ledger accounts whose sum is zero. */
export interface LedgerEntry extends StoredRecord {
  readonly at: Instant;
  readonly memo: string;
  /** The payout, order or refund that the money moved for. */
  readonly objectId: string;
  readonly postings: readonly Posting[];
}

interface Posting {
  readonly account: string;
  readonly amount: Money;
}

export const ledgerEntries = collection<LedgerEntry>("ledger-entries", {});
export const balances = collection<Posting & StoredRecord>("ledger-balances", {});

/** All parties outside the sandbox: the source of pay-ins and the destination of payouts. */
export const OUTSIDE = "outside";

/** The fees that payers of orders paid to the platform. */
export const FEES = "fees";

/** The money a company can use on one of its banking accounts. */
export function availableOn(accountId: string): string {
  return `available:${accountId}`;
}

/** Returns the banking account of such a name. Undefined for the other names of the ledger. */
export function accountOfAvailable(name: string): string | undefined {
  const start = availableOn("");
  return name.startsWith(start) ? name.slice(start.length) : undefined;
}

/** The money reserved for a payout or refund in progress. */
export function heldFor(objectId: string): string {
  return `held:${objectId}`;
}

export interface Movement {
  readonly from: string;
  readonly to: string;
  readonly amount: Money;
  readonly memo: string;
  readonly objectId: string;
}

/** Moves money from one ledger account to another, as one double entry. */
export function move(tx: Transaction, { from, to, amount, memo, objectId }: Movement): void {
  assert(amount.minor > 0, `a movement of ${amount.minor}: ${memo}`);
  const postings = [
    { account: from, amount: negate(amount) },
    { account: to, amount },
  ];
  const id = String(tx.count("ledger entries"));
  tx.put(ledgerEntries, { id, at: tx.now, memo, objectId, postings });
  for (const posting of postings) {
    const balance = balanceOf(tx, posting.account, posting.amount.currency);
    const balanceId = compositeKey(posting.account, posting.amount.currency);
    if (!hasRoom(tx, posting.account, posting.amount)) throw noRoom(posting.account, balance, posting.amount);
    tx.put(balances, { id: balanceId, account: posting.account, amount: add(balance, posting.amount) });
  }
}

/** Returns false if a posting would take a balance beyond the whole numbers that a computer counts exactly. */
export function hasRoom(tx: Records, account: string, amount: Money): boolean {
  return Number.isSafeInteger(balanceOf(tx, account, amount.currency).minor + amount.minor);
}

function noRoom(account: string, balance: Money, amount: Money): Error {
  const [found, most] = [balance.minor, Number.MAX_SAFE_INTEGER].map((minor) =>
    formatMoney({ currency: amount.currency, minor: Math.abs(minor) }),
  );
  return illegalAct(
    `Failed to move ${formatMoney({ ...amount, minor: Math.abs(amount.minor) })} ${amount.currency}: the ledger account ${account} has moved ${found} already, and its balance has at most ${most}. Use smaller amounts, or reset the world.`,
  );
}

/** The balance of a ledger account in one currency. */
export function balanceOf(tx: Records, account: string, currency: string): Money {
  return tx.get(balances, compositeKey(account, currency))?.amount ?? money(currency, 0);
}

/** Whether the books balance: each currency sums to zero, and no account but the outside is negative. */
export function isBalanced(records: Records): boolean {
  const sums = new Map<string, number>();
  for (const { account, amount } of records.all(balances)) {
    if (amount.minor < 0 && account !== OUTSIDE) return false;
    sums.set(amount.currency, (sums.get(amount.currency) ?? 0) + amount.minor);
  }
  return [...sums.values()].every((sum) => sum === 0);
}
