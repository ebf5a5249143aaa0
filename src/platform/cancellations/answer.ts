import type { Cancellation } from "./cancellation.ts";
import type { StepOutcome } from "../autopilot.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { cancellationLifecycle } from "./lifecycle.ts";
import { cancellations } from "./cancellation.ts";
import { illegalAct } from "../refusals.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { outcomeOf } from "../autopilot.ts";
import { requireAction, take } from "../transition.ts";
import { subjectOf } from "./subjects.ts";
import { timerKind } from "../../engine/timers.ts";

/** The request is accepted: its object is canceled, and the event shows the object's new status. */
export function acceptCancellation(tx: Transaction, cancellation: Cancellation): Cancellation {
  requireAction(cancellationLifecycle, cancellation, "accept");
  const subject = subjectOf(cancellation);
  if (!subject.isCancellable(tx, cancellation)) {
    throw illegalAct(
      `Failed to accept the cancellation ${cancellation.id}: the ${cancellation.subject} ${cancellation.subjectId} can no longer be canceled. Possible from there: cancellation.reject, cancellation.fail.`,
    );
  }
  const taken = take(tx, cancellationLifecycle, cancellation, "accept");
  const accepted = put(tx, { ...taken, canceledAt: tx.now });
  subject.cancel(tx, accepted);
  subject.announce(tx, accepted);
  subject.conclude?.(tx, accepted);
  return accepted;
}

/** The request is turned down; its object stays as it is. */
export function rejectCancellation(tx: Transaction, cancellation: Cancellation): Cancellation {
  const rejected = put(tx, take(tx, cancellationLifecycle, cancellation, "reject"));
  subjectOf(rejected).announce(tx, rejected);
  return rejected;
}

/** The request comes to nothing for a technical reason. The interface has no event for it. */
export function failCancellation(tx: Transaction, cancellation: Cancellation): Cancellation {
  return put(tx, take(tx, cancellationLifecycle, cancellation, "fail"));
}

/** The other side answers. One whose object came to another end meanwhile is rejected. */
export const answerCancellation = timerKind<{ cancellationId: string } & StepOutcome<"cancellation.answer">>(
  "cancellation.answer",
  (tx, { cancellationId, outcome: decided }) => {
    const cancellation = assertDefined(
      tx.get(cancellations, cancellationId),
      `the cancellation ${cancellationId}`,
    );
    const outcome = outcomeOf(tx, "cancellation.answer", {
      objectId: cancellationId,
      subjectId: cancellation.subjectId,
      decided,
    });
    if (outcome === "ERROR") failCancellation(tx, cancellation);
    else if (outcome === "ACCEPTED" && subjectOf(cancellation).isCancellable(tx, cancellation)) {
      acceptCancellation(tx, cancellation);
    } else rejectCancellation(tx, cancellation);
  },
);

function put(tx: Transaction, cancellation: Cancellation): Cancellation {
  tx.disarm(cancellation.answerTimer);
  return tx.put(cancellations, { ...cancellation, answerTimer: null });
}
