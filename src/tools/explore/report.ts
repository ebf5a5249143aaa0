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
  const { scenario, events, verdict, ignored, notes, lints = [], reason, unfinished } = result;
  const mark = {
    converges: paint("green", "✓"),
    diverges: paint("red", "✗"),
    undecided: paint("yellow", "?"),
    "not-tried": paint("yellow", "-"),
  };
  const how = verdict === "undecided" ? ` UNDECIDED: ${unfinished ?? ""}` : "";
  const far = verdict === "converges" && unfinished !== undefined ? ` (${lowered(unfinished)})` : "";
  const lines = [`${mark[verdict]} ${scenario} ${paint("dim", result.file)}${paint("yellow", how + far)}`];
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
    ...divergencesLines(result, paint),
    "",
  ].join("\n");
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, "");
}

/** Shows each cause once: in full with its smallest schedule, then the other schedules in a line each. */
function divergencesLines(result: ExploreResult, paint: Paint): string[] {
  const { divergences } = result;
  const accepted = divergences.filter((one) => one.accepted === true);
  const open = divergences.filter((one) => one.accepted !== true);
  const byCause = Map.groupBy(open, ({ cause }) => cause);
  const saves = new Set(open.flatMap(({ replay }) => / \(saved by: (.*)\)$/s.exec(replay)?.[1] ?? []));
  return [
    ...Array.from(byCause.values()).flatMap(([first, ...others]) => [
      ...(first === undefined ? [] : ["", ...divergenceLines(first, result, paint)]),
      ...(others.length === 0 ? [] : [`    The same cause in ${others.length} more:`]),
      ...others.map((one) => `      ${paint("red", "✗")} ${one.title}   (${kindsText(one)})`),
    ]),
    ...(accepted.length === 0 ? [] : ["", "  Accepted"]),
    ...accepted.map((one) => `    ${one.title}   (${kindsText(one)})`),
    ...(saves.size === 0 ? [] : ["", `  To save them for a replay: ${[...saves][0]}`]),
  ];
}

function kindsText({ deviations }: Divergence): string {
  return deviations.map(deviationText).join(", ");
}

function divergenceLines(divergence: Divergence, { events }: ExploreResult, paint: Paint): string[] {
  const { title, deviations, differences, words, arrivals, cause, replay, alike, books, seen } = divergence;
  const count = deviations.length === 1 ? "1 deviation" : `${deviations.length} deviations`;
  const what = kindsText(divergence);
  return [
    `${paint("red", "✗")} ${paint("bold", title)}${deviations.length === 0 ? "" : `   (${count}: ${what})`}`,
    ...(seen === undefined ? [] : [`    It was ${seen}: a race.`]),
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
    `    Replay: ${replay.replace(/ \(saved by: .*\)$/s, "")}`,
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
      const error = {
        message: result.reason ?? "not tried",
        type: result.verdict,
        text: result.reason ?? "",
      };
      const baseline = { name: "baseline", className, ...placeOf(undefined, result), error };
      return { name: result.scenario, cases: [baseline] };
    }
    const cases = result.cells.map(({ result: cell, ...deviation }): TestCase => {
      const named = { name: deviationText(deviation), className, ...placeOf(deviation.event, result) };
      if (cell === "ok") return named;
      const divergence = divergenceWith(result, deviation);
      if (cell !== "diverged" || divergence?.accepted === true)
        return { ...named, skipped: { message: cell === "diverged" ? "accepted" : cell } };
      return { ...named, failure: failureOf(divergence, result) };
    });
    const combined = result.divergences
      .filter(({ deviations, accepted }) => deviations.length > 1 && accepted !== true)
      .map((divergence): TestCase => {
        const name = divergence.deviations.map(deviationText).join(", ");
        const place = placeOf(divergence.deviations[0]?.event, result);
        return { name, className, ...place, failure: failureOf(divergence, result) };
      });
    const { verdict, unfinished: reason = "" } = result;
    const open: TestCase[] =
      verdict === "undecided"
        ? [
            {
              name: "search",
              className,
              ...placeOf(undefined, result),
              error: { message: reason, type: verdict, text: reason },
            },
          ]
        : [];
    return { name: result.scenario, cases: [...cases, ...combined, ...open] };
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
