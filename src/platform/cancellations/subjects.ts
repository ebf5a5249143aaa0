import type { Cancellation } from "./cancellation.ts";
import type { CancellationSubject } from "./subject.ts";
import { scheduledPaymentCancellation } from "../scheduled-payments/cancellation.ts";
import { subscriptionCancellation } from "../subscriptions/cancellation.ts";

/** The kinds of object that can be canceled on request. */
export const subjects = {
  subscription: subscriptionCancellation,
  "scheduled-payment": scheduledPaymentCancellation,
} as const satisfies Record<Cancellation["subject"], CancellationSubject>;

export function subjectOf(cancellation: Cancellation): CancellationSubject {
  return subjects[cancellation.subject];
}
