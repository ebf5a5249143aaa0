import type { Cancellation } from "./cancellation.ts";
import type { TaxDocument } from "../shapes.ts";
import type { Transaction } from "../../core/transaction.ts";
import { answerCancellation } from "./answer.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { cancellationLifecycle } from "./lifecycle.ts";
import { cancellations, cancellationsOf } from "./cancellation.ts";
import { illegalAct } from "../refusals.ts";
import { scheduleStep } from "../autopilot.ts";
import { subjectOf } from "./subjects.ts";
import { take } from "../transition.ts";

export interface CancellationRequest extends Pick<
  Cancellation,
  "companyId" | "subject" | "subjectId" | "reason"
> {
  readonly requestedBy: TaxDocument;
}

/**
 * Sends a request to cancel: it is PENDING until the other side has answered. Refused while another request
 * about the same object is PENDING (assumption: cancellation.delay).
 */
export function requestCancellation(tx: Transaction, request: CancellationRequest): Cancellation {
  const { requestedBy, ...about } = request;
  const open = cancellationsOf(tx, about.subjectId).find(({ status }) => status === "PENDING");
  if (open !== undefined) {
    throw illegalAct(
      `Failed to request a cancellation: the request ${open.id} about the ${about.subject} ${about.subjectId} is still PENDING. Possible from there: cancellation.accept, cancellation.reject, cancellation.fail.`,
    );
  }
  const chance = tx.chance("cancellations");
  const drafted: Cancellation = {
    ...about,
    id: chance.uuid(),
    idempotencyKey: chance.uuid(),
    status: cancellationLifecycle.initial,
    statusHistory: [{ status: cancellationLifecycle.initial, createdAt: tx.now }],
    customer: { document: requestedBy },
    createdAt: tx.now,
    updatedAt: tx.now,
    canceledAt: null,
    answerTimer: null,
  };
  const sent = take(tx, cancellationLifecycle, drafted, "send");
  const answerTimer = scheduleStep(tx, {
    step: "cancellation.answer",
    objectId: sent.id,
    delay: assumption(tx, "cancellation.delay"),
    timer: answerCancellation,
    input: { cancellationId: sent.id },
  });
  const pending = tx.put(cancellations, { ...sent, answerTimer });
  subjectOf(pending).announce(tx, pending);
  return pending;
}
