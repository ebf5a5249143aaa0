import type { ExplorationResult, ExploreOptions } from "../tools/explore/exploration.ts";
import { openSandbox } from "./sandbox.ts";

/**
 * Tries every possible order of the webhooks of a scenario, and compares the states of the receiver's system at the
 * end. The same options give the same result. Rejects with an `OptionMistake` for a wrong option or file. A scenario
 * that cannot be explored has the verdict `not-tried` and a `reason`. A scenario with a matrix is explored once for
 * each combination. The result is the first that does not converge, or the last.
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
  const { runExploration } = await import("../tools/explore/run-exploration.ts");
  return runExploration(options, openSandbox);
}
