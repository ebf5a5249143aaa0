import { countResults } from "./count.ts";
import type { MakeReporter } from "./reporter.ts";

/**
 * One JSON object at the end, the same for the same run: it holds no wall-clock time. A value that was not
 * there is told as `{"$absent": true}`, the way a scenario would write it.
 */
export const jsonReporter: MakeReporter = ({ write }) => ({
  started() {},
  finished() {},
  ended(results, coverage) {
    write(
      `${JSON.stringify({ ...countResults(results), scenarios: results, ...(coverage && { coverage }) }, tell, 2)}\n`,
    );
  },
});

function tell(this: unknown, key: string, value: unknown): unknown {
  if (key === "durationMs") return undefined;
  return value === undefined && (key === "actual" || key === "expected") ? { $absent: true } : value;
}
