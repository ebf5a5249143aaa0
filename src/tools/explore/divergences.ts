import type { Baseline } from "./baseline.ts";
import type { Divergence, Exploration } from "./exploration.ts";
import type { CellResult } from "./report-data.ts";
import type { ExploredReceiver } from "./receiver.ts";
import type { Played } from "./play.ts";
import { type Evidence, type Observation, causeOf } from "./causes.ts";
import { causeOfCalls, disturbedIn } from "./causes-of-calls.ts";
import { type Found, GONE } from "./oracles.ts";
import { moneyWords } from "./platform-state.ts";
import { type Deviation, type Schedule, isAcross, nameOf, nextAbout } from "./deviations.ts";
import { observe } from "./observation.ts";
import { sentenceOf } from "./sentence.ts";

/** How many divergences are watched, one exchange after another, to find their causes. */
const WATCHED_MAX = 20;

interface Finding {
  readonly exploration: Exploration;
  readonly baseline: Baseline;
  readonly receiver: ExploredReceiver;
  /** Plays a schedule once more. */
  readonly play: (schedule: Schedule) => Promise<Played>;
  /** What came of a schedule with one deviation. */
  readonly resultOf: (deviation: Deviation) => CellResult | undefined;
}

/** The divergences in groups, each with the first of its schedules, which is the smallest; and the baseline, watched. */
export async function divergencesOf(
  found: readonly Found[],
  finding: Finding,
): Promise<{ readonly divergences: Divergence[]; readonly watched: readonly Observation[] }> {
  const groups = Map.groupBy(found, ({ schedule, differences: [first] }) =>
    JSON.stringify([schedule.map(({ kind }) => kind).toSorted(), first?.path.replaceAll(/\[\d+\]/g, "[*]")]),
  );
  const hasGone = found.some(({ differences }) => differences.includes(GONE));
  const isOfEvents = ({ schedule }: Found): boolean => schedule.every(({ event }) => event !== undefined);
  const observeRun = (schedule: Schedule): Promise<Observation[] | undefined> =>
    observe(() => finding.play(schedule), finding);
  const baseline = hasGone ? undefined : await observeRun([]);
  const divergences: Divergence[] = [];
  for (const [first, ...others] of groups.values()) {
    if (first === undefined) continue;
    const isWatched = baseline !== undefined && isOfEvents(first) && divergences.length < WATCHED_MAX;
    const observed = isWatched ? await observeRun(first.schedule) : undefined;
    divergences.push(
      divergenceOf(first, others, {
        ...finding,
        all: found,
        observed,
        observedBaseline: baseline,
        causeOfLate: (event) =>
          divergences.find(({ deviations, alike }) =>
            [deviations, ...alike].some(
              ([one, ...more]) => one?.event === event && one.kind === "late" && more.length === 0,
            ),
          )?.cause,
      }),
    );
  }
  return { divergences, watched: baseline ?? [] };
}

interface Observed extends Finding, Pick<Evidence, "causeOfLate"> {
  readonly all: readonly Found[];
  readonly observed: readonly Observation[] | undefined;
  readonly observedBaseline: readonly Observation[] | undefined;
}

function divergenceOf(
  { schedule, played, differences }: Found,
  others: readonly Found[],
  { baseline, exploration, resultOf, all, observed, observedBaseline, causeOfLate }: Observed,
): Divergence {
  const { timeline } = baseline;
  const arrivals = baseline.arrivals(played);
  const eventOf = (index: number) => timeline.events[index - 1];
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
  const cause =
    causeOfCalls({ schedule, differences, played, timeline, all }) ??
    causeOf({
      schedule,
      differences,
      arrivals,
      causeOfLate,
      observed,
      baseline: observedBaseline,
      diverges: (event, kind) => {
        const result = resultOf({ event, kind });
        return result === "diverged" ? true : result === "ok" ? false : undefined;
      },
      nextAbout: (index) => {
        const event = eventOf(index);
        return event && nextAbout(event, timeline.events)?.index;
      },
      areTwins: (...indexes) => {
        const [one, other] = indexes.map(eventOf);
        return one?.objectId === other?.objectId && one?.at === other?.at;
      },
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
    arrivals,
    cause,
    replay: exploration.replayOf?.(schedule) ?? nameOf(schedule),
    title: sentenceOf(schedule, timeline),
    alike: others.map((other) => other.schedule),
    ...(played.books.length > 0 && { books: played.books }),
    ...("state" in played && { state: baseline.name(played, played.state).value }),
  };
}
