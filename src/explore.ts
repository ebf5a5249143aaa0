import type { DeviationKind } from "./explore/deviations.ts";
import type { ExploreResult } from "./explore/exploration.ts";
import type { Handler } from "./explore/receiver.ts";

/** The options of `explore`. */
export interface ExploreOptions {
  /** A scenario file, or what such a file contains. */
  readonly scenario: string | object;
  /** Where the webhooks go: a URL, or a handler in this process such as `app.fetch`. */
  readonly receiver: string | Handler;
  /** Shows the state at the end as JSON: a function, or a URL; default: `probe.url` of the scenario. */
  readonly probe?: string | (() => unknown);
  /** JSON paths (RFC 9535) of what is not compared. */
  readonly ignore?: readonly string[];
  /** Empties the partner's system before each run. */
  readonly reset?: () => unknown;
  /** How many things go differently at most in one run; default: 2. */
  readonly depth?: number;
  /** How many schedules are tried at most; default: 500. */
  readonly budget?: number;
  /** For how many milliseconds; default: 300,000. */
  readonly timeMs?: number;
  /** Only these kinds of deviation. */
  readonly only?: readonly DeviationKind[];
  /** All but these kinds. */
  readonly without?: readonly DeviationKind[];
  /** Wall time for work after the answers; default: 200 over a URL, none in this process. */
  readonly settleMs?: number;
  /** Where the order of schedules and the seeds of their worlds come from; default: 1. */
  readonly seed?: number;
  /** Signs the webhooks in place of the secret of the fixtures. */
  readonly webhookSecret?: string;
}

/** The result of an exploration: its JSON report, and the same for a person. */
export type ExplorationResult = ExploreResult & {
  /** The report for a person. It is no part of the JSON. */
  readonly report: string;
};

/**
 * Tries every way in which the webhooks of a scenario could have come, and compares the states of the receiver's
 * system at the end. The same options give the same result. Rejects with an `OptionMistake` for a wrong option or file;
 * what cannot be explored has the verdict `not-tried` and a `reason`. A scenario with a matrix is explored once for each
 * combination; the result is the first that does not converge, or the last.
 *
 * ```ts
 * const result = await explore({
 *   scenario: "scenarios/gym.yaml",
 *   receiver: app.fetch,
 *   probe: () => db.members(),
 *   reset: () => db.clear(),
 * });
 * assert.equal(result.verdict, "converges", result.report);
 * ```
 */
export async function explore(options: ExploreOptions): Promise<ExplorationResult> {
  // Loaded when used: most tests that import the library explore nothing.
  const { runExploration } = await import("./run-exploration.ts");
  return runExploration(options);
}
