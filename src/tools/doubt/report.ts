import type { Doubted, DoubtReport } from "./report-data.ts";
import type { TestCase, TestReport } from "../reports/test-report.ts";
import {
  confirmationText,
  failedText,
  isFinding,
  ownLimitText,
  reachedText,
  remarksOn,
  unnoticedText,
} from "./report-view.js";
import { doubtPage } from "./report-html.ts";
import { sharedFormats } from "../reports/formats.ts";
import { styleText } from "node:util";

/** The column at which the remark of a finding begins. */
const REMARK_COLUMN = 56;

/** The report for a person: what breaks, then what nobody would notice. */
function prettyReport(report: DoubtReport, isColoured = false): string {
  const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
    isColoured ? styleText(format, text, { validateStream: false }) : text;
  const found = report.mutants.filter(isFinding);
  const section = (title: string, family: Doubted["family"]): string[] => {
    const own = found.filter((one) => one.family === family);
    const lines = own.flatMap((one) => [
      `${one.known === true ? paint("dim", "-") : paint("red", "✗")} ${one.says.padEnd(REMARK_COLUMN)}  ${paint("dim", remarkOn(one))}`,
      ...(family === "doubts" ? [failedText(one), ...reasonOf(one)] : [unnoticedText(one.id)]).map(
        (line) => `    ${line}`,
      ),
      `    try it: ${one.replay}`,
    ]);
    return own.length === 0 ? [] : ["", paint("bold", `${title} (${own.length})`), ...lines];
  };
  const remarks = remarksOn(report);
  return [
    `sandbank doubt · ${report.test} · ${reachedText(report)} · ${timeText(report.seconds)}`,
    ...section("Breaks you if it is not so", "doubts"),
    ...section("You would not notice", "sabotage"),
    ...(found.length === 0 && report.verdict !== "undecided"
      ? ["", paint("green", "Nothing broke, and nothing went unnoticed.")]
      : []),
    ...(remarks.length === 0 ? [] : ["", ...remarks]),
    "",
  ].join("\n");
}

function remarkOn({ known, family, confirmed }: Doubted): string {
  if (known === true) return "known";
  return family === "doubts" ? confirmationText(confirmed) : "all tests pass";
}

/** The line that says what was wrong, or the last ones where none does. */
function reasonOf(one: Doubted): readonly string[] {
  const { message, output } = one;
  const limit = ownLimitText(one);
  return [
    ...(message === null ? output.split("\n").slice(-5) : [message]),
    ...(limit === undefined ? [] : [limit]),
  ];
}

/** `3 min 12 s` */
function timeText(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** A case for each mutant that was run or could have been. */
export function testReport({ test, mutants }: DoubtReport): TestReport {
  const cases = mutants.map((one): TestCase => {
    const { id, family, verdict, output, replay, seconds } = one;
    const named = {
      name: one.says,
      className: family,
      ...(seconds !== null && { timeSeconds: seconds }),
    };
    if (["not-reached", "without-effect", "overruled"].includes(verdict))
      return { ...named, skipped: { message: verdict } };
    if (!isFinding(one) || one.known === true) return named;
    const message =
      family === "doubts" ? `${failedText(one)} (${confirmationText(one.confirmed)})` : unnoticedText(id);
    const text = [...(output === "" ? [] : [output]), `try it: ${replay}`].join("\n");
    return { ...named, failure: { message, type: verdict, text } };
  });
  return { name: "sandbank doubt", suites: [{ name: test, cases }] };
}

/** The formats of the report. */
export const doubtReports = {
  pretty: prettyReport,
  json: (report: DoubtReport) => `${JSON.stringify(report, null, 2)}\n`,
  ...sharedFormats(testReport),
  html: doubtPage,
} as const;
