import type { Baseline } from "./baseline.ts";
import type { DeviationKind, KindName, Schedule } from "./deviations.ts";
import type { BooksFinding } from "../scenarios/books/finding.ts";
import type * as Reported from "./report-data.ts";
import type { PartnerClient } from "./partner-system.ts";
import type { PartnerProcess } from "../partner/partner-process.ts";
import type { Handler } from "../partner/handler.ts";
import type { BooksSettings, Scenario } from "../scenarios/scenario.ts";
import type { OpenSandbox } from "../../access/open-sandbox.ts";
import type { Wall } from "../wall.ts";

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
  /** Number of tries for each race; default: 5 over a URL, 1 in this process. */
  readonly repeat?: number;
  /** Delay of the answer in `call-slow`, in milliseconds of wall time; default: 10,000. */
  readonly slowMs?: number;
  /** Milliseconds between a webhook and the kill of the process; default: 5, 20 and 100 in turn. */
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
  readonly onProgress?: (progress: Progress) => void;
  /** Returns the command that plays a schedule again. */
  readonly replayOf?: (schedule: Schedule) => string;
}

export interface Progress {
  readonly tried: number;
  readonly total: number;
  readonly diverged: number;
}

export interface Divergence extends Reported.Divergence<DeviationKind> {
  readonly books?: readonly BooksFinding[];
}

export interface ExploreResult extends Reported.ExploreResult<DeviationKind> {
  readonly divergences: readonly Divergence[];
}

/** The result of `explore`: the JSON report, and the report for a person. */
export type ExplorationResult = ExploreResult & {
  /** The report for a person. The JSON does not contain it. */
  readonly report: string;
};

/** An exploration with the data for its replays. */
export interface Explored {
  readonly result: ExploreResult;
  readonly baseline?: Baseline;
}
