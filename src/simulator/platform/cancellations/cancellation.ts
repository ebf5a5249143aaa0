import type { Records } from "../../engine/store.ts";
import type { Cancellation as CancellationFields, TaxDocument } from "../../api/generated/shapes.ts";
import type { Lifecycle } from "../../engine/lifecycle.ts";
import type { StatusChange } from "../state-machine.ts";
import { type Instant, formatInstant } from "../../engine/instant.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { type StoredRecord, collection } from "../../engine/collection.ts";
import { later } from "../later.ts";
import { step } from "../step.ts";
import { historyShape } from "../shape.ts";

type CancellationStatus = (typeof cancellationLifecycle)["states"][number];

/** A request to cancel a subscription or a charge. */
export interface Cancellation extends StoredRecord {
  readonly companyId: string;
  /** The kind of the object to cancel. */
  readonly subject: "subscription" | "scheduled-payment";
  readonly subjectId: string;
  readonly idempotencyKey: string;
  readonly status: CancellationStatus;
  readonly statusHistory: readonly StatusChange<CancellationStatus>[];
  readonly reason: string;
  readonly requestedBy: "payer" | "receiver";
  /** The document of the party that requested it (interface: Cancellation, customer). */
  readonly customer: { readonly document: TaxDocument };
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly canceledAt: Instant | null;
}

/**
 * The states of a cancellation request (interface: States, Cancellation request). A request is answered by the other
 * institution; a cancellation that an institution or the platform imposes is ACCEPTED at once.
 */
export const cancellationLifecycle = {
  resource: "cancellation",
  initial: "INITIAL",
  states: ["INITIAL", "PENDING", "ACCEPTED", "REJECTED", "ERROR"],
  ends: { ACCEPTED: "good", REJECTED: "bad", ERROR: "bad" },
  variant: "subject",
  transitions: [
    {
      from: ["INITIAL"],
      action: "send",
      to: "PENDING",
      act: null,
      emits: {
        subscription: "SUBSCRIPTION.CANCELLATION.PENDING",
        "scheduled-payment": "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.PENDING",
      },
    },
    {
      from: ["INITIAL"],
      action: "impose",
      to: "ACCEPTED",
      act: null,
      emits: { "scheduled-payment": "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED" },
    },
    {
      from: ["PENDING"],
      action: "accept",
      to: "ACCEPTED",
      emits: {
        subscription: "SUBSCRIPTION.CANCELLATION.ACCEPTED",
        "scheduled-payment": "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED",
      },
    },
    {
      from: ["PENDING"],
      action: "reject",
      to: "REJECTED",
      emits: {
        subscription: "SUBSCRIPTION.CANCELLATION.REJECTED",
        "scheduled-payment": "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.REJECTED",
      },
    },
    // The platform API has no event for it.
    { from: ["PENDING"], action: "fail", to: "ERROR" },
  ],
  timers: { "cancellation.answer": ["PENDING"] },
} as const satisfies Lifecycle;

export const cancellations = collection<Cancellation, "subject">(
  "cancellations",
  { subject: (cancellation) => cancellation.subjectId },
  cancellationLifecycle,
);

/** The other institution answers a request (assumption: cancellation.delay). A plan may also name the subject. */
export const cancellationAnswer = step({
  name: "cancellation.answer",
  of: cancellations,
  outcomes: ["ACCEPTED", "REJECTED", "ERROR"],
  decidedBy: "institution",
  summary: "The other institution's answer to a cancellation request",
  planIds: ({ id, subjectId }) => [id, subjectId],
  due: (tx) => later(tx.now, assumption(tx, "cancellation.delay")),
});

/** Returns the requests about one object, in the order of their making. */
export function cancellationsOf(tx: Records, subjectId: string): Cancellation[] {
  return tx.find(cancellations, "subject", subjectId);
}

/** The request as a subscription shows it (interface: Cancellation). */
export function cancellationView(cancellation: Cancellation): CancellationFields {
  const { id, idempotencyKey, status, reason, customer } = cancellation;
  return {
    id,
    idempotencyKey,
    status,
    statusHistory: historyShape(cancellation.statusHistory),
    reason: reason as CancellationFields["reason"],
    customer,
    createdAt: formatInstant(cancellation.createdAt),
    updatedAt: formatInstant(cancellation.updatedAt),
  };
}
