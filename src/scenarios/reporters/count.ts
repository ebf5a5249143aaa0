import type { ScenarioResult, Verdict } from "../result.ts";

/** How many scenarios passed, failed and were skipped. */
export function countResults(results: readonly ScenarioResult[]): { [verdict in Verdict]: number } {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const { status } of results) count[status] += 1;
  return count;
}
