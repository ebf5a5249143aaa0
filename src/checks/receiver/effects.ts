import type { Bench } from "./bench.ts";
import type { Sent } from "./finding.ts";
import type { WebhookEvent } from "./event-source.ts";
import { at, isRecord } from "../../simulator/engine/json.ts";

/** The header of an answer with the outcome of an event. */
export const OUTCOME_HEADER = "x-sandbox-outcome";

/** Returns the outcome of an event that the receiver reports in its header. */
export function outcomeOf({ responseHeaders }: Sent): string | undefined {
  return responseHeaders[OUTCOME_HEADER]?.trim().toLowerCase();
}

/**
 * Counts how often an event took effect, and says how it was observed from outside. The count comes from the counts of
 * the probe, from the outcomes in the answers, or from the receiver's own calls to the sandbox. `writesBefore` is the
 * number of its calls with a change before the event. Undefined if the effect cannot be counted.
 */
export async function effectsSince(
  { probe, options: { calls, settleMs, wall } }: Bench,
  writesBefore: number,
  event: WebhookEvent,
  outcomes: readonly (string | undefined)[],
): Promise<{ readonly count: number; readonly by: string } | undefined> {
  if (probe === undefined && calls !== undefined) await wall.pause(settleMs);
  const probed = probe && countIn(await probe.settled(), event.ids);
  if (probed !== undefined) return { count: probed, by: "its probe" };
  const named = outcomes.filter((outcome) => outcome !== undefined);
  if (named.length > 0) {
    const processed = named.filter((outcome) => outcome === "processed");
    return { count: processed.length, by: `its header ${OUTCOME_HEADER}` };
  }
  if (calls === undefined || calls.writes === 0) return undefined;
  return { count: calls.writes - writesBefore, by: "its calls to the sandbox" };
}

/** Returns the number under one of the ids in the object `processed`. 0 without an entry. */
function countIn(state: unknown, ids: readonly string[]): number | undefined {
  const processed = at(state, "processed");
  if (!isRecord(processed)) return undefined;
  const counts = ids.map((id) => processed[id]).filter((count) => typeof count === "number");
  return Math.max(0, ...counts);
}
