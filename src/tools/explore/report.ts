import type { Arrival } from "./report-data.ts";
import type { Divergence, ExploreResult } from "./exploration.ts";
import { type Deviation, keyOf, nameOf } from "./deviations.ts";
import type { TestCase, TestReport } from "../reports/test-report.ts";
import { lintLines } from "../scenarios/lints.ts";
import { deviationText, triedSentence, valueText } from "./report-view.js";
import { styleText } from "node:util";

type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

/** More differences of one divergence are counted. */
const DIFFERENCES_SHOWN = 5;

/** The report of one exploration, for a person. */
export function prettyReport(result: ExploreResult, isColoured = false): string {
  const paint: Paint = (format, text) =>
    isColoured ? styleText(format, text, { validateStream: false }) : text;
  const { scenario, events, verdict, ignored, notes, lints = [], divergences, reason } = result;
  const mark = {
    converges: paint("green", "✓"),
    diverges: paint("red", "✗"),
    "not-tried": paint("yellow", "-"),
  };
  const lines = [`${mark[verdict]} ${scenario} ${paint("dim", result.file)}`];
  if (verdict === "not-tried") return [...lines, `    ${reason ?? ""}`, ""].join("\n");
  return [
    ...lines,
    `    ${triedSentence(result)}`,
    ...(result.notTried.length === 0 ? [] : [`    Not tried: ${result.notTried.join("; ")}.`]),
    ...(ignored.length === 0 ? [] : [`    Ignored: ${ignored.join(", ")}`]),
    ...notes.map((note) => `    ${note}`),
    "",
    "  Events",
    ...events.map(
      ({ index, event, object }) => `    ${String(index).padStart(2)} ${event} ${paint("dim", object)}`,
    ),
    ...(result.calls.length === 0 ? [] : ["", "  Calls"]),
    ...result.calls.map(({ index, operation, object }) =>
      `    ${String(index).padStart(2)} ${operation} ${paint("dim", object)}`.trimEnd(),
    ),
    ...(lints.length === 0 ? [] : ["", "  Suspicious calls"]),
    ...lints.flatMap((lint) => lintLines(lint).map((line) => `    ${paint("yellow", line)}`)),
    ...divergences.flatMap((divergence) => ["", ...divergenceLines(divergence, result, paint)]),
    "",
  ].join("\n");
}

function divergenceLines(divergence: Divergence, { events }: ExploreResult, paint: Paint): string[] {
  const { title, deviations, differences, words, arrivals, cause, replay, alike, books } = divergence;
  const count = deviations.length === 1 ? "1 deviation" : `${deviations.length} deviations`;
  const what = deviations.map(deviationText).join(", ");
  return [
    `${paint("red", "✗")} ${paint("bold", title)}${deviations.length === 0 ? "" : `   (${count}: ${what})`}`,
    ...(words === undefined ? [] : [`    ${words}`]),
    ...differences
      .filter(({ path }) => books === undefined || !path.startsWith("$books"))
      .slice(0, DIFFERENCES_SHOWN)
      .flatMap(({ path, baseline, found }) => [
        `    ${path}`,
        `      baseline: ${valueText(baseline)}`,
        `      here:     ${valueText(found)}`,
      ]),
    ...(differences.length > DIFFERENCES_SHOWN
      ? [`    … and ${differences.length - DIFFERENCES_SHOWN} more differences`]
      : []),
    ...(books ?? []).flatMap(({ lines }) => lines.slice(1)),
    ...(arrivals.length === 0
      ? []
      : [
          `    arrivals: ${arrivals.map((arrival, index) => arrivalText(arrival, arrivals.slice(0, index), events)).join(" · ")}`,
        ]),
    `    Likely cause: ${cause}`,
    ...(alike.length === 0 ? [] : [`    The same with ${alikeText(alike)}.`]),
    `    Replay: ${replay}`,
  ];
}

function alikeText(alike: Divergence["alike"]): string {
  const names = alike.map((deviations) =>
    deviations.map((one) => deviationText(one).replace(/ (?:event|call) /, " ")).join(" and "),
  );
  const shown = names.slice(0, 6).join("; ");
  return names.length > 6 ? `${shown}; and ${names.length - 6} more` : shown;
}

/** `2 …COMPLETED 200`: the event, its name the first time, and the answer. */
export function arrivalText(
  { event, name, status, error, together, early }: Arrival,
  before: readonly Arrival[],
  events: ExploreResult["events"],
): string {
  const known = events.find(({ index }) => index === event);
  const isAgain = event !== null && before.some((other) => other.event === event);
  const isFirst = before.length === 0;
  const whole = name ?? known?.event ?? "";
  const shown = isAgain ? "again" : isFirst ? whole : `…${whole.split(".").slice(-2).join(".")}`;
  const marks = [together === true ? "at the same moment" : "", early === true ? "before the answer" : ""];
  return [
    event ?? "+",
    shown,
    ...marks,
    status ?? (error === "reset" ? "answer lost" : (error ?? "no answer")),
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** One test case for each deviation alone and for each divergence of more. */
export function testReport(results: readonly ExploreResult[]): TestReport {
  const suites = results.map((result) => {
    const className = result.scenario;
    if (result.verdict === "not-tried") {
      const error = { message: result.reason ?? "not tried", type: "not-tried", text: result.reason ?? "" };
      const baseline = { name: "baseline", className, ...placeOf(undefined, result), error };
      return { name: result.scenario, cases: [baseline] };
    }
    const cases = result.cells.map(({ result: cell, ...deviation }): TestCase => {
      const named = { name: deviationText(deviation), className, ...placeOf(deviation.event, result) };
      if (cell === "ok") return named;
      if (cell !== "diverged") return { ...named, skipped: { message: cell } };
      return { ...named, failure: failureOf(divergenceWith(result, deviation), result) };
    });
    const combined = result.divergences
      .filter(({ deviations }) => deviations.length > 1)
      .map((divergence): TestCase => {
        const name = divergence.deviations.map(deviationText).join(", ");
        const place = placeOf(divergence.deviations[0]?.event, result);
        return { name, className, ...place, failure: failureOf(divergence, result) };
      });
    return { name: result.scenario, cases: [...cases, ...combined] };
  });
  return { name: "sandbank explore", suites };
}

/** Where the scenario has the step that announces an event. */
function placeOf(event: number | undefined, { file, events }: ExploreResult) {
  const { line = 1, column = 1 } = events.find(({ index }) => index === event) ?? {};
  return { file, line, column };
}

function divergenceWith(result: ExploreResult, deviation: Deviation): Divergence | undefined {
  const isIt = (schedule: Divergence["deviations"]): boolean => nameOf(schedule) === keyOf(deviation);
  return result.divergences.find(({ deviations, alike }) => isIt(deviations) || alike.some(isIt));
}

function failureOf(
  divergence: Divergence | undefined,
  result: ExploreResult,
): { message: string; type: string; text: string } {
  if (divergence === undefined) return { message: "It diverges.", type: "divergence", text: "" };
  const [first] = divergence.differences;
  const message = `${first?.path ?? ""}: ${valueText(first?.baseline)} in the baseline, ${valueText(first?.found)} here. ${divergence.cause}`;
  const plain: Paint = (_, text) => text;
  return { message, type: "divergence", text: divergenceLines(divergence, result, plain).join("\n") };
}
