import type { Records } from "../../engine/store.ts";
import type { Lifecycle } from "../../engine/lifecycle.ts";
import { type Money, add, money } from "../../engine/money.ts";
import { type Instant } from "../../engine/instant.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { type StoredRecord, collection } from "../../engine/collection.ts";
import { later } from "../later.ts";
import { step } from "../step.ts";

type RefundStatus = (typeof refundLifecycle)["states"][number];

/** Money of a paid order on its way back to the payer (interface: Refund; assumption: refund.unrequested). */
export interface Refund extends StoredRecord {
  readonly companyId: string;
  readonly orderId: string;
  /** The account that was credited by the order, and that gives the money back. */
  readonly accountId: string;
  readonly amount: Money;
  readonly reason: string;
  readonly requestedBy: { readonly name: string; readonly email: string };
  /** Present if no call requested it: an institution took the money back, or gave back a surplus. */
  readonly origin?: "institution" | "overpayment";
  readonly status: RefundStatus;
  /** Assumption: refund.end-to-end-id. */
  readonly endToEndId: string;
  /** The reason why the money could not be reserved (assumption: refund.insufficient-balance). Null if it is held. */
  readonly impediment: string | null;
  /** The reason of its failure. Empty if it did not fail. */
  readonly message: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly refundedAt: Instant | null;
}

/** The states of a refund (interface: States, Refund). */
export const refundLifecycle = {
  resource: "refund",
  initial: "INITIAL",
  states: ["INITIAL", "REFUNDED", "REJECTED", "ERROR"],
  ends: { REFUNDED: "good", REJECTED: "bad", ERROR: "bad" },
  transitions: [
    { from: ["INITIAL"], action: "settle", to: "REFUNDED", emits: "ORDER-PAYIN.REFUNDED" },
    { from: ["INITIAL"], action: "reject", to: "REJECTED", emits: "ORDER-PAYIN.REJECTED" },
    { from: ["INITIAL"], action: "fail", to: "ERROR", emits: "ORDER-PAYIN.ERROR" },
  ],
  timers: { "refund.outcome": ["INITIAL"] },
} as const satisfies Lifecycle;

export const refunds = collection<Refund, "order">(
  "refunds",
  { order: (refund) => refund.orderId },
  refundLifecycle,
);

/** The decision of the institutions (assumption: refund.delay). */
export const refundOutcome = step({
  name: "refund.outcome",
  of: refunds,
  outcomes: ["REFUNDED", "REJECTED", "ERROR"],
  decidedBy: "institution",
  summary: "The outcome of a refund",
  settles: true,
  due: (tx) => later(tx.now, assumption(tx, "refund.delay")),
});

/**
 * The sum of the refunds of an order in these states, in the currency of the order.
 *
 * ```ts
 * refundedOf(tx, order.id, "BRL", ["INITIAL", "REFUNDED"]); // the amount that can no longer be refunded
 * ```
 */
export function refundedOf(
  tx: Records,
  orderId: string,
  currency: string,
  statuses: readonly RefundStatus[],
): Money {
  return tx
    .find(refunds, "order", orderId)
    .filter(({ status }) => statuses.includes(status))
    .reduce((sum, { amount }) => add(sum, amount), money(currency, 0));
}
