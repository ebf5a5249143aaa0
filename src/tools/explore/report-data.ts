// A browser reads these types too, so that nothing of Node may be imported here.
import type { Lint } from "../../api/generated/shapes.ts";

/**
 * One thing that goes differently: for one event or one call of the baseline, counted from 1, or for the step with
 * this number.
 */
export interface Deviation<Kind extends string = string> {
  readonly event?: number;
  readonly call?: number;
  readonly step?: number;
  readonly kind: Kind;
  /** Of `together`: the event with which it is in flight, where that is not the first that is possible. */
  readonly with?: number;
}

/** An event that reached the receiver, once more or once again. */
export interface Arrival {
  /** The event of the baseline; null for one that only this run has. */
  readonly event: number | null;
  /** Its name, where the baseline has no such event. */
  readonly name?: string;
  /** Which time it was sent. */
  readonly attempt: number;
  /** The status of the answer; null where there was none, or it was lost. */
  readonly status: number | null;
  /** Why there is no status. */
  readonly error?: string;
  /** It arrived at the same moment as the one before. */
  readonly together?: true;
  /** It arrived before the answer to the call that announced it. */
  readonly early?: true;
}

/** `undecided`: nothing diverged, and what was tried is not enough to say that nothing does. */
export type ExploreVerdict = "converges" | "diverges" | "undecided" | "not-tried";

/** A schedule after which the partner's system is in another state. */
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
  /** The likely cause, and what to do about it. */
  readonly cause: string;
  /** How to play it again. */
  readonly replay: string;
  /** What happened, as a sentence. */
  readonly title: string;
  /** How often a race was seen, if it did not repeat. */
  readonly seen?: string;
  /** An earlier report has it too, so it does not fail the exploration. */
  readonly accepted?: true;
  /** Other schedules with the same kinds of deviation and the same difference. */
  readonly alike: readonly (readonly Deviation<Kind>[])[];
  /** Where the partner's books and the ledger part, where they do. */
  readonly books?: readonly { readonly lines: readonly string[] }[];
  /** The state that the probe showed, with names for drawn values. */
  readonly state?: unknown;
}

/** What came of one deviation alone. */
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
    /** Those whose event or call did not occur in their run; they are not among the tried ones. */
    readonly notReached?: number;
  };
  /** JSON paths that were left out of every comparison. */
  readonly ignored: readonly string[];
  readonly divergences: readonly Divergence<Kind>[];
  readonly verdict: ExploreVerdict;
  /** Why it was not tried. */
  readonly reason?: string;
  /** Why nothing is decided, or how far the search came. Absent if all schedules were tried. */
  readonly unfinished?: string;
  readonly file: string;
  readonly seed: number;
  /** What came of each deviation alone; those that are not possible are not there. */
  readonly cells: readonly (Deviation<Kind> & { readonly result: CellResult })[];
  /** How it was known that the partner's system had finished its work; absent if nothing was tried. */
  readonly rest?: string;
  /** What a reader should know about the search. */
  readonly notes: readonly string[];
  /** What was not tried, and why. */
  readonly notTried: readonly string[];
  /** What was suspicious in the calls of the partner's system; it decides nothing. Absent where nothing was. */
  readonly lints?: readonly Lint[];
  /** How often the books were compared in the baseline; absent where the scenario has none. */
  readonly booksCompared?: number;
  /** The state of the baseline, with names for drawn values. */
  readonly state?: unknown;
}
