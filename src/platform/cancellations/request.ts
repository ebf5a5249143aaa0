import type { Cancellation } from "./cancellation.ts";
import type { CancellationRequest } from "./draft.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { answerCancellation } from "./answer.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { cancellationLifecycle } from "./lifecycle.ts";
import { cancellations, cancellationsOf } from "./cancellation.ts";
import { draftCancellation } from "./draft.ts";
import { illegalAct } from "../refusals.ts";
import { scheduleStep } from "../autopilot.ts";
import { subjectOf } from "./subjects.ts";
import { take } from "../transition.ts";

/**
 * Sends a request to cancel: it is PENDING until the other side has answered. Refused while another request
 * about the same object is PENDING (assumption: cancellation.delay).
 */
export function requestCancellation(tx: Transaction, request: CancellationRequest): Cancellation {
  const open = cancellationsOf(tx, request.subjectId).find(({ status }) => status === "PENDING");
  if (open !== undefined) {
    throw illegalAct(
      `Failed to request a cancellation: the request ${open.id} about the ${request.subject} ${request.subjectId} is still PENDING. Possible from there: cancellation.accept, cancellation.reject, cancellation.fail.`,
    );
  }
  const drafted = draftCancellation(tx, request);
  const sent = take(tx, cancellationLifecycle, drafted, "send");
  const pending = scheduleCancellationAnswer(tx, sent);
  subjectOf(pending).announce(tx, pending);
  return pending;
}

/** Puts the request, with the timer by which it is answered, where it does not wait for a hand. */
export function scheduleCancellationAnswer(tx: Transaction, sent: Cancellation): Cancellation {
  const answerTimer = scheduleStep(tx, {
    step: "cancellation.answer",
    objectId: sent.id,
    subjectId: sent.subjectId,
    delay: assumption(tx, "cancellation.delay"),
    timer: answerCancellation,
    input: { cancellationId: sent.id },
  });
  return tx.put(cancellations, { ...sent, answerTimer });
}
