import { type Case, type Evidence, type Report, markOf } from "../reports/report.ts";
import { PrettyText } from "../reports/pretty.ts";
import { jsonText, reportFormats } from "../reports/formats.ts";
import {
  type CoverageReport,
  type ScenarioFailure,
  type ScenarioResult,
  beforeLines,
  countResults,
  coverageLines,
  differenceLines,
  placeOf,
  REFUSED,
  whyLines,
} from "./result.ts";
import { joinedTime, timeSentence } from "../base/spent-time.ts";
import { lintLines } from "./lints.ts";
import { refusedLines } from "./refused-calls.ts";
import { visible } from "../base/visible-text.ts";
import { stringify } from "yaml";

/** Reports a run: the number of scenarios, each result in order, then the end with the requested coverage. */
interface Reporter {
  started(total: number): void;
  /** Called when a scenario begins. Several scenarios run at the same time. */
  began?(name: string): void;
  finished(result: ScenarioResult): void;
  ended(results: readonly ScenarioResult[], coverage?: CoverageReport): void;
}

/** Makes a reporter for a destination: standard output, or a file. */
type MakeReporter = (options: {
  readonly write: (text: string) => void;
  /** True if `write` reaches a terminal, which can show a line of progress. */
  readonly isTerminal?: boolean;
  /** The default is the value of `isTerminal`. */
  readonly isColoured?: boolean;
}) => Reporter;

/** The line of progress must not wrap, since it is overwritten. */
const PROGRESS_MAX = 76;

/** Reports to a terminal: a line for each finished scenario, with the facts that help to fix a failure. */
const prettyReporter: MakeReporter = ({ write, isTerminal = false, isColoured = isTerminal }) => {
  const text = new PrettyText(isColoured);
  let total = 0;
  let done = 0;
  const running = new Set<string>();
  const showProgress = (): void => {
    if (!isTerminal || done >= total) return;
    const [oldest = ""] = running;
    write(`\r\u001B[2K${text.paint("dim", `${done}/${total} … ${visible(oldest)}`.slice(0, PROGRESS_MAX))}`);
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
      write(`${text.case(caseOf(result)).join("\n")}\n`);
      showProgress();
    },
    ended(results, coverage) {
      const count = countResults(results);
      const counts = (["passed", "failed", "skipped"] as const)
        .filter((verdict) => count[verdict] > 0)
        .map((verdict) => text.paint(COLOURS[verdict], `${count[verdict]} ${verdict}`));
      write(`\n${counts.join(", ") || "No scenario was run"}.\n`);
      for (const line of timeLines(results)) write(`${line}\n`);
      if (coverage !== undefined) write(`\n${coverageLines(coverage).join("\n")}\n`);
    },
  };
};

const COLOURS = { passed: "green", failed: "red", skipped: "yellow" } as const;

function warningsOf({ lints = [], notes = [] }: ScenarioResult): string[] {
  return [...lints.flatMap(lintLines), ...notes];
}

/** Reports a run, with the requested coverage: a suite for each file, a case for each scenario. */
export function scenariosReport({
  results,
  coverage,
}: {
  readonly results: readonly ScenarioResult[];
  readonly coverage?: CoverageReport | undefined;
}): Report {
  const suites = Array.from(
    Map.groupBy(results, ({ file }) => file),
    ([name, own]) => ({ name, cases: own.map(caseOf) }),
  );
  const lines = [...timeLines(results), ...(coverage === undefined ? [] : coverageLines(coverage))];
  return { title: "sandbank", suites, ...(lines.length > 0 && { output: lines.join("\n") }) };
}

/** Says where the time went. Empty if no system of a partner was part of the run. */
function timeLines(results: readonly ScenarioResult[]): string[] {
  const time = joinedTime(results.flatMap((result) => result.time ?? []));
  return time === undefined ? [] : [timeSentence(time)];
}

