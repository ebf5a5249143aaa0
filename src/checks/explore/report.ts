import type { Arrival, CellResult, Divergence, ExploreResult } from "./exploration.ts";
import { type Deviation, keyOf } from "./deviations.ts";
import type { Case, Evidence, Place, Report, Suite, Verdict } from "../../reports/report.ts";
import { deviationText, scheduleText, triedSentence, valueText } from "./deviation-words.ts";
import { html } from "../../pages/html/preact.js";
import { timeSentence } from "../../base/spent-time.ts";
import { lintLines } from "../../scenarios/lints.ts";
import { cellWords, Matrix } from "./matrix.ts";
import { Picture } from "./picture.ts";
import { jsonText, reportFormats } from "../../reports/formats.ts";
import { States } from "./state-view.ts";

/** The formats of the report of explorations. */
export const exploreReports = reportFormats(exploreReport, (results) =>
  jsonText(results.length === 1 ? results[0] : { results }),
);

export const exploreFormats = Object.keys(exploreReports) as (keyof typeof exploreReports)[];

/** Reports explorations: a suite for each scenario, a case for each deviation alone and each larger divergence. */
export function exploreReport(results: readonly ExploreResult[]): Report {
  const times = results.flatMap(({ time, scenario }) =>
    time === undefined ? [] : [`${results.length === 1 ? "" : `${scenario}. `}${timeSentence(time)}`],
  );
  return {
    title: "sandbank explore",
    suites: results.map(suiteOf),
    ...(times.length > 0 && { output: times.join("\n") }),
  };
}

const VERDICTS = {
  converges: "passed",
  diverges: "failed",
  undecided: "undecided",
  "not-tried": "undecided",
} as const satisfies Record<ExploreResult["verdict"], Verdict>;

function suiteOf(result: ExploreResult, position: number): Suite {
  const { scenario, file, verdict, unfinished = "", ignored, notes, reason = "", notTried } = result;
  const far = verdict === "converges" && unfinished !== "" ? ` (${lowered(unfinished)})` : "";
  const suite = {
    name: scenario,
    heading: scenario,
    verdict: VERDICTS[verdict],
    label: verdict,
    remark: `${file}${verdict === "undecided" ? ` UNDECIDED: ${unfinished}` : far}`,
  };
  if (verdict === "not-tried")
    return { ...suite, intro: [reason], cases: [undecided("baseline", reason || "not tried", result)] };
  return {
    ...suite,
    intro: [
      triedSentence(result),
      ...mergedOf(result),
      ...(notTried.length === 0 ? [] : [`Not tried: ${notTried.join("; ")}.`]),
      ...(ignored.length === 0 ? [] : [`Ignored: ${ignored.join(", ")}`]),
      ...notes,
      ...decidingOf(result),
    ],
    evidence: [coursesOf(result, position), ...lintsOf(result)],
    cases: [
      ...result.divergences.flatMap((one, index) =>
        divergenceCases(one, { result, anchor: anchorOf(position, index) }),
      ),
      ...cellCases(result),
      ...(verdict === "undecided" ? [undecided("search", unfinished, result)] : []),
    ],
    end: savingOf(result),
  };
}

/** Says what would decide an open search. */
function decidingOf({ decidedBy = [] }: ExploreResult): string[] {
  return decidedBy.length === 0 ? [] : [`What would decide it: ${decidedBy.join("; ")}.`];
}

/** The number of named merged schedules. Further schedules are only counted, because the JSON report has them. */
const MERGED_SHOWN = 10;

/** Names the schedules that were not played, each with the played schedule that has the same arrivals. */
function mergedOf({ merged = [], schedules }: ExploreResult): string[] {
  if (merged.length === 0) return [];
  const named = merged
    .slice(0, MERGED_SHOWN)
    .map(({ deviations, sameAs }) => `${scheduleText(deviations)} as ${scheduleText(sameAs)}`);
  const more = (schedules.merged ?? merged.length) - named.length;
  const rest = more > 0 ? `; and ${more} more` : "";
  return [`Merged, because their arrivals and instants are the same: ${named.join("; ")}${rest}.`];
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, "");
}

