import type { TaxDocument } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { type Cancellation, cancellationLifecycle, cancellationsOf } from "./cancellation.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { illegalAct, invalidRequest } from "../refusals.ts";
import { cancellationStates } from "./states.ts";

/** The object to cancel, the reason, and the requester. */
type CancellationRequest = Pick<
  Cancellation,
  "companyId" | "subject" | "subjectId" | "reason" | "requestedBy" | "customer"
>;

const PARTY_OF_REASON: Readonly<Record<string, "payer" | "receiver">> = {
  REQUESTED_BY_PAYER: "payer",
  REQUESTED_BY_RECEIVER: "receiver",
};

/** Sends a request to cancel; refused while another one is PENDING (assumption: cancellation.delay). */
export function requestCancellation(tx: Transaction, request: CancellationRequest): Cancellation {
  const pending = cancellationsOf(tx, request.subjectId).find(({ status }) => status === "PENDING");
  if (pending !== undefined) {
    throw illegalAct(
      `Failed to request a cancellation: the request ${pending.id} about the ${request.subject} ${request.subjectId} is still PENDING. Possible acts: cancellation.accept, cancellation.reject, cancellation.fail.`,
    );
  }
  return cancellationStates.take(tx, draft(tx, request), "send");
}

/**
 * Records a cancellation that needs no consent, such as after a settlement error. It is ACCEPTED at once, or first
 * PENDING if the assumption of its reason says so. `cancel` cancels the object, so that the event shows its new
 * status.
 */
export function imposeCancellation(
  tx: Transaction,
  request: CancellationRequest & { readonly subject: "scheduled-payment" },
  cancel: () => void,
): Cancellation {
  const isPendingFirst =
    assumption(
      tx,
      request.reason === "SETTLEMENT_ERROR"
        ? "charge.settlement-error-cancellation"
        : "charge.imposed-cancellations",
    ) === "pending-first";
  const drafted = draft(tx, request);
  const sent = isPendingFirst ? cancellationStates.take(tx, drafted, "send") : drafted;
  cancel();
  return cancellationStates.take(tx, sent, isPendingFirst ? "accept" : "impose", { canceledAt: tx.now });
}

/**
 * Returns the party that requests a cancellation: first the party of the reason, then `requestedBy`, then the payer.
 */
export function customerOf(
  { reason, requestedBy }: { readonly reason: string; readonly requestedBy?: "payer" | "receiver" },
  parties: Readonly<Record<"payer" | "receiver", TaxDocument>>,
): Pick<Cancellation, "requestedBy" | "customer"> {
  const named = PARTY_OF_REASON[reason];
  if (named !== undefined && requestedBy !== undefined && requestedBy !== named) {
    throw invalidRequest([
      {
        field: "requestedBy",
        issue: "INVALID",
        description: `The reason ${reason} says that the ${named} asks; found requestedBy "${requestedBy}". Leave it out.`,
      },
    ]);
  }
  const party = named ?? requestedBy ?? "payer";
  return { requestedBy: party, customer: { document: parties[party] } };
}

function draft(tx: Transaction, request: CancellationRequest): Cancellation {
  const chance = tx.chance("cancellations");
  const status = cancellationLifecycle.initial;
  return {
    ...request,
    id: chance.uuid(),
    idempotencyKey: chance.uuid(),
    status,
    statusHistory: [{ status, createdAt: tx.now }],
    createdAt: tx.now,
    updatedAt: tx.now,
    canceledAt: null,
  };
}