function caseOf(result: ScenarioResult): Case {
  const { name, file, failure, skipped, status, durationMs, world } = result;
  const warnings = warningsOf(result);
  // The address of a scenario's world, if the world still exists.
  const shown = world === undefined ? [] : [`World: ${world}`];
  const named = {
    name,
    remark: file,
    className: file,
    verdict: status,
    timeSeconds: durationMs / 1000,
    ...(warnings.length > 0 && { warnings }),
  };
  if (failure === undefined)
    return {
      ...named,
      place: { file, line: 1 },
      ...(skipped !== undefined && { summary: skipped }),
      ...(shown.length > 0 && { reasons: shown }),
    };
  const { message, line, column } = failure;
  return {
    ...named,
    place: { file, line, column },
    type: "expectation",
    summary: message,
    reasons: [message, `at ${placeOf(result, failure)}`, ...shown],
    evidence: evidenceOf(result, failure),
  };
}

/** Returns the steps of a failure, its differences, and its history. */
function evidenceOf({ steps }: ScenarioResult, failure: ScenarioFailure): Evidence[] {
  const played = steps
    .filter(({ status }) => status !== "skipped")
    .map(({ number, title, status, note }) => {
      const remark = note === undefined ? "" : `  ${note}`;
      const shown = number === failure.step ? failure.title : title;
      return `${markOf({ verdict: status })} ${number}. ${shown}${remark}`;
    });
  const differences = failure.differences.map((difference) => {
    const [title = "", ...lines] = differenceLines(difference);
    return { title, lines };
  });
  const before = beforeLines(failure);
  const why = whyLines(failure);
  return [
    ...(played.length === 0 ? [] : [{ title: "Steps", lines: played, isFor: "people" as const }]),
    ...(failure.books?.map(({ lines: [title = "", ...lines] }) => ({ title, lines })) ?? differences),
    ...(failure.refused === undefined ? [] : [{ title: REFUSED, lines: refusedLines(failure.refused) }]),
    ...(before.length === 0 ? [] : [{ title: "What happened just before", lines: before }]),
    ...(why.length === 0 ? [] : [{ title: `Why ${failure.why?.objectId} is as it is`, lines: why }]),
  ];
}

/** Makes a reporter that writes one text at the end. */
function atTheEnd(textOf: (run: Parameters<typeof scenariosReport>[0]) => string): MakeReporter {
  return ({ write }) => ({
    started() {},
    finished() {},
    ended: (results, coverage) => write(textOf({ results, coverage })),
  });
}

/** The formats that are written at the end. */
const formats = reportFormats(scenariosReport, ({ results, coverage }) =>
  jsonText(runReport(results, coverage)),
);

/**
 * Returns the JSON report. Only a run with the partner's system has wall-clock times, so every other report is the same
 * for the same run. An absent value is `{"$absent": true}`, as in a scenario.
 */
export function runReport(results: readonly ScenarioResult[], coverage?: CoverageReport): unknown {
  const report = { ...countResults(results), scenarios: results, ...(coverage && { coverage }) };
  return JSON.parse(JSON.stringify(report, replacer));
}

function replacer(this: unknown, key: string, value: unknown): unknown {
  if (key === "durationMs") return undefined;
  return value === undefined && (key === "actual" || key === "expected") ? { $absent: true } : value;
}

/**
 * Reports in the Test Anything Protocol, version 14: a line for each finished scenario, and a YAML block after a
 * failure.
 */
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
        warningsOf(result)
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
    ended(results, coverage) {
      for (const line of timeLines(results)) write(`# ${line}\n`);
      if (coverage === undefined) return;
      write(`${coverageLines(coverage).join("\n").replaceAll(/^/gm, "# ")}\n`);
    },
  };
};

/** The reporters by the name that `--reporter` takes. */
export const reporters = {
  pretty: prettyReporter,
  json: atTheEnd(formats.json),
  junit: atTheEnd(formats.junit),
  tap: tapReporter,
  github: atTheEnd(formats.github),
  markdown: atTheEnd(formats.markdown),
  html: atTheEnd(formats.html),
} as const satisfies { readonly [name: string]: MakeReporter };

export type ReporterName = keyof typeof reporters;

export const runFormats = Object.keys(reporters) as ReporterName[];
