import { type Transaction, recordOf } from "../../engine/transaction.ts";
import {
  cancelScheduledPayment,
  cancelScheduledPaymentsOfSubscription,
  isScheduledPaymentCancellable,
} from "../scheduled-payments/commands.ts";
import {
  type Cancellation,
  cancellationAnswer,
  cancellationLifecycle,
  cancellationView,
  cancellations,
  cancellationsOf,
} from "./cancellation.ts";
import { cancellationStates } from "./states.ts";
import { requireAction } from "../state-machine.ts";
import { endSubscription } from "../subscriptions/commands.ts";
import { canTake } from "../../engine/lifecycle.ts";
import { defineResource, handle, scheduleWaiting } from "../resource.ts";
import { illegalAct } from "../refusals.ts";
import { subscriptionLifecycle, subscriptions } from "../subscriptions/subscription.ts";
import { cancellationApi } from "./operations.ts";

export const cancellationResource = defineResource({
  name: "cancellations",
  api: cancellationApi,
  origin: {
    says: "Choose “request cancellation” at a subscription or at a scheduled payment.",
  },
  collection: cancellations,
  view: cancellationView,
  lifecycles: [cancellationLifecycle],
  acts: {
    accept: { summary: "The request is accepted, and its object is canceled.", run: acceptCancellation },
    reject: {
      summary: "The request is rejected. Its object stays unchanged.",
      run: (tx, cancellation) => cancellationStates.take(tx, cancellation, "reject"),
    },
    fail: {
      summary: "The request fails for a technical reason. Its object stays unchanged.",
      run: (tx, cancellation) => cancellationStates.take(tx, cancellation, "fail"),
    },
  },
  steps: [
    handle(cancellationAnswer, {
      decide: decideCancellation,
      plannedOn: ["cancellations", "subscriptions", "scheduled-payments"],
      wake: scheduleAnswers,
    }),
  ],
});

/**
 * Accepts the request. Its object is canceled first, so that the event shows the object's new status. The open
 * scheduled payments of a subscription follow. Refuses if the object can no longer be canceled.
 */
function acceptCancellation(tx: Transaction, cancellation: Cancellation): void {
  requireAction(cancellationLifecycle, cancellation, "accept");
  const { id, subject, subjectId } = cancellation;
  if (!isCancellable(tx, cancellation)) {
    throw illegalAct(
      `Failed to accept the cancellation ${id}: the ${subject} ${subjectId} can no longer be canceled. Possible acts: cancellation.reject, cancellation.fail.`,
    );
  }
  if (subject === "subscription") endSubscription(tx, subscriptionOf(tx, cancellation), "cancel");
  else cancelScheduledPayment(tx, cancellation);
  cancellationStates.take(tx, cancellation, "accept", { canceledAt: tx.now });
  if (subject === "subscription") {
    cancelScheduledPaymentsOfSubscription(tx, subscriptionOf(tx, cancellation), cancellation);
  }
}

/** The other institution answers. A request about an object that can no longer be canceled is rejected. */
function decideCancellation(
  tx: Transaction,
  cancellation: Cancellation,
  decided: (typeof cancellationAnswer)["outcomes"][number] | null,
): void {
  const outcome = cancellationAnswer.outcome(tx, cancellation, decided);
  if (outcome === "ERROR") cancellationStates.take(tx, cancellation, "fail");
  else if (outcome === "ACCEPTED" && isCancellable(tx, cancellation)) acceptCancellation(tx, cancellation);
  else cancellationStates.take(tx, cancellation, "reject");
}

/** Schedules the answer for a plan that names a request, or the object whose requests wait for one. */
function scheduleAnswers(tx: Transaction, objectId: string): void {
  const named = tx.get(cancellations, objectId);
  for (const cancellation of named === undefined ? cancellationsOf(tx, objectId) : [named])
    scheduleWaiting(tx, cancellationAnswer, cancellation);
}

/** Whether the object can still be canceled on this request. */
function isCancellable(tx: Transaction, cancellation: Cancellation): boolean {
  return cancellation.subject === "subscription"
    ? canTake(subscriptionLifecycle, subscriptionOf(tx, cancellation), "cancel")
    : isScheduledPaymentCancellable(tx, cancellation);
}

function subscriptionOf(tx: Transaction, { subjectId }: Cancellation) {
  return recordOf(tx, subscriptions, subjectId);
}
