// A browser reads these types too, so this file must not import from Node.
import type { Lint } from "../../api/generated/shapes.ts";

/**
 * One change of the normal course: for one event or call of the baseline, counted from 1, or for the step with this
 * number.
 */
export interface Deviation<Kind extends string = string> {
  readonly event?: number;
  readonly call?: number;
  readonly step?: number;
  readonly kind: Kind;
  /** For `together`: the event that is in flight with it, if it is not the first possible event. */
  readonly with?: number;
}

/** The arrival of an event or of its copy at the receiver. */
export interface Arrival {
  /** The event of the baseline. Null for an event that only this run has. */
  readonly event: number | null;
  /** Its name, if the baseline has no such event. */
  readonly name?: string;
  /** The number of the attempt. */
  readonly attempt: number;
  /** The status of the answer. Null if the answer is missing or was lost. */
  readonly status: number | null;
  /** The reason why the status is missing. */
  readonly error?: string;
  /** True if it arrived at the same moment as the previous event. */
  readonly together?: true;
  /** True if it arrived before the answer to the call that announced it. */
  readonly early?: true;
}

/** The result of an exploration. `undecided`: no schedule diverged, but too few were tried to be sure. */
export type ExploreVerdict = "converges" | "diverges" | "undecided" | "not-tried";

/** A schedule that leaves the partner's system in another state. */
export interface Divergence<Kind extends string = string> {
  readonly deviations: readonly Deviation<Kind>[];
  readonly differences: readonly {
    readonly path: string;
    readonly baseline: unknown;
    readonly found: unknown;
  }[];
  /** A difference of the platform's objects in words of money. */
  readonly words?: string;
  readonly arrivals: readonly Arrival[];
  /** The likely cause, and the fix. */
  readonly cause: string;
  /** The command that plays it again. */
  readonly replay: string;
  /** The schedule, as a sentence. */
  readonly title: string;
  /** The count of sightings of a race, if it did not repeat. */
  readonly seen?: string;
  /** True if an earlier report has it too. Then it does not fail the exploration. */
  readonly accepted?: true;
  /** Other schedules with the same kinds of deviation and the same difference. */
  readonly alike: readonly (readonly Deviation<Kind>[])[];
  /** The first difference between the partner's books and the ledger, if there is one. */
  readonly books?: readonly { readonly lines: readonly string[] }[];
  /** The state that the probe showed, with names for drawn values. */
  readonly state?: unknown;
}

/** The result of one deviation alone. */
export type CellResult = "ok" | "diverged" | "skipped" | "not-tried" | "not-reached" | "undecided";

/** An event of the baseline, with the place of the step that announced it. */
export interface ExploredEvent {
  readonly index: number;
  readonly event: string;
  readonly object: string;
  readonly line: number;
  readonly column: number;
}

/** A report of `sandbank explore --reporter json`, of one scenario or row of a matrix. */
export interface ExploreResult<Kind extends string = string> {
  readonly scenario: string;
  readonly events: readonly ExploredEvent[];
  readonly calls: readonly { readonly index: number; readonly operation: string; readonly object: string }[];
  readonly depth: number;
  readonly schedules: {
    readonly tried: number;
    readonly total: number;
    readonly skipped: number;
    /** Schedules whose event or call did not occur in their run. They do not count as tried. */
    readonly notReached?: number;
  };
  /** JSON paths that were left out of every comparison. */
  readonly ignored: readonly string[];
  readonly divergences: readonly Divergence<Kind>[];
  readonly verdict: ExploreVerdict;
  /** The reason if it was not tried. */
  readonly reason?: string;
  /** The reason why the result is open, or how far the search got. Absent if all schedules were tried. */
  readonly unfinished?: string;
  readonly file: string;
  readonly seed: number;
  /** The result of each deviation alone. Impossible deviations are left out. */
  readonly cells: readonly (Deviation<Kind> & { readonly result: CellResult })[];
  /** The method that detected the end of the system's work. Absent if no schedule was tried. */
  readonly rest?: string;
  /** Facts that a reader should know about the search. */
  readonly notes: readonly string[];
  /** The parts that were not tried, with reasons. */
  readonly notTried: readonly string[];
  /** Suspicious calls of the partner's system. They do not change the verdict. Absent if no call was suspicious. */
  readonly lints?: readonly Lint[];
  /** The number of comparisons of the books in the baseline. Absent if the scenario names no books. */
  readonly booksCompared?: number;
  /** The state of the baseline, with names for drawn values. */
  readonly state?: unknown;
}
