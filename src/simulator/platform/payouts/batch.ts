import type { Records } from "../../engine/store.ts";
import type { Destination } from "./destination.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { compositeKey } from "../../engine/collection.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "../idempotency.ts";
import { invalidRequest } from "../refusals.ts";
import { type Money, formatMoney, money, parseMoney } from "../../engine/money.ts";
import { payoutTransactions } from "./payout.ts";

/**
 * Returns the amounts of the transactions of a payout: parts of the threshold's size and a remainder. An amount up to
 * the threshold stays whole (assumptions: payout.batch-threshold, payout.dynamic-qrcode, payout.batch-size-max).
 */
export function partsOf(tx: Transaction, amount: Money, { initiation }: Destination): readonly Money[] {
  if (initiation === "DYNAMIC_QRCODE") return [amount];
  const threshold = assertDefined(
    parseMoney("BRL", assumption(tx, "payout.batch-threshold")),
    "the batch threshold",
  );
  const count = Math.ceil(amount.minor / threshold.minor);
  const countMax = assumption(tx, "payout.batch-size-max");
  if (count > countMax) {
    const description = `The payout would be split into ${count} transactions of ${formatMoney(threshold)}; a batch has at most ${countMax}. Ask for less at once.`;
    throw invalidRequest([{ field: "amount.value", issue: "INVALID", description }]);
  }
  return Array.from({ length: count }, (_, index) =>
    money(amount.currency, Math.min(threshold.minor, amount.minor - index * threshold.minor)),
  );
}

/**
 * Returns the key of one transaction. The first has the batch's own key, later ones add a suffix. If that is longer
 * than 64 characters, the batch key is cut. It is cut further until no other transaction of the company has the same
 * key.
 */
export function transactionKey(
  tx: Records,
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
