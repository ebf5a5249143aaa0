import type { Cancellation } from "./cancellation.ts";
import type { CancellationRequest } from "./draft.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { cancellationLifecycle } from "./lifecycle.ts";
import { cancellations } from "./cancellation.ts";
import { draftCancellation } from "./draft.ts";
import { take } from "../transition.ts";

/**
 * Notes a cancellation that nobody has to agree to, such as after a settlement error: ACCEPTED from the start
 * (assumption: charge.settlement-error-cancellation). The caller cancels the object and tells of it.
 */
export function imposeCancellation(tx: Transaction, request: CancellationRequest): Cancellation {
  const imposed = take(tx, cancellationLifecycle, draftCancellation(tx, request), "impose");
  return tx.put(cancellations, { ...imposed, canceledAt: tx.now });
}
