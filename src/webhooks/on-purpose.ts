import type { AttemptError } from "../platform/webhook-events/delivery.ts";
import { AttemptFailure } from "./attempt-failure.ts";

/** How the manners that let no answer through end an attempt, over a wire and where there is none. */
const ENDS = {
  "refuse-connection": ["refused", "the connection was refused"],
  "reset-on-connect": ["reset", "the connection was reset as soon as it stood"],
  "reset-after-request": ["reset", "the connection was reset as the answer began to come"],
  "ignore-answer": ["timeout", "the answer was not read"],
  "truncate-then-reset": ["reset", "the connection was reset in the middle of the body"],
} as const satisfies Readonly<Record<string, readonly [AttemptError, string]>>;

/** Whether a manner lets no answer through, whatever the receiver says. */
export function endsOnPurpose(kind: string | undefined): kind is keyof typeof ENDS {
  return kind !== undefined && Object.hasOwn(ENDS, kind);
}

/** The receiver is not to blame for this outcome, and the message must not say so. */
export function onPurpose(kind: keyof typeof ENDS): AttemptFailure {
  const [error, what] = ENDS[kind];
  const advice = "See that the receiver comes through it and deals well with the next attempt.";
  return new AttemptFailure(error, `${what} on purpose (fault ${kind})`, advice);
}
