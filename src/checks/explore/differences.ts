import type { Baseline } from "./baseline.ts";
import { type Schedule, movesTime } from "./deviations.ts";
import type { Reaction } from "./reactions.ts";
import type { Played } from "./played.ts";
import type { StateDifference } from "../../partner/states/comparison.ts";

export const GONE: StateDifference = {
  path: "receiver",
  baseline: "it answers",
  found: "its process is gone",
};

/** A schedule that was tried and diverged. */
export interface Found {
  readonly schedule: Schedule;
  readonly played: Played;
  readonly differences: readonly StateDifference[];
  /** The reactions in the run that confirmed it. Absent if the run was not watched. */
  readonly reactions?: readonly Reaction[] | undefined;
  /** The number of samples of a race that was seen only once. */
  readonly seen?: { readonly samples: number };
}

/** The questions at the end of a run, in the order of the report: how is it different from the baseline? */
const QUESTIONS: readonly ((played: Played, baseline: Baseline, schedule: Schedule) => StateDifference[])[] =
  [
    ({ failure }) => {
      if (failure === undefined) return [];
      const { step, title, message } = failure;
      const found = message.startsWith(title) ? message : `${title}: ${message}`;
      return [{ path: `step ${step}`, baseline: "passed", found }];
    },
    ({ books }, baseline) =>
      books
        .filter(({ path }) => baseline.played.books.every((known) => known.path !== path))
        .map(({ path, yours, ledger }) => ({ path, baseline: ledger, found: yours })),
    (played, baseline) => baseline.undelivered(played),
    (played, baseline) => ("platform" in played ? baseline.platformDifferences(played) : []),
    (played, baseline, schedule) => {
      if (played.stateProblem !== undefined)
        return [{ path: "probe", baseline: "a state", found: played.stateProblem }];
      return "state" in played ? baseline.differences(played, movesTime(schedule, baseline.timeline)) : [];
    },
  ];

/** Finds the differences between the end of a run of a schedule and the end of the baseline. */
export function differencesOf(played: Played, schedule: Schedule, baseline: Baseline): StateDifference[] {
  return QUESTIONS.flatMap((question) => question(played, baseline, schedule));
}
