import type { Baseline } from "./baseline.ts";
import type { CellResult, ExploreResult, Divergence, Explored } from "./exploration.ts";
import type { Reaction } from "./reactions.ts";
import type { RestMethod } from "./rest.ts";
import type { FirstLints } from "../scenarios/lints.ts";
import { acceptedBy } from "./accepted.ts";
import { booksDivergence } from "./money.ts";
import { LIMITS } from "./search-limits.ts";
import { type Deviation, type DeviationKind, nameOf } from "./deviations.ts";
import { notTriedOf } from "./not-tried.ts";
import { traceLints } from "../scenarios/books/traces.ts";

interface Searched {
  readonly baseline: Baseline;
  readonly lints: FirstLints;
  readonly divergences: readonly Divergence[];
  readonly watched: readonly Reaction[];
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
  };
  readonly levels: readonly { readonly done: number; readonly total: number }[];
  /** The reason if the search ended before all schedules were tried. */
  readonly ended: string | undefined;
  readonly notes: readonly string[];
  readonly isCaller: boolean;
  readonly canBeKilled: boolean;
  readonly repeat: number;
  readonly rest: RestMethod;
}

/** Writes the findings of a search as its report. */
export function resultOf(searched: Searched): Explored {
  const { baseline, lints, deviations, results, counts, singles, levels, rest } = searched;
  const { exploration, timeline, ignored, played, state } = baseline;
  const { depth = LIMITS.depth.preset, seed = 1, scenario } = exploration;
  const divergences = acceptedBy(
    [...booksDivergence(baseline), ...searched.divergences],
    timeline,
    exploration.accepted,
  );
  lints.add(traceLints(searched.watched, baseline.announced, baseline.sight.money));
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
      },
      ignored,
      divergences,
      ...verdictOf(divergences, searched),
      file: scenario.file,
      seed,
      cells: deviations.map((deviation) => ({
        ...deviation,
        result:
          results.get(nameOf([deviation])) ??
          (singles.has(nameOf([deviation])) ? ("not-tried" as const) : ("skipped" as const)),
      })),
      notes: searched.notes,
      notTried: notTriedOf({
        timeline,
        deviations,
        kinds: searched.kinds,
        canBeKilled: searched.canBeKilled,
        isCaller: searched.isCaller,
        repeat: searched.repeat,
        hasBooks: (exploration.books ?? scenario.probe?.books) !== undefined,
        isProbed: "state" in played || played.stateProblem !== undefined,
      }),
      rest,
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
      unfinished: `After ${counts.undecided} of ${counts.tried} schedules the state was still changing.`,
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
