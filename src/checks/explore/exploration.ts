import type { Cause } from "../../reports/cause.ts";
import type { CauseCode } from "../cause-texts.ts";
import type { Deviation, DeviationKind, KindName, Schedule } from "./deviations.ts";
import type { Merged } from "./schedules.ts";
import type { StateDifference } from "../../partner/states/comparison.ts";
import type { Lint } from "../../simulator/api/generated/shapes.ts";
import type { BooksFinding } from "../../scenarios/books/finding.ts";
import type { PartnerClient } from "../../partner/partner-system.ts";
import type { PartnerProcess } from "../../partner/partner-process.ts";
import type { Handler } from "../../partner/handler.ts";
import type { BooksSettings, Scenario } from "../../scenarios/scenario.ts";
import type { OpenSandbox } from "../../server/access/open-sandbox.ts";
import type { Wall } from "../../base/wall.ts";
import type { TimeReport } from "../../base/spent-time.ts";
import type { ControlClient } from "../../server/control/client.js";

/** The options of `explore`. */
export interface ExploreOptions {
  /** A scenario: the path of its file, its text of several lines, or its content as an object. */
  readonly scenario: string | object;
  /**
   * The receiver of the webhooks: a URL, or a handler in this process such as `app.fetch`. Without a receiver each
   * webhook gets 200, and only failures of calls are tried.
   */
  readonly receiver?: string | Handler;
  /** A function or a URL that returns the system's state as JSON; default: `probe.url` of the scenario. */
  readonly probe?: string | (() => unknown);
  /** JSONPaths (RFC 9535) that are left out of the comparison. */
  readonly ignore?: readonly string[];
  /** The place of the partner's books in that state; default: `probe.books` of the scenario. */
  readonly books?: BooksSettings;
  /** A function that empties the partner's system before each run. */
  readonly reset?: () => unknown;
  /** Maximum number of deviations in one run; default: 2. */
  readonly depth?: number;
  /** Maximum number of schedules; default: 500. */
  readonly budget?: number;
  /** Maximum duration of the search, in milliseconds; default: 300,000. */
  readonly timeMs?: number;
  /** The only kinds of deviation to try. */
  readonly only?: readonly KindName[];
  /** The kinds to leave out. */
  readonly without?: readonly KindName[];
  /** Additional kinds, such as `call-slow`, which are not tried by default. */
  readonly with?: readonly KindName[];
  /** A function that answers `request` steps whose URL begins with `partner:`. It gets the sandbox that it may call. */
  readonly client?: PartnerClient;
  /** The functions that start and kill the partner's system. With them, kills of the process are tried too. */
  readonly partner?: PartnerProcess;
  /** Number of tries for each race; default: 5 over a URL, or 2 with another deviation, and 1 in this process. */
  readonly repeat?: number;
  /** Delay of the answer in `call-slow`, in milliseconds of wall time; default: 10,000. */
  readonly slowMs?: number;
  /** Milliseconds between a webhook and the kill of the process; default: parts of the measured time until its answer. */
  readonly killDelayMs?: number;
  /** True if events are also held back until after the platform's last retry; default: false. */
  readonly beyondRetries?: boolean;
  /** Milliseconds that the system's work may continue after an answer; default: 200 over a URL, 0 in this process. */
  readonly settleMs?: number;
  /** The seed of the schedules' order and of their worlds; default: 1. */
  readonly seed?: number;
  /** The secret that signs the webhooks; default: the secret of the fixtures. */
  readonly webhookSecret?: string;
}

/** The exploration of one scenario. */
export interface Exploration extends Omit<
  ExploreOptions,
  "scenario" | "reset" | "only" | "without" | "with"
