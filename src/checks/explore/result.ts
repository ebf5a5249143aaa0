import type { Baseline } from "./baseline.ts";
import type { CellResult, ExploreResult, Divergence } from "./exploration.ts";
import type { Reaction } from "./reactions.ts";
import type { Stage } from "./stage.ts";
import { repeatOf } from "./run-plan.ts";
import type { FirstLints } from "../../scenarios/lints.ts";
import { acceptedBy } from "./accepted.ts";
import { booksDivergence } from "./money.ts";
import { LIMITS } from "./search-limits.ts";
import { times } from "../../reports/report.ts";
import {
  type Deviation,
  type DeviationKind,
  nameOf,
  type Timeline,
  deviationKinds,
  impossible,
  kindOf,
} from "./deviations.ts";
import { TIME_OVER } from "../../base/stop.ts";
import type { Merged } from "./schedules.ts";
import { traceLints } from "../../scenarios/books/traces.ts";

/** An exploration with the data for its replays. */
export interface Explored {
  readonly result: ExploreResult;
  readonly baseline?: Baseline;
}

interface Searched {
  readonly stage: Stage;
  readonly baseline: Baseline;
  readonly lints: FirstLints;
  /** The number of runs. */
  readonly runs: number;
  readonly divergences: readonly Divergence[];
  readonly usualReactions: readonly Reaction[];
  readonly deviations: readonly Deviation[];
  readonly kinds: ReadonlySet<DeviationKind>;
  /** The names of the schedules with one deviation. Others lead to the same arrivals as one of them. */
  readonly singles: ReadonlySet<string>;
  readonly results: ReadonlyMap<string, CellResult>;
  readonly counts: {
    readonly tried: number;
    readonly skipped: number;
    readonly notReached: number;
    readonly undecided: number;
    /** All that ended. */
    readonly shown: number;
  };
  readonly levels: readonly { readonly done: number; readonly total: number }[];
  readonly merged: readonly Merged[];
  /** The reason if the search ended before all schedules were tried. */
  readonly ended: string | undefined;
  readonly notes: readonly string[];
  /** The advice that decides the open schedules. */
  readonly decidedBy: ReadonlySet<string>;
}

/** The maximum number of merged schedules in a report, the smallest first. */
const MERGED_MAX = 500;

/** Writes the findings of a search as its report. */
export function resultOf(searched: Searched): Explored {
  const { stage, baseline, lints, deviations, results, counts, singles, levels, merged } = searched;
  const { exploration, timeline, ignored, played, state } = baseline;
  const { depth = LIMITS.depth.preset, seed = LIMITS.seed.preset, scenario } = exploration;
  const divergences = acceptedBy(
    [...booksDivergence(baseline), ...searched.divergences],
    timeline,
    exploration.accepted,
  );
  lints.add(traceLints(searched.usualReactions, baseline.announced, baseline.facts.money));
  const total = levels.reduce((sum, level) => sum + level.total, 0);
  return {
    baseline,
    result: {
      scenario: scenario.name,
      events: timeline.events.map(({ index, event, object, step }) => {
        const { line = 1, column = 1 } = scenario.steps[step - 1] ?? scenario.steps.at(-1) ?? {};
        return { index, event, object, line, column };
      }),
      calls: timeline.calls.map(({ index, operation, object }) => ({ index, operation, object })),
      depth,
      schedules: {
        tried: counts.tried,
        total,
        skipped: counts.skipped,
        ...(counts.notReached > 0 && { notReached: counts.notReached }),
        ...(merged.length > 0 && { merged: merged.length }),
      },
      ...(merged.length > 0 && { merged: merged.slice(0, MERGED_MAX) }),
      ignored,
      divergences,
      ...verdictOf(divergences, searched),
      ...decidingOf(searched),
      file: scenario.file,
      seed,
      cells: deviations.map((deviation) => ({
        ...deviation,
        result:
          results.get(nameOf([deviation])) ??
          (singles.has(nameOf([deviation])) ? ("not-tried" as const) : ("skipped" as const)),
      })),
      notes: searched.notes,
      notTried: notTriedOf(searched),
      rest: stage.rest.method,
      ...(stage.settleMs > 0 && { time: stage.spent.report(searched.runs) }),
      ...lints.found,
      ...(played.moments > 0 && { booksCompared: played.moments }),
      ...("state" in played && { state: state.value }),
    },
  };
}

/** Returns the verdict, with the reason if it is open. */
function verdictOf(
  divergences: readonly Divergence[],
  { ended, levels, counts }: Searched,
): { readonly verdict: ExploreResult["verdict"]; readonly unfinished?: string } {
  const [singles, ...deeper] = levels;
  const why = ended === undefined ? "" : `, because ${ended}`;
  const isUnfinished = singles !== undefined && singles.done < singles.total;
  const unfinished = `${singles?.done} of ${singles?.total} single deviations were tried${why}.`;
  if (divergences.some(({ accepted }) => accepted !== true))
    return { verdict: "diverges", ...(isUnfinished && { unfinished }) };
  if (isUnfinished) return { verdict: "undecided", unfinished };
  if (counts.undecided > 0)
    return {
      verdict: "undecided",
      unfinished: `${counts.undecided} of ${counts.tried} schedules are undecided. The notes say why, and what would decide them.`,
    };
  if (counts.tried === 0)
    return { verdict: "undecided", unfinished: "No event or call of a deviation occurred in its run." };
  const open = deeper.findIndex(({ done, total }) => done < total);
  if (open < 0) return { verdict: "converges" };
  const { done = 0, total = 0 } = deeper[open] ?? {};
  const finished = open === 0 ? "1 deviation" : `${open + 1} deviations`;
  return {
    verdict: "converges",
    unfinished: `Up to ${finished}: of ${total} schedules with ${open + 2} deviations ${done} were tried${why}.`,
  };
}

