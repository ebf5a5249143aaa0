import type { Cancellation } from "./cancellation.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { cancellationLifecycle } from "./lifecycle.ts";

/** What is to be canceled, why, and who asks. */
export type CancellationRequest = Pick<
  Cancellation,
  "companyId" | "subject" | "subjectId" | "reason" | "requestedBy" | "customer"
>;

/** A new request, INITIAL; it is not put yet. */
export function draftCancellation(tx: Transaction, request: CancellationRequest): Cancellation {
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
    answerTimer: null,
  };
}
