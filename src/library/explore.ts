import type { ExplorationResult, ExploreOptions } from "../checks/explore/exploration.ts";
import { openSandbox } from "./sandbox.ts";

/**
 * Repeats a scenario with every order and failure of its webhooks and calls, and compares the states of the receiver's
 * system at the end. The same options give the same result. Rejects with an `OptionMistake` for a wrong option or file.
 * If a scenario cannot be explored, the verdict is `not-tried` and `reason` says why. A scenario with a matrix is
 * explored once for each combination. Returns the first result that does not converge, otherwise the last.
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
  const { runExploration } = await import("../checks/explore/run-exploration.ts");
  return runExploration(options, openSandbox);
}
