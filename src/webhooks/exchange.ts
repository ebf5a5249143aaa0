import type { Cause } from "../engine/journal.ts";
import { type PendingAttempt, type EndedAttempt, outcomeOf, type OutcomeInput } from "./pending-attempt.ts";
import type { Instant } from "../engine/instant.ts";
import type { Simulation } from "../engine/simulation.ts";
import { assertDefined } from "../engine/assertion.ts";
import { closeAttempt } from "../platform/webhook-events/attempts.ts";

/** An attempt together with the copies and other events that are sent at the same moment. */
export interface Exchange {
  readonly cause: Cause;
  readonly at: Instant;
  readonly objectId: string;
  readonly attempts: readonly PendingAttempt[];
  /** Undefined until all of its attempts have ended. */
  endedAttempts: readonly EndedAttempt[] | undefined;
}

/** Commits the outcomes of an exchange. */
export function commitOutcomes(
  simulation: Simulation,
  { cause, at, attempts, endedAttempts }: Exchange,
  before?: () => void,
): void {
  for (const [index, { name, order }] of attempts.entries()) {
    const endedAttempt = assertDefined(endedAttempts?.[index], `the result of ${name}`);
    before?.();
    const { nextNumber } = simulation.journal;
    simulation.execute(cause, (tx) => closeAttempt(tx, order, outcomeOf(at, endedAttempt)));
    if (simulation.journal.entry(nextNumber)?.cause === cause) continue;
    const { result } = endedAttempt;
    const input: OutcomeInput = { kind: "outcome", size: result.responseBody.length, name, result };
    simulation.note({ ...cause, input });
  }
}
