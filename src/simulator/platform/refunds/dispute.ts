import type { Records } from "../../engine/store.ts";
import type { Instant } from "../../engine/instant.ts";
import type { Lifecycle } from "../../engine/lifecycle.ts";
import type { Money } from "../../engine/money.ts";
import { type StoredRecord, collection } from "../../engine/collection.ts";

/**
 * Money of a paid order that is blocked until the institutions have decided whose it is (assumption:
 * refund.unrequested).
 */
export interface Dispute extends StoredRecord {
  readonly orderId: string;
  readonly amount: Money;
  readonly status: (typeof disputeLifecycle)["states"][number];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The states of a dispute. LOST: the money went back to the payer, by a separate refund. */
export const disputeLifecycle = {
  resource: "dispute",
  initial: "OPEN",
  states: ["OPEN", "LOST", "WON"],
  ends: { WON: "good", LOST: "bad" },
  transitions: [
    { from: ["OPEN"], action: "lose", to: "LOST", act: "order.dispute-lost" },
    { from: ["OPEN"], action: "win", to: "WON", act: "order.dispute-won" },
  ],
} as const satisfies Lifecycle;

export const disputes = collection<Dispute, "open">(
  "order-disputes",
  { open: ({ orderId, status }) => (status === "OPEN" ? orderId : undefined) },
  disputeLifecycle,
);

/** The dispute about a payment that is not decided yet; an order has one at a time. */
export function openDispute(tx: Records, orderId: string): Dispute | undefined {
  return tx.find(disputes, "open", orderId)[0];
}
