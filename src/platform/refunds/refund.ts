import type { Instant } from "../../engine/instant.ts";
import type { Money } from "../../engine/money.ts";
import type { RefundStatus } from "./lifecycle.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { add, money } from "../../engine/money.ts";
import { collection } from "../../engine/collection.ts";

/** Money of a paid order on its way back to the payer (interface: Refund). */
export interface Refund extends StoredRecord {
  readonly companyId: string;
  readonly orderId: string;
  /** The account that was credited by the order, and that gives the money back. */
  readonly accountId: string;
  readonly amount: Money;
  readonly reason: string;
  readonly requestedBy: RefundRequester;
  readonly status: RefundStatus;
  /** Assumption: refund.end-to-end-id. */
  readonly endToEndId: string;
  /**
   * Why the money could not be set aside when the refund was asked for, in a sentence; such a refund ends
   * REJECTED (assumption: refund.insufficient-balance). Null where the money is held.
   */
  readonly impediment: string | null;
  /** Why it failed; empty where it did not. */
  readonly message: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly refundedAt: Instant | null;
  readonly outcomeTimer: string | null;
}

export interface RefundRequester {
  readonly name: string;
  readonly email: string;
}

export const refunds = collection<Refund, "order">("refunds", {
  order: (refund) => refund.orderId,
});

/**
 * What the refunds of an order in these states add up to, in the currency of the order.
 *
 * ```ts
 * refundedOf(tx, order.id, "BRL", ["INITIAL", "REFUNDED"]); // what can no longer be asked for
 * ```
 */
export function refundedOf(
  tx: Pick<Transaction, "find">,
  orderId: string,
  currency: string,
  statuses: readonly RefundStatus[],
): Money {
  return tx
    .find(refunds, "order", orderId)
    .filter(({ status }) => statuses.includes(status))
    .reduce((sum, { amount }) => add(sum, amount), money(currency, 0));
}