/** Returns the case of a search without a verdict. The heading says the same to a person. */
function undecided(name: string, summary: string, result: ExploreResult): Case {
  const { scenario, verdict } = result;
  const place = placeOf(undefined, result);
  return { name, className: scenario, verdict: "undecided", summary, type: verdict, place, isMinor: true };
}

/** Lists the events and calls of the baseline. A page draws them against the deviations. */
function coursesOf(result: ExploreResult, position: number): Evidence {
  const { events, calls } = result;
  const line = (index: number, name: string, object: string): string =>
    `  ${String(index).padStart(2)} ${name} ${object}`.trimEnd();
  return {
    title: "Events",
    lines: [
      ...events.map(({ index, event, object }) => line(index, event, object)),
      ...(calls.length === 0 ? [] : ["", "Calls"]),
      ...calls.map(({ index, operation, object }) => line(index, operation, object)),
    ],
    draw: (prefix) => {
      const addressOf = (index: number): string => `#${prefix}${anchorOf(position, index)}`;
      return html`<${Matrix} result=${result} addressOf=${addressOf} />`;
    },
  };
}

function lintsOf({ lints = [] }: ExploreResult): Evidence[] {
  if (lints.length === 0) return [];
  return [{ title: "Suspicious calls", lines: lints.flatMap(lintLines).map((line) => `  ${line}`) }];
}

/** Returns the command that saves all divergences. */
function savingOf({ divergences }: ExploreResult): string[] {
  const open = divergences.filter(({ accepted }) => accepted !== true);
  const saving = open.flatMap(({ replay }) => / \(saved by: (.*)\)$/s.exec(replay)?.[1] ?? [])[0];
  return saving === undefined ? [] : [`To save them for a replay: ${saving}`];
}

/** Returns the anchor of a divergence: the places of its result and of itself. */
function anchorOf(position: number, index: number): string {
  return `divergence-${position}-${index}`;
}

/** Returns the case of a divergence, and of each other deviation alone with the same difference. */
function divergenceCases(
  divergence: Divergence,
  { result, anchor }: { readonly result: ExploreResult; readonly anchor: string },
): Case[] {
  const alone = divergence.alike.filter(({ length }) => length === 1);
  return [divergence.deviations, ...alone].map((schedule, index) => ({
    ...(index === 0 && { anchor }),
    name: schedule.map(deviationText).join(", ") || "baseline",
    className: result.scenario,
    place: placeOf(schedule[0]?.event, result),
    ...detailsOf(divergence, result),
  }));
}

function detailsOf(divergence: Divergence, result: ExploreResult): Omit<Case, "name"> {
  const { title, deviations, cause, accepted } = divergence;
  const count = deviations.length === 1 ? "1 deviation" : `${deviations.length} deviations`;
  const remark =
    deviations.length === 0 ? undefined : `(${count}: ${deviations.map(deviationText).join(", ")})`;
  const shown = { title, ...(remark !== undefined && { remark }) };
  if (accepted === true)
    return {
      ...shown,
      verdict: "skipped",
      label: "accepted",
      summary: "accepted",
      section: "Accepted",
      isAccepted: true,
    };
  const { seen, words } = divergence;
  return {
    ...shown,
    verdict: "failed",
    label: "diverged",
    type: "divergence",
    summary: summaryOf(divergence),
    cause: cause.text,
    reasons: [
      ...(words === undefined ? [] : [words]),
      `Likely cause: ${cause.text}`,
      ...(seen === undefined ? [] : [`It was ${seen}: a race.`]),
    ],
    evidence: evidenceOf(divergence, result),
  };
}