> {
  readonly scenario: Scenario;
  readonly openSandbox: OpenSandbox;
  readonly only?: readonly DeviationKind[];
  readonly without?: readonly DeviationKind[];
  readonly with?: readonly DeviationKind[];
  /** Empties the partner's system within the time of the wall. A rejection ends the exploration. */
  readonly reset?: (wall: Wall) => Promise<unknown>;
  /** The port of the sandbox for the partner's system. */
  readonly port?: number;
  /** Ends the search. The search then reports its findings so far. */
  readonly signal?: AbortSignal;
  /** Divergences of an earlier report, which do not fail this one. */
  readonly accepted?: ReadonlySet<string>;
  /** The time outside the sandbox. */
  readonly wall: Wall;
  /** Called after the baselines, and after each tried schedule. */
  readonly onProgress?: (progress: Progress) => void;
  /** Called at the end of each run, with its deviations and a client of its world. */
  readonly onRun?: (schedule: Schedule, client: ControlClient) => Promise<void>;
  /** Returns the command that plays a schedule again. */
  readonly replayOf?: (schedule: Schedule) => string;
}

export interface Progress {
  readonly tried: number;
  readonly total: number;
  readonly diverged: number;
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

/** A schedule that leaves the partner's system in another state. */
export interface Divergence {
  readonly deviations: readonly Deviation[];
  readonly differences: readonly StateDifference[];
  /** A difference of the platform's objects in words of money. */
  readonly words?: string;
  readonly arrivals: readonly Arrival[];
  readonly cause: Cause<CauseCode>;
  /** The command that plays it again. */
  readonly replay: string;
  /** The schedule, as a sentence. */
  readonly title: string;
  /** The count of sightings of a race, if it did not repeat. */
  readonly seen?: string;
  /** True if an earlier report has it too. Then it does not fail the exploration. */
  readonly accepted?: true;
  /** Other schedules with the same kinds of deviation and the same difference. */
  readonly alike: readonly (readonly Deviation[])[];
  /** The first difference between the partner's books and the ledger, if there is one. */
  readonly books?: readonly BooksFinding[];
  /** The state that the probe showed, with names for drawn values. */
  readonly state?: unknown;
}

/** The result of one deviation alone. */
export type CellResult = "ok" | "diverged" | "skipped" | "not-tried" | "not-reached" | "undecided";

/** A report of `sandbank explore --reporter json`, of one scenario or row of a matrix. */
export interface ExploreResult {
  readonly scenario: string;
  /** The events of the baseline, each with the place of the step that announced it. */
  readonly events: readonly {
    readonly index: number;
    readonly event: string;
    readonly object: string;
    readonly line: number;
    readonly column: number;
  }[];
  readonly calls: readonly { readonly index: number; readonly operation: string; readonly object: string }[];
  readonly depth: number;
  readonly schedules: {
    readonly tried: number;
    readonly total: number;
    readonly skipped: number;
    /** Schedules whose event or call did not occur in their run. They do not count as tried. */
    readonly notReached?: number;
    /** Schedules that were not played, because another schedule leads to the same arrivals at the same instants. */
    readonly merged?: number;
  };
  /** The first of the merged schedules, the smallest first. Absent if none was merged. */
  readonly merged?: readonly Merged[];
  /** JSON paths that were left out of every comparison. */
  readonly ignored: readonly string[];
  readonly divergences: readonly Divergence[];
  /** `undecided`: no schedule diverged, but too few were tried to be sure. */
  readonly verdict: "converges" | "diverges" | "undecided" | "not-tried";
  /** The reason if it was not tried. */
  readonly reason?: string;
  /** The reason why the result is open, or how far the search got. Absent if all schedules were tried. */
  readonly unfinished?: string;
  /** The advice that decides an open result, such as a flag or more time. Absent if nothing is open. */
  readonly decidedBy?: readonly string[];
  readonly file: string;
  readonly seed: number;
  /** The result of each deviation alone. Impossible deviations are left out. */
  readonly cells: readonly (Deviation & { readonly result: CellResult })[];
  /** The method that detected the end of the system's work. Absent if no schedule was tried. */
  readonly rest?: string;
  /** The duration of the exploration, and its parts. Absent if the system is in this process. */
  readonly time?: TimeReport;
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

/** The result of `explore`: the JSON report, and the report for a person. */
export type ExplorationResult = ExploreResult & {
  /** The report for a person. The JSON does not contain it. */
  readonly report: string;
};
