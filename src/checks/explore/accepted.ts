import { placeOf } from "../../partner/states/comparison.ts";
import type { Divergence, ExploreResult } from "./exploration.ts";
import { isRecord } from "../../simulator/engine/json.ts";
import type { Timeline } from "./deviations.ts";

/** Marks the divergences that an earlier report has too: the same kinds at the same operations, and the same path. */
export function acceptedBy(
  divergences: readonly Divergence[],
  timeline: Pick<Timeline, "events" | "calls">,
  accepted: ReadonlySet<string> = new Set(),
): Divergence[] {
  if (accepted.size === 0) return [...divergences];
  return divergences.map((one) =>
    identitiesOf(one, timeline).some((identity) => accepted.has(identity))
      ? { ...one, accepted: true as const }
      : one,
  );
}

/** Reads the divergences of a report of `sandbank explore --reporter json`. Undefined if the value has another form. */
export function acceptedIn(report: unknown): Set<string> | undefined {
  const results = isRecord(report) && Array.isArray(report["results"]) ? report["results"] : [report];
  if (!results.every(isReport)) return undefined;
  return new Set(
    results.flatMap((result) => result.divergences.flatMap((divergence) => identitiesOf(divergence, result))),
  );
}

/** Returns true if a value has the fields of a report that are read here. */
function isReport(value: unknown): value is ExploreResult {
  return (
    isRecord(value) &&
    Array.isArray(value["events"]) &&
    Array.isArray(value["calls"]) &&
    Array.isArray(value["divergences"]) &&
    value["divergences"].every(
      (one) =>
        isRecord(one) && ["deviations", "differences", "alike"].every((name) => Array.isArray(one[name])),
    )
  );
}

/** Returns the names of a divergence, one for each schedule: kind, operation or event, and path. */
function identitiesOf(
  { deviations, differences, alike }: Divergence,
  {
    events,
    calls,
  }: {
    readonly events: readonly { readonly index: number; readonly event: string }[];
    readonly calls: readonly { readonly index: number; readonly operation: string }[];
  },
): string[] {
  const path = placeOf(differences[0]?.path ?? "");
  return [deviations, ...alike].map((schedule) => {
    const subjects = schedule.map(({ kind, event, call, step }) => {
      const of =
        events.find(({ index }) => index === event)?.event ??
        calls.find(({ index }) => index === call)?.operation ??
        (step === undefined ? "" : `step ${step}`);
      return `${kind} ${of}`;
    });
    return JSON.stringify([subjects.toSorted(), path]);
  });
}
