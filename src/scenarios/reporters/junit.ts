import type { ScenarioResult } from "../result.ts";
import { coverageLines } from "../coverage.ts";
import { countResults } from "./count.ts";
import { failureLines, placeOf } from "./failure.ts";
import type { MakeReporter } from "./reporter.ts";
import { attributes, escapeXml } from "./xml.ts";

/** JUnit XML, as CI servers read it: a suite per file, a case per scenario. */
export const junitReporter: MakeReporter = ({ write }) => ({
  started() {},
  finished() {},
  ended(results, coverage) {
    const files = Map.groupBy(results, ({ file }) => file);
    const suites = [...files].flatMap(([file, own]) => suiteLines(file, own));
    const covered = coverage === undefined ? [] : coverageLines(coverage);
    const lines = [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<testsuites ${attributes({ name: "sandbank", ...counts(results) })}>`,
      ...suites.map((line) => `  ${line}`),
      ...(covered.length === 0 ? [] : [`  <system-out>${escapeXml(covered.join("\n"))}</system-out>`]),
      "</testsuites>",
    ];
    write(`${lines.join("\n")}\n`);
  },
});

function suiteLines(file: string, results: readonly ScenarioResult[]): string[] {
  return [
    `<testsuite ${attributes({ name: file, ...counts(results) })}>`,
    ...results.flatMap(caseLines).map((line) => `  ${line}`),
    "</testsuite>",
  ];
}

function caseLines(result: ScenarioResult): string[] {
  const { name, file, failure, skipped, durationMs } = result;
  const named = attributes({
    name,
    classname: file,
    file,
    line: failure?.line ?? 1,
    time: seconds(durationMs),
  });
  if (result.status === "skipped") {
    return [`<testcase ${named}>`, `  <skipped ${attributes({ message: skipped ?? "" })}/>`, "</testcase>"];
  }
  if (failure === undefined) return [`<testcase ${named}/>`];
  const story = escapeXml([placeOf(result, failure), ...failureLines(failure)].join("\n"));
  return [
    `<testcase ${named}>`,
    `  <failure ${attributes({ message: failure.message, type: "expectation" })}>${story}</failure>`,
    "</testcase>",
  ];
}

function counts(results: readonly ScenarioResult[]): { [name: string]: string | number } {
  const { failed, skipped } = countResults(results);
  const durationMs = results.reduce((sum, result) => sum + result.durationMs, 0);
  return { tests: results.length, failures: failed, errors: 0, skipped, time: seconds(durationMs) };
}

function seconds(durationMs: number): string {
  return (durationMs / 1000).toFixed(3);
}
