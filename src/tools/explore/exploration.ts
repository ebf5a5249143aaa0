import type { Baseline } from "./baseline.ts";
import type { DeviationKind, KindName, Schedule } from "./deviations.ts";
import type { BooksFinding } from "../books/finding.ts";
import type * as Reported from "./report-data.ts";
import type { PartnerClient, PartnerProcess } from "./partner-system.ts";
import type { Handler } from "../oracle/handler.ts";
import type { BooksSettings, Scenario } from "../scenarios/scenario.ts";
import type { OpenSandbox } from "../../access/open-sandbox.ts";
import type { Wall } from "../wall.ts";

/** The options of `explore`. */
export interface ExploreOptions {
  /** The path of a scenario file, the text of one (which has several lines), or its content as an object. */
  readonly scenario: string | object;
  /**
   * The receiver of the webhooks: a URL, or a handler in this process such as `app.fetch`. Without it each webhook is
   * answered with 200, and only calls are tried.
   */
  readonly receiver?: string | Handler;
  /** Shows the state at the end as JSON: a function, or a URL; default: `probe.url` of the scenario. */
  readonly probe?: string | (() => unknown);
  /** JSON paths (RFC 9535) that are not compared. */
  readonly ignore?: readonly string[];
  /** The place of the partner's books in that state; default: `probe.books` of the scenario. */
  readonly books?: BooksSettings;
  /** Empties the partner's system before each run. */
  readonly reset?: () => unknown;
  /** The most deviations in one run; default: 2. */
  readonly depth?: number;
  /** The most schedules that are tried; default: 500. */
  readonly budget?: number;
  /** For how many milliseconds; default: 300,000. */
  readonly timeMs?: number;
  /** Only these kinds of deviation. */
  readonly only?: readonly KindName[];
  /** All but these kinds. */
  readonly without?: readonly KindName[];
  /** Additional kinds. They are tried only if the user names them. */
  readonly with?: readonly KindName[];
  /** Answers the requests of steps whose URL begins with `partner:`, and calls the sandbox that it gets. */
  readonly client?: PartnerClient;
  /** The process of the partner's system, which is then killed on purpose as well. */
  readonly partner?: PartnerProcess;
  /** The number of tries for a race; default: 5 over a URL, once in this process. */
  readonly repeat?: number;
  /** How late the answer of `call-slow` is, in milliseconds of wall time; default: 10,000. */
  readonly slowMs?: number;
  /** When a process is killed while it handles a webhook, in milliseconds; default: 5, 20 and 100 by turns. */
  readonly killDelayMs?: number;
  /** Also holds events back for longer than the platform retries. */
  readonly beyondRetries?: boolean;
  /** Wall time for work after the answers; default: 200 over a URL, none in this process. */
  readonly settleMs?: number;
  /** The seed for the order of schedules and for the seeds of their worlds; default: 1. */
  readonly seed?: number;
  /** Signs the webhooks in place of the secret of the fixtures. */
  readonly webhookSecret?: string;
}

/** An exploration of one scenario that was read. */
export interface Exploration extends Omit<
  ExploreOptions,
  "scenario" | "reset" | "only" | "without" | "with"
> {
  readonly scenario: Scenario;
  readonly openSandbox: OpenSandbox;
  readonly only?: readonly DeviationKind[];
  readonly without?: readonly DeviationKind[];
  readonly with?: readonly DeviationKind[];
  /** A rejection ends the exploration. */
  readonly reset?: () => Promise<unknown>;
  /** The port of the sandbox for the partner's system. */
  readonly port?: number;
  /** Ends the search. The search then reports its findings so far. */
  readonly signal?: AbortSignal;
  /** Divergences of an earlier report, which do not fail this one. */
  readonly accepted?: ReadonlySet<string>;
  /** The time outside the sandbox. */
  readonly wall: Wall;
  readonly onProgress?: (progress: Progress) => void;
  /** How a schedule can be played again, as one line. */
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
