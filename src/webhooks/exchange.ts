import type { Cause } from "../engine/journal.ts";
import { type Flight, type Landing, outcomeOf, type OutcomeInput } from "./flight.ts";
import type { Instant } from "../engine/instant.ts";
import type { Simulation } from "../engine/simulation.ts";
import { assertDefined } from "../engine/assertion.ts";
import { closeAttempt } from "../platform/webhook-events/attempts.ts";

/** An attempt together with the copies and other events that are sent at the same moment. */
export interface Exchange {
  readonly cause: Cause;
  readonly at: Instant;
  readonly objectId: string;
  readonly flights: readonly Flight[];
  /** Undefined until all of its attempts have ended. */
  landings: readonly Landing[] | undefined;
}

/** Commits the outcomes of an exchange. */
export function commitOutcomes(
  simulation: Simulation,
  { cause, at, flights, landings }: Exchange,
  before?: () => void,
): void {
  for (const [index, { name, order }] of flights.entries()) {
    const landing = assertDefined(landings?.[index], `the result of ${name}`);
    before?.();
    const { nextNumber } = simulation.journal;
    simulation.execute(cause, (tx) => closeAttempt(tx, order, outcomeOf(at, landing)));
    if (simulation.journal.entry(nextNumber)?.cause === cause) continue;
    const { result } = landing;
    const input: OutcomeInput = { kind: "outcome", size: result.responseBody.length, name, result };
    simulation.note({ ...cause, input });
  }
}
