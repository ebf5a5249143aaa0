import type { Cancellation as CancellationShape, TaxDocument } from "../../api/generated/shapes.ts";
import type { CancellationStatus } from "./lifecycle.ts";
import type { Instant } from "../../engine/instant.ts";
import type { StatusChange } from "../transition.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { collection } from "../../engine/collection.ts";
import { formatInstant } from "../../engine/instant.ts";
import { timeline } from "../shape.ts";

/** A request to end a subscription or to take back a charge. */
export interface Cancellation extends StoredRecord {
  readonly companyId: string;
  /** What is to be canceled. */
  readonly subject: "subscription" | "scheduled-payment";
  readonly subjectId: string;
  readonly idempotencyKey: string;
  readonly status: CancellationStatus;
  readonly statusHistory: readonly StatusChange<CancellationStatus>[];
  readonly reason: string;
  readonly requestedBy: "payer" | "receiver";
  /** Who asked, by document (interface: Cancellation, customer). */
  readonly customer: { readonly document: TaxDocument };
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly canceledAt: Instant | null;
  readonly answerTimer: string | null;
}

export const cancellations = collection<Cancellation, "subject">("cancellations", {
  subject: (cancellation) => cancellation.subjectId,
});

/** The requests about one object, in the order in which they were made. */
export function cancellationsOf(tx: Pick<Transaction, "find">, subjectId: string): Cancellation[] {
  return tx.find(cancellations, "subject", subjectId);
}

/** The request as a subscription shows it (interface: Cancellation). */
export function cancellationShape(cancellation: Cancellation): CancellationShape {
  const { id, idempotencyKey, status, reason, customer } = cancellation;
  return {
    id,
    idempotencyKey,
    status,
    statusHistory: timeline(cancellation.statusHistory),
    reason: reason as CancellationShape["reason"],
    customer,
    createdAt: formatInstant(cancellation.createdAt),
    updatedAt: formatInstant(cancellation.updatedAt),
  };
}
