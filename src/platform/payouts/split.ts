import type { Money } from "../../engine/money.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { compositeKey } from "../../engine/collection.ts";
import { money } from "../../engine/money.ts";
import { payoutTransactions } from "./payout.ts";

const KEY_LENGTH_MAX = 64;

/** Into how many transactions the amount falls (assumption: payout.batch-threshold). */
export function splitCount(amount: Money, threshold: Money): number {
  return Math.ceil(amount.minor / threshold.minor);
}

/** Parts of the threshold's size and a remainder; an amount up to the threshold stays whole. */
export function splitAmount(amount: Money, threshold: Money): Money[] {
  return Array.from({ length: splitCount(amount, threshold) }, (_, index) =>
    money(amount.currency, Math.min(threshold.minor, amount.minor - index * threshold.minor)),
  );
}

/**
 * The key of one transaction: the first has the batch's own, later ones a suffix. Where 64 characters would not
 * hold both, the batch key is cut, and cut further until no other transaction of the company has the result.
 */
export function transactionKey(
  tx: Pick<Transaction, "find">,
  { companyId, key, sequence }: { companyId: string; key: string; sequence: number },
): string {
  if (sequence === 1) return key;
  const suffix = `-${sequence}`;
  const isCut = key.length + suffix.length > KEY_LENGTH_MAX;
  const whole = isCut ? key.slice(0, KEY_LENGTH_MAX - suffix.length) : key;
  if (!isCut) return whole + suffix;
  for (let length = whole.length; length > 0; length--) {
    const candidate = whole.slice(0, length) + suffix;
    const isTaken =
      tx.find(payoutTransactions, "idempotencyKey", compositeKey(companyId, candidate)).length > 0;
    if (!isTaken) return candidate;
  }
  return whole + suffix;
}
