import { sharedFormats } from "../reports/formats.ts";
import type { TestCase, TestReport } from "../reports/test-report.ts";
import {
  type CoverageReport,
  type ScenarioFailure,
  type ScenarioResult,
  beforeLines,
  countResults,
  coverageLines,
  differenceLines,
  failureLines,
  placeOf,
  REFUSED,
  whyLines,
} from "./result.ts";
import { lintLines } from "./lints.ts";
import { refusedLines } from "./refused-calls.ts";
import { visible } from "../reports/visible-text.ts";
import { styleText } from "node:util";
import { stringify } from "yaml";

/** Where a report goes: standard output, or a file. */
interface ReporterOptions {
  readonly write: (text: string) => void;
  /** Whether `write` reaches a terminal, where a line of progress can be shown. */
  readonly isTerminal?: boolean;
  /** The default is the value of `isTerminal`. */
  readonly isColoured?: boolean;
}

/** Reports a run: the number of scenarios, each result in order, then the end with the requested coverage. */
interface Reporter {
  started(total: number): void;
  /** A scenario begins; several run at a time. */
  began?(name: string): void;
  finished(result: ScenarioResult): void;
  ended(results: readonly ScenarioResult[], coverage?: CoverageReport): void;
}

type MakeReporter = (options: ReporterOptions) => Reporter;

type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

/** The line of progress must not wrap, since it is overwritten. */
const PROGRESS_MAX = 76;

const MARKS = { passed: "✓", failed: "✗", skipped: "-" } as const;
const COLOURS = { passed: "green", failed: "red", skipped: "yellow" } as const;

/** For a terminal: a line per scenario as it ends, with what helps to fix a failure. */
const prettyReporter: MakeReporter = ({ write, isTerminal = false, isColoured = isTerminal }) => {
  const paint: Paint = (format, text) =>
    isColoured ? styleText(format, text, { validateStream: false }) : text;
  let total = 0;
  let done = 0;
  const running = new Set<string>();
  const showProgress = (): void => {
    if (!isTerminal || done >= total) return;
    const [oldest = ""] = running;
    write(`\r\u001B[2K${paint("dim", `${done}/${total} … ${visible(oldest)}`.slice(0, PROGRESS_MAX))}`);
  };
  return {
    started(count) {
      total = count;
      showProgress();
    },
    began(name) {
      running.add(name);
      showProgress();
    },
    finished(result) {
      // The result replaces the line of progress, which is written again below it.
      if (isTerminal) write("\r\u001B[2K");
      done += 1;
      running.delete(result.name);
      write(`${resultLines(result, paint).join("\n")}\n`);
      showProgress();
    },
    ended(results, coverage) {
      const count = countResults(results);
      const counts = (["passed", "failed", "skipped"] as const)
        .filter((verdict) => count[verdict] > 0)
        .map((verdict) => paint(COLOURS[verdict], `${count[verdict]} ${verdict}`));
      write(`\n${counts.join(", ") || "No scenario was run"}.\n`);
      if (coverage !== undefined) write(`\n${coverageLines(coverage).join("\n")}\n`);
    },
  };
};

function resultLines(result: ScenarioResult, paint: Paint): string[] {
  const mark = paint(COLOURS[result.status], MARKS[result.status]);
  const place = paint("dim", result.file);
  const line = `${mark} ${visible(result.name)} ${place}`;
  if (result.skipped !== undefined) return [line, `    ${result.skipped}`];
  const lints = allLintLines(result).map((text) => `    ${paint("yellow", visible(text))}`);
  return result.failure === undefined
    ? [line, ...worldLine(result).map((address) => `    ${address}`), ...lints]
    : [line, ...failureBlock(result, result.failure, paint), ...lints];
}

function allLintLines({ lints = [] }: ScenarioResult): string[] {
  return lints.flatMap(lintLines);
}

/** Where to look at the world of a scenario, if it is still there. */
function worldLine({ world }: ScenarioResult): string[] {
  return world === undefined ? [] : [`World: ${world}`];
}

function failureBlock(result: ScenarioResult, failure: ScenarioFailure, paint: Paint): string[] {
  const steps = result.steps
    .filter(({ status }) => status !== "skipped")
    .map(({ number, title, status, note }) => {
      const mark = paint(COLOURS[status], MARKS[status]);
      const remark = note === undefined ? "" : paint("dim", `  ${visible(note)}`);
      return `${mark} ${number}. ${visible(title)}${remark}`;
    });
  const books = failure.books?.flatMap(({ lines }) => ["", ...lines.map(visible)]);
  const differences = failure.differences.flatMap((difference) => {
    const [path = "", ...values] = differenceLines(difference);
    return ["", paint("bold", visible(path)), ...values.map((line) => paintValue(line, paint))];
  });
  const before = beforeLines(failure).map(visible);
  const why = whyLines(failure).map(visible);
  const block = [
    "",
    ...steps,
    "",
    paint("red", visible(failure.message)),
    `at ${placeOf(result, failure)}`,
    ...worldLine(result),
    ...(books ?? differences),
    ...(failure.refused === undefined
      ? []
      : ["", paint("bold", REFUSED), ...refusedLines(failure.refused).map(visibleIndented)]),
    ...(before.length === 0 ? [] : ["", paint("bold", "What happened just before"), ...before]),
    ...(why.length === 0 ? [] : ["", paint("bold", `Why ${failure.why?.objectId} is as it is`), ...why]),
    "",
  ];
  return block.map((line) => (line === "" ? "" : `    ${line}`));
}

