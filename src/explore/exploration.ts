import type { Arrival, Baseline } from "./baseline.ts";
import type { Deviation, DeviationKind, Schedule } from "./deviations.ts";
import type { Fetch, ScenarioOperations } from "../scenarios/world.ts";
import type { Handler } from "./receiver.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { StateDifference } from "../oracle/comparison.ts";
import type { Transport } from "../webhooks/transport.ts";

/** A sandbox for one exploration, as `createSandbox` makes it. */
type OpenSandbox = (options: {
  readonly seed: number;
  readonly start?: string;
  readonly fixtures?: string;
  readonly assumptions?: Readonly<Record<string, unknown>>;
  readonly webhookUrl: string;
  readonly mode: "frozen";
  readonly transport: Transport;
}) => Promise<{
  readonly fetch: Fetch;
  listen(options: { readonly port: number }): Promise<{ readonly url: string }>;
  close(): Promise<void>;
}>;

export interface Exploration {
  readonly scenario: Scenario;
  readonly createSandbox: OpenSandbox;
  readonly operations: ScenarioOperations;
  /** A URL, or a handler in this process. */
  readonly receiver: string | Handler;
  /** A URL, in which expressions are filled in, or what reads the state in this process. */
  readonly probe?: string | (() => unknown);
  /** JSON paths of what is not compared, in addition to those of the scenario. */
  readonly ignore?: readonly string[];
  /** Empties the partner's system before each run; what it rejects with ends the exploration. */
  readonly reset?: () => Promise<unknown>;
  readonly depth?: number;
  /** How many schedules are tried at most. */
  readonly budget?: number;
  /** For how long, in wall time. */
  readonly timeMs?: number;
  readonly only?: readonly DeviationKind[];
  readonly without?: readonly DeviationKind[];
  readonly settleMs?: number;
  readonly seed?: number;
  readonly webhookSecret?: string;
  /** The port on which the partner's system finds the sandbox. */
  readonly port?: number;
  readonly onProgress?: (progress: Progress) => void;
  /** How a schedule can be played again, as one line. */
  readonly replayOf?: (schedule: Schedule) => string;
}

export interface Progress {
  readonly tried: number;
  readonly total: number;
  readonly diverged: number;
}

export type ExploreVerdict = "converges" | "diverges" | "not-tried";

/** A schedule after which the partner's system is in another state. */
export interface Divergence {
  readonly deviations: Schedule;
  readonly differences: readonly StateDifference[];
  readonly arrivals: readonly Arrival[];
  /** The likely cause, and what to do about it. */
  readonly cause: string;
  /** How to play it again. */
  readonly replay: string;
  /** What happened, as a sentence. */
  readonly title: string;
  /** Other schedules with the same kinds of deviation and the same difference. */
  readonly alike: readonly Schedule[];
  /** The state that the probe showed, with names for drawn values. */
  readonly state?: unknown;
}

/** What came of one deviation alone. */
export type CellResult = "ok" | "diverged" | "skipped" | "not-tried";

export interface ExploreResult {
  readonly scenario: string;
  readonly events: readonly { readonly index: number; readonly event: string; readonly object: string }[];
  readonly depth: number;
  readonly schedules: { readonly tried: number; readonly total: number; readonly skipped: number };
  /** JSON paths that were left out of every comparison. */
  readonly ignored: readonly string[];
  readonly divergences: readonly Divergence[];
  readonly verdict: ExploreVerdict;
  /** Why it was not tried. */
  readonly reason?: string;
  readonly file: string;
  readonly seed: number;
  /** What came of each deviation alone; those that are not possible are not there. */
  readonly cells: readonly (Deviation & { readonly result: CellResult })[];
  /** What a reader should know about the search. */
  readonly notes: readonly string[];
  /** The state of the baseline, with names for drawn values. */
  readonly state?: unknown;
}

/** An exploration with what its replays need. */
export interface Explored {
  readonly result: ExploreResult;
  readonly baseline?: Baseline;
}
