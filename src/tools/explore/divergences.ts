import type { Baseline } from "./baseline.ts";
import type { Divergence, CellResult } from "./exploration.ts";
import { type DivergenceEvidence, causeOf } from "./causes.ts";
import { causeOfCalls, disturbedIn } from "./causes-of-calls.ts";
import type { Found } from "./oracles.ts";
import { type LossFacts, type Reaction, showsLoss, tookEffect } from "./reactions.ts";
import { moneyWords } from "./platform-state.ts";
import { type Deviation, type Schedule, type Timeline, isAcross, nameOf, nextAbout } from "./deviations.ts";
import { sentenceOf } from "./sentence.ts";

export interface Finding {
  readonly baseline: Baseline;
  /** The result of a schedule with one deviation. */
  readonly resultOf: (deviation: Deviation) => CellResult | undefined;
}

/** Divergences with one name have the same kinds of deviation, and the same path of their first difference. */
export function causeGroupOf({ schedule, differences: [first] }: Found): string {
  const kinds = schedule.map(({ kind }) => kind).toSorted();
  return JSON.stringify([kinds, first?.path.replaceAll(/\[\d+\]/g, "[*]")]);
}

/**
 * Groups the divergences. Each group has its first schedule, which is the smallest. Also returns the watched baseline.
 */
export function divergencesOf(
  found: readonly Found[],
  finding: Finding & Pick<Observed, "observedBaseline">,
): { readonly divergences: Divergence[]; readonly watched: readonly Reaction[] } {
  const divergences: Divergence[] = [];
  for (const [first, ...others] of Map.groupBy(found, causeGroupOf).values()) {
    if (first === undefined) continue;
    const isOfEvents = first.schedule.every(({ event }) => event !== undefined);
    divergences.push(
      divergenceOf(first, others, {
        ...finding,
        all: found,
        observed: isOfEvents ? first.observed : undefined,
        causeOfLate: (event) =>
          divergences.find(({ deviations, alike }) =>
            [deviations, ...alike].some(([one, ...more]) => isLate(one, event) && more.length === 0),
          )?.cause,
      }),
    );
  }
  return { divergences, watched: finding.observedBaseline ?? [] };
}

interface Observed extends Finding, Pick<DivergenceEvidence, "causeOfLate"> {
  readonly all: readonly Found[];
  readonly observed: readonly Reaction[] | undefined;
  readonly observedBaseline: readonly Reaction[] | undefined;
}

function divergenceOf(
  { schedule, played, differences, seen }: Found,
  others: readonly Found[],
  { baseline, resultOf, all, observed, observedBaseline, causeOfLate }: Observed,
): Divergence {
  const { timeline } = baseline;
  const arrivals = baseline.arrivals(played);
  const eventOf = (index: number) => timeline.events[index - 1];
  const { calls, run, failure } = played;
  const disturbed = disturbedIn(schedule, timeline);
  const facts = factsOf(timeline, observedBaseline);
  const words = moneyWords({
    baseline: baseline.platform.value,
    found: baseline.name(played, played.platform).value,
    raw: played.platform,
    calls,
    run,
    ...(failure && { isMissed: (name) => disturbed.some(({ object }) => object === name) }),
  });
  const cause =
    causeOfCalls({
      schedule,
      differences,
      played,
      timeline,
      all,
      observedBaseline,
      isLostElsewhere: isLostElsewhere(schedule, { observed, facts, all }),
    }) ??
    causeOf({
      schedule,
      differences,
      arrivals,
      causeOfLate,
      observed,
      ...facts,
      diverges: (event, kind) => {
        const result = resultOf({ event, kind });
        return result === "diverged" ? true : result === "ok" ? false : undefined;
      },
      losesEvents: all.some((one) => showsLoss(one.observed, facts)),
      isAcross: schedule.some((one) => isAcross(one, timeline)),
      isFirst: (index) => {
        const event = eventOf(index);
        return timeline.events.find(({ objectId }) => objectId === event?.objectId) === event;
      },
    });
  return {
    deviations: schedule,
    differences,
    ...(words !== undefined && { words }),
    ...(seen && { seen: `seen in 1 of ${seen.samples} samples` }),
    arrivals,
    cause,
    replay: baseline.exploration.replayOf?.(schedule) ?? nameOf(schedule),
    title: sentenceOf(schedule, timeline),
    alike: others.map((other) => other.schedule),
    ...(played.books.length > 0 && { books: played.books }),
    ...("state" in played && { state: baseline.name(played, played.state).value }),
  };
}

/** Returns the facts about the events of a timeline. */
function factsOf({ events }: Timeline, observed: readonly Reaction[] | undefined): LossFacts {
  const eventOf = (index: number) => events[index - 1];
  return {
    baseline: observed,
    nextAbout: (index) => {
      const event = eventOf(index);
      return event && nextAbout(event, events)?.index;
    },
    areTwins: (...indexes) => {
      const [one, other] = indexes.map(eventOf);
      return one?.objectId === other?.objectId && one?.at === other?.at;
    },
  };
}

/**
 * Returns true if the watched run of a kill shows that the retry did its work, or that other events are lost. Without a
 * watched run, the same event alone must diverge if it comes late: the retry of a killed process comes late.
 */
function isLostElsewhere(
  schedule: Schedule,
  { observed, facts, all }: Pick<Observed, "observed" | "all"> & { readonly facts: LossFacts },
): boolean {
  const isOfEvent = (event: number | undefined): boolean =>
    observed === undefined
      ? all.some(({ schedule: [one, ...more] }) => isLate(one, event) && more.length === 0)
      : tookEffect(observed, event);
  return showsLoss(observed, facts) || schedule.some(({ event }) => isOfEvent(event));
}

function isLate(deviation: Deviation | undefined, event: number | undefined): boolean {
  return deviation?.kind === "late" && deviation.event === event;
}
