import type { Doubted, DoubtReport } from "./report-data.ts";
import type { TestCase, TestReport } from "../reports/test-report.ts";
import { confirmationText, failedText, unnoticedText } from "./words.ts";
import { isFinding } from "./doubt.ts";
import { sharedFormats } from "../reports/formats.ts";
import { styleText } from "node:util";

/** The column at which the remark of a finding begins. */
const REMARK_COLUMN = 56;

/** The report for a person: what breaks, then what nobody would notice. */
function prettyReport(report: DoubtReport, isColoured = false): string {
  const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
    isColoured ? styleText(format, text, { validateStream: false }) : text;
  const { mutants, counts, notRun, isComparable } = report;
  const broke = mutants.filter((one) => isShown(one) && one.family === "doubts");
  const unnoticed = mutants.filter((one) => isShown(one) && one.family === "sabotage");
  const reached = mutants.length + notRun.length - counts["not-reached"];
  const head = [
    `sandbank doubt · ${report.test}`,
    `${reached} mutants reached of ${mutants.length + notRun.length}`,
    `${counts["without-effect"]} without effect`,
    timeText(report.seconds),
  ].join(" · ");
  const finding = (one: Doubted, remark: string, lines: readonly string[]): string[] => [
    `${one.known === true ? paint("dim", "-") : paint("red", "✗")} ${one.says.padEnd(REMARK_COLUMN)}  ${paint("dim", one.known === true ? "known" : remark)}`.trimEnd(),
    ...lines.map((line) => `    ${line}`),
    `    try it: ${one.replay}`,
  ];
  const section = (title: string, found: readonly string[][]): string[] =>
    found.length === 0 ? [] : ["", paint("bold", `${title} (${found.length})`), ...found.flat()];
  const rest = [
    ...(counts.overruled === 0
      ? []
      : [`Overruled by the tests, which set them: ${idsOf(mutants, "overruled").join(", ")}.`]),
    ...(notRun.length === 0 ? [] : [`Not run, past --budget or --time: ${notRun.length} mutants.`]),
    ...(isComparable
      ? []
      : [
          "Two runs without a mutant have different traffic, so mutants without effect cannot be recognised.",
        ]),
  ];
  return [
    head,
    ...section(
      "Breaks you if it is not so",
      broke.map((one) => finding(one, confirmationText(one.confirmed), [failedText(one), ...reasonOf(one)])),
    ),
    ...section(
      "You would not notice",
      unnoticed.map((one) => finding(one, "all tests pass", [unnoticedText(one.id)])),
    ),
    ...(broke.length + unnoticed.length === 0
      ? ["", paint("green", "Nothing broke, and nothing went unnoticed.")]
      : []),
    ...(rest.length === 0 ? [] : ["", ...rest]),
    "",
  ].join("\n");
}

/** A finding, also one that the baseline has. */
function isShown(one: Doubted): boolean {
  return isFinding({ ...one, known: false });
}

function idsOf(mutants: readonly Doubted[], verdict: Doubted["verdict"]): string[] {
  return [...new Set(mutants.filter((one) => one.verdict === verdict).map(({ id }) => id))];
}

/** The line that says what was wrong, or the last ones where none does. */
function reasonOf({ message, output }: Doubted): readonly string[] {
  return message === null ? output.split("\n").slice(-5) : [message];
}

/** `3 min 12 s` */
function timeText(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** A case for each mutant that was run or could have been. */
function testReport({ test, mutants }: DoubtReport): TestReport {
  const cases = mutants.map((one): TestCase => {
    const { id, family, verdict, output, replay, seconds } = one;
    const named = {
      name: one.says,
      className: family,
      ...(seconds !== null && { timeSeconds: seconds }),
    };
    if (["not-reached", "without-effect", "overruled"].includes(verdict))
      return { ...named, skipped: { message: verdict } };
    if (!isFinding(one)) return named;
    const message =
      family === "doubts" ? `${failedText(one)} (${confirmationText(one.confirmed)})` : unnoticedText(id);
    const text = [...(output === "" ? [] : [output]), `try it: ${replay}`].join("\n");
    return { ...named, failure: { message, type: verdict, text } };
  });
  return { name: "sandbank doubt", suites: [{ name: test, cases }] };
}

/** The formats of the report; `html` loads what draws it. */
export const doubtReports = {
  pretty: prettyReport,
  json: (report: DoubtReport) => `${JSON.stringify(report, null, 2)}\n`,
  ...sharedFormats(testReport),
} as const;
