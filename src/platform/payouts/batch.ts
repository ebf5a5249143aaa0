import type { Destination } from "./destination.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { compositeKey } from "../../engine/collection.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "../idempotency.ts";
import { invalidRequest } from "../refusals.ts";
import { type Money, formatMoney, money, parseMoney } from "../../engine/money.ts";
import { payoutTransactions } from "./payout.ts";

/** Returns the amounts of the transactions of a payout (assumptions: payout.dynamic-qrcode, payout.batch-size-max). */
export function partsOf(tx: Transaction, amount: Money, { initiation }: Destination): readonly Money[] {
  if (initiation === "DYNAMIC_QRCODE") return [amount];
  const threshold = batchThreshold(tx);
  const count = splitCount(amount, threshold);
  const countMax = assumption(tx, "payout.batch-size-max");
  if (count <= countMax) return splitAmount(amount, threshold);
  const description = `The payout would be split into ${count} transactions of ${formatMoney(threshold)}; a batch has at most ${countMax}. Ask for less at once.`;
  throw invalidRequest([{ field: "amount.value", issue: "INVALID", description }]);
}

/** The largest amount that is paid in one transaction. */
function batchThreshold(tx: Transaction): Money {
  return assertDefined(parseMoney("BRL", assumption(tx, "payout.batch-threshold")), "the batch threshold");
}

/** Returns the number of transactions that the amount is split into (assumption: payout.batch-threshold). */
function splitCount(amount: Money, threshold: Money): number {
  return Math.ceil(amount.minor / threshold.minor);
}

/** Parts of the threshold's size and a remainder; an amount up to the threshold stays whole. */
function splitAmount(amount: Money, threshold: Money): Money[] {
  return Array.from({ length: splitCount(amount, threshold) }, (_, index) =>
    money(amount.currency, Math.min(threshold.minor, amount.minor - index * threshold.minor)),
  );
}

/**
 * Returns the key of one transaction. The first has the batch's own key, later ones add a suffix. If that is longer
 * than 64 characters, the batch key is cut. It is cut further until no other transaction of the company has the same
 * key.
 */
export function transactionKey(
  tx: Pick<Transaction, "find">,
  { companyId, key, sequence }: { companyId: string; key: string; sequence: number },
): string {
  if (sequence === 1) return key;
  const suffix = `-${sequence}`;
  const isCut = key.length + suffix.length > IDEMPOTENCY_KEY_LENGTH_MAX;
  const whole = isCut ? key.slice(0, IDEMPOTENCY_KEY_LENGTH_MAX - suffix.length) : key;
  if (!isCut) return whole + suffix;
  for (let length = whole.length; length > 0; length--) {
    const candidate = whole.slice(0, length) + suffix;
    const isTaken =
      tx.find(payoutTransactions, "idempotencyKey", compositeKey(companyId, candidate)).length > 0;
    if (!isTaken) return candidate;
  }
  return whole + suffix;
}