function summaryOf({ differences: [first], cause }: Divergence): string {
  return `${first?.path ?? ""}: ${valueText(first?.baseline)} in the baseline, ${valueText(first?.found)} here. ${cause.text}`;
}

/** The number of shown differences of a divergence. Further differences are only counted. */
const DIFFERENCES_SHOWN = 5;

function evidenceOf(divergence: Divergence, result: ExploreResult): Evidence[] {
  const { differences, arrivals, replay, alike, books } = divergence;
  const stated = differences.filter(({ path }) => books === undefined || !path.startsWith("$books"));
  const more = differences.length - DIFFERENCES_SHOWN;
  const { events } = result;
  return [
    {
      lines:
        arrivals.length === 0
          ? []
          : [
              `arrivals: ${arrivals.map((one, index) => arrivalText(one, arrivals.slice(0, index), events)).join(" · ")}`,
            ],
      draw: () => html`<${Picture} divergence=${divergence} result=${result} />`,
    },
    {
      lines: [
        ...stated
          .slice(0, DIFFERENCES_SHOWN)
          .flatMap(({ path, baseline, found }) => [
            path,
            `  baseline: ${valueText(baseline)}`,
            `  here:     ${valueText(found)}`,
          ]),
        ...(more > 0 ? [`… and ${more} more differences`] : []),
      ],
      draw: () => html`<${States} divergence=${divergence} result=${result} />`,
    },
    ...(books ?? []).map(({ lines }) => ({ lines: lines.slice(1).map((line) => line.replace(/^ {4}/, "")) })),
    {
      lines: [
        ...(alike.length === 0 ? [] : [`The same result with: ${alikeText(alike)}.`]),
        `Replay: ${replay.replace(/ \(saved by: .*\)$/s, "")}`,
      ],
    },
  ];
}

function alikeText(alike: Divergence["alike"]): string {
  const names = alike.map(scheduleText);
  const shown = names.slice(0, 6).join("; ");
  return names.length > 6 ? `${shown}; and ${names.length - 6} more` : shown;
}

/** Returns `2 …COMPLETED 200`: the event, its name the first time, and the answer. */
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

/** Returns the cases of deviations that lead to no divergence alone. */
function cellCases(result: ExploreResult): Case[] {
  const schedules = result.divergences.flatMap(({ deviations, alike }) => [deviations, ...alike]);
  const diverged = new Set(
    schedules.flatMap(([one, ...others]) => (one && others.length === 0 ? keyOf(one) : [])),
  );
  return result.cells
    .filter((cell) => !diverged.has(keyOf(cell)))
    .map(({ result: cell, ...deviation }) => ({
      name: deviationText(deviation),
      className: result.scenario,
      place: placeOf(deviation.event, result),
      isMinor: true as const,
      ...outcomeOf(cell),
      ...sameAsOf(deviation, result),
    }));
}

/** Names the played deviations that have the arrivals of a merged deviation. Empty if it was not merged. */
function sameAsOf(deviation: Deviation, { merged = [] }: ExploreResult): Pick<Case, "summary"> {
  const found = merged.find(
    ({ deviations: [one, ...others] }) => one && others.length === 0 && keyOf(one) === keyOf(deviation),
  );
  return found === undefined
    ? {}
    : { summary: cellWords("skipped").replace("another schedule", scheduleText(found.sameAs)) };
}

function outcomeOf(cell: CellResult): Pick<Case, "verdict" | "summary" | "label" | "type"> {
  if (cell === "ok") return { verdict: "passed" };
  if (cell !== "diverged") return { verdict: "skipped", summary: cellWords(cell), label: cell };
  return { verdict: "failed", summary: "It diverges.", type: "divergence" };
}

/** Returns the place of the step that announces an event. */
function placeOf(event: Deviation["event"], { file, events }: ExploreResult): Place {
  const { line = 1, column = 1 } = events.find(({ index }) => index === event) ?? {};
  return { file, line, column };
}