/** A line that keeps its indentation. */
function visibleIndented(line: string): string {
  const [indent = ""] = /^ */.exec(line) ?? [];
  return indent + visible(line.slice(indent.length));
}

function paintValue(line: string, paint: Paint): string {
  return line.replace(/^ {2}(expected|found|nearest of \d+)(?: \d+ entries, the first)?:/, (label) =>
    paint(label.trim().startsWith("expected") ? "green" : "red", label),
  );
}

/** For CI servers: a suite per file, a case per scenario. */
export function testReport(results: readonly ScenarioResult[], coverage?: CoverageReport): TestReport {
  const suites = Array.from(
    Map.groupBy(results, ({ file }) => file),
    ([name, own]) => ({ name, cases: own.map(caseOf) }),
  );
  const output = coverage && { output: coverageLines(coverage).join("\n") };
  return { name: "sandbank", suites, ...output };
}

/** A reporter of one text, at the end. */
function atTheEnd(
  textOf: (results: readonly ScenarioResult[], coverage?: CoverageReport) => string,
): MakeReporter {
  return ({ write }) => ({
    started() {},
    finished() {},
    ended: (results, coverage) => write(textOf(results, coverage)),
  });
}

function caseOf(result: ScenarioResult): TestCase {
  const { name, file, failure, skipped, durationMs } = result;
  return {
    name,
    className: file,
    file,
    line: failure?.line ?? 1,
    ...(failure && { column: failure.column }),
    timeSeconds: durationMs / 1000,
    ...(result.lints !== undefined && { output: allLintLines(result).join("\n") }),
    ...(skipped !== undefined && { skipped: { message: skipped } }),
    ...(failure && {
      failure: {
        message: failure.message,
        type: "expectation",
        text: [placeOf(result, failure), ...worldLine(result), ...failureLines(failure)].join("\n"),
      },
    }),
  };
}

/**
 * One JSON object at the end, without wall-clock times, so that it is the same for the same run. A value that is
 * not there is `{"$absent": true}`, as in a scenario.
 */
const jsonReporter = atTheEnd(
  (results, coverage) => `${JSON.stringify(runReport(results, coverage), null, 2)}\n`,
);

/** The JSON report. */
export function runReport(results: readonly ScenarioResult[], coverage?: CoverageReport): unknown {
  const report = { ...countResults(results), scenarios: results, ...(coverage && { coverage }) };
  return JSON.parse(JSON.stringify(report, replacer));
}

function replacer(this: unknown, key: string, value: unknown): unknown {
  if (key === "durationMs") return undefined;
  return value === undefined && (key === "actual" || key === "expected") ? { $absent: true } : value;
}

/** The Test Anything Protocol, version 14: a line per scenario as it ends, a YAML block where one failed. */
const tapReporter: MakeReporter = ({ write }) => {
  let number = 0;
  return {
    started(total) {
      write(`TAP version 14\n1..${total}\n`);
    },
    finished(result) {
      number += 1;
      const name = visible(result.name).replaceAll(/[\\#]/g, "\\$&");
      const verdict = result.status === "failed" ? "not ok" : "ok";
      const skip = result.status === "skipped" ? ` # SKIP ${result.skipped ?? ""}` : "";
      write(`${verdict} ${number} - ${name}${skip}\n`);
      write(
        allLintLines(result)
          .map((line) => `# ${visible(line)}\n`)
          .join(""),
      );
      const { failure } = result;
      if (failure === undefined) return;
      const { message, step, title, differences, before } = failure;
      const diagnostics = {
        message,
        at: placeOf(result, failure),
        ...(result.world !== undefined && { world: result.world }),
        step: `${step}. ${title}`,
        differences,
        before,
      };
      const block = stringify(diagnostics, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
      write(`  ---\n${block.replaceAll(/^/gm, "  ")}\n  ...\n`);
    },
    ended(_results, coverage) {
      if (coverage === undefined) return;
      write(`${coverageLines(coverage).join("\n").replaceAll(/^/gm, "# ")}\n`);
    },
  };
};

const { junit, github, markdown } = sharedFormats(testReport);

/** The reporters by the name that `--reporter` takes. */
export const reporters = {
  pretty: prettyReporter,
  json: jsonReporter,
  junit: atTheEnd(junit),
  tap: tapReporter,
  github: atTheEnd(github),
  markdown: atTheEnd(markdown),
} as const satisfies { readonly [name: string]: MakeReporter };

export type ReporterName = keyof typeof reporters;

export const runFormats = Object.keys(reporters) as ReporterName[];
