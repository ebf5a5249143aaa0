import type { Baseline } from "./baseline.ts";
import type { Divergence, CellResult } from "./exploration.ts";
import { type DivergenceFacts, causeOf } from "./causes.ts";
import { causeOfCalls, disturbedIn, isLateAlone } from "./causes-of-calls.ts";
import type { Found } from "./differences.ts";
import { moneyWords } from "./platform-state.ts";
import { nameOf } from "./deviations.ts";
import { sentenceOf } from "./sentence.ts";

/** Divergences with one name have the same kinds of deviation, and the same path of their first difference. */
export function causeGroupOf({ schedule, differences: [first] }: Found): string {
  const kinds = schedule.map(({ kind }) => kind).toSorted();
  return JSON.stringify([kinds, first?.path.replaceAll(/\[\d+\]/g, "[*]")]);
}

/**
 * Groups the divergences, and finds their causes. Each group has its first schedule, which is the smallest. `results`
 * has the result of each schedule with one deviation.
 */
export function divergencesOf(
  all: readonly Found[],
  baseline: Baseline,
  {
    results,
    usualReactions,
  }: Pick<DivergenceFacts, "usualReactions"> & { readonly results: ReadonlyMap<string, CellResult> },
): Divergence[] {
  const divergences: Divergence[] = [];
  const { timeline } = baseline;
  const facts: Omit<DivergenceFacts, keyof Found | "arrivals"> = {
    all,
    timeline,
    usualReactions,
    diverges: (event, kind) => {
      const result = results.get(nameOf([{ event, kind }]));
      return result === "diverged" ? true : result === "ok" ? false : undefined;
    },
    causeOfLate: (event) =>
      divergences.find(({ deviations, alike }) =>
        [deviations, ...alike].some((schedule) => isLateAlone(schedule, event)),
      )?.cause,
  };
  for (const [first, ...others] of Map.groupBy(all, causeGroupOf).values()) {
    if (first === undefined) continue;
    const isOfEvents = first.schedule.every(({ event }) => event !== undefined);
    const arrivals = baseline.arrivals(first.played);
    const reactions = isOfEvents ? first.reactions : undefined;
    divergences.push(divergenceOf({ ...first, ...facts, arrivals, reactions }, others, baseline));
  }
  return divergences;
}

function divergenceOf(facts: DivergenceFacts, others: readonly Found[], baseline: Baseline): Divergence {
  const { schedule, played, differences, seen, arrivals, timeline } = facts;
  const { calls, run, failure } = played;
  const disturbed = disturbedIn(schedule, timeline);
  const words = moneyWords({
    baseline: baseline.platform.value,
    found: baseline.name(played, played.platform).value,
    raw: played.platform,
    calls,
    run,
    ...(failure && { isMissed: (name) => disturbed.some(({ object }) => object === name) }),
  });
  return {
    deviations: schedule,
    differences,
    ...(words !== undefined && { words }),
    ...(seen && { seen: `seen in 1 of ${seen.samples} samples` }),
    arrivals,
    cause: causeOfCalls(facts) ?? causeOf(facts),
    replay: baseline.exploration.replayOf?.(schedule) ?? nameOf(schedule),
    title: sentenceOf(schedule, timeline),
    alike: others.map((other) => other.schedule),
    ...(played.books.length > 0 && { books: played.books }),
    ...("state" in played && { state: baseline.name(played, played.state).value }),
  };
}
