import type { JUnitCase } from "../report-junit.ts";
import type { MakeReporter } from "./reporter.ts";
import type { ScenarioResult } from "../result.ts";
import { coverageLines } from "../coverage.ts";
import { failureLines, placeOf } from "./failure.ts";
import { junitXml } from "../report-junit.ts";

/** JUnit XML, as CI servers read it: a suite per file, a case per scenario. */
export const junitReporter: MakeReporter = ({ write }) => ({
  started() {},
  finished() {},
  ended(results, coverage) {
    const suites = Array.from(
      Map.groupBy(results, ({ file }) => file),
      ([name, own]) => ({ name, cases: own.map(caseOf) }),
    );
    const output = coverage && { output: coverageLines(coverage).join("\n") };
    write(junitXml({ name: "sandbank", suites, ...output }));
  },
});

function caseOf(result: ScenarioResult): JUnitCase {
  const { name, file, failure, skipped, durationMs } = result;
  return {
    name,
    className: file,
    file,
    line: failure?.line ?? 1,
    timeSeconds: durationMs / 1000,
    ...(skipped !== undefined && { skipped: { message: skipped } }),
    ...(failure && {
      failure: {
        message: failure.message,
        type: "expectation",
        text: [placeOf(result, failure), ...failureLines(failure)].join("\n"),
      },
    }),
  };
}