/** Says what would decide the single deviations that are open. */
export function decidingOf({
  stage,
  levels,
  decidedBy,
  counts,
  ended,
}: Pick<Searched, "levels" | "decidedBy" | "ended"> & {
  readonly stage: Pick<Stage, "exploration" | "spent">;
  readonly counts: Pick<Searched["counts"], "shown">;
}): Pick<ExploreResult, "decidedBy"> {
  const { exploration, spent } = stage;
  const [{ done, total } = { done: 0, total: 0 }] = levels;
  const all = [...decidedBy];
  if (done < total && ended === TIME_OVER) {
    const { timeMs = LIMITS.timeMs.preset } = exploration;
    const eachMs = (spent.report().seconds * 1000) / Math.max(1, counts.shown);
    const minutes = Math.max(1, Math.ceil(((total - done) * eachMs) / MINUTE_MS));
    const inAll = Math.ceil(timeMs / MINUTE_MS) + minutes;
    all.push(`more time (about ${minutes} min): --time PT${inAll}M`);
  } else if (
    done < total &&
    ended !== undefined &&
    counts.shown >= (exploration.budget ?? LIMITS.budget.preset)
  )
    all.push(`--budget ${total}`);
  return all.length === 0 ? {} : { decidedBy: all };
}

const MINUTE_MS = 60_000;

/** Lists the parts that an exploration did not try, with a short reason for each. */
function notTriedOf(searched: Searched): string[] {
  const { stage, baseline, deviations, kinds } = searched;
  const { played, timeline } = baseline;
  const { events } = timeline;
  const isProbed = "state" in played || played.stateProblem !== undefined;
  const has = (test: (deviation: Deviation) => boolean): boolean => deviations.some(test);
  const isRace = has(({ kind }) => kindOf(kind).isRace === true);
  const reasons = Map.groupBy(
    deviationKinds.filter(
      (kind) => kinds.has(kind) && kindOf(kind).of === "event" && !has((one) => one.kind === kind),
    ),
    (kind) => (events.length === 0 ? "no event" : reasonOf(kind, timeline)),
  );
  return [
    ...webhooksNotTried(searched),
    ...callsNotTried(searched),
    ...(isProbed ? [] : ["your system's state: not compared (no --probe)"]),
    ...(stage.books !== undefined ? [] : ["books: none declared"]),
    ...(stage.life.canBeKilled ? [] : ["crashes: none (no --partner)"]),
    ...Array.from(reasons, ([reason, of]) => `${of.join(", ")}: for no event (${reason})`),
    ...lateWorkOf(stage),
    ...(isRace ? [racesOf(searched)] : []),
  ];
}

/** Says how often the races were tried. */
function racesOf({ stage: { exploration }, levels }: Searched): string {
  const [alone, withOthers] = [repeatOf(exploration, 1), repeatOf(exploration, levels.length)];
  const more = alone === withOthers ? "" : `, and ${times(withOthers)} with another deviation`;
  return `races: sampled ${times(alone)}${more}, so a race is still possible`;
}

/** Says how long the system was watched after its work. Later work is not seen. */
function lateWorkOf({ exploration, rest, settleMs }: Stage): string[] {
  const { receiver, partner, client } = exploration;
  if ([receiver, partner, client].every((one) => one === undefined)) return [];
  if (rest.isFollowed) return [];
  if (settleMs === 0) return ["late work: timers of your system were not waited for (settleMs)"];
  const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;
  const { usualMs, longMs } = rest.watched;
  return [
    `late work: changes more than ${seconds(usualMs)} after the last one, or ${seconds(longMs)} in the first run with a copy, with another order, and of each other kind (--settle)`,
  ];
}

function webhooksNotTried({ stage, baseline, kinds }: Searched): string[] {
  const count = baseline.timeline.events.length;
  if (count === 0 || Array.from(kinds).some((kind) => kindOf(kind).group === "webhooks")) return [];
  const why = stage.exploration.receiver === undefined ? "no --receiver" : "not chosen";
  return [`webhooks: ${count}, none disturbed (${why})`];
}

function callsNotTried({ stage, baseline, deviations, kinds }: Searched): string[] {
  const { calls } = baseline.timeline;
  const disturbed = new Set(deviations.flatMap(({ call }) => (call === undefined ? [] : [call]))).size;
  if (disturbed === calls.length && calls.length > 0) return [];
  const isChosen = Array.from(kinds).some((kind) => kindOf(kind).of === "call");
  const why = !isChosen
    ? "not chosen"
    : stage.isCaller
      ? "the others are made by steps without `retry`"
      : "no --port, and no step says `retry`";
  return [
    `calls: ${calls.length === 0 ? "none" : `${calls.length}, ${disturbed === 0 ? "none" : disturbed} disturbed (${why})`}`,
  ];
}

/** Returns the most frequent reason why a kind was impossible for all events. */
function reasonOf(kind: DeviationKind, timeline: Timeline): string {
  const counts = new Map<string, number>();
  for (const event of timeline.events) {
    const reason = impossible(kind, event, timeline) ?? "";
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const [first] = [...counts].toSorted(([, one], [, other]) => other - one);
  return first?.[0] ?? "";
}
