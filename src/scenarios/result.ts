import type { Difference } from "./expectation.ts";
import type { Lint, Shapes } from "../simulator/api/generated/shapes.ts";
import type { BooksFinding } from "./books/finding.ts";
import type { Place } from "./source.ts";
import { type RefusedCall, refusedLines } from "./refused-calls.ts";
import { stringify } from "yaml";
import type { Cause } from "../reports/cause.ts";
import type { TimeReport } from "../base/spent-time.ts";
import type { Verdict } from "../reports/report.ts";

export interface StepResult extends Place {
  /** The number of the step, from 1. */
  readonly number: number;
  /** The verb and its subject, such as `call createSubscription`. */
  readonly title: string;
  readonly note?: string;
  readonly status: Exclude<Verdict, "undecided">;
}

/** An entry of `GET /sandbox/timeline`. */
export type TimelineEntry = Pick<Shapes["TimelineLine"], "at" | "what" | "objectId" | "cause">;

export interface ScenarioFailure extends Place {
  /** The number of the step, or 0 when the world could not be opened. */
  readonly step: number;
  readonly title: string;
  /** The mistake, in whole sentences. */
  readonly message: string;
  readonly differences: readonly Difference[];
  /** The answer of the step, if there was one. */
  readonly answer?: { readonly status: number | null; readonly body: unknown };
  /** The calls of the partner's system that the platform refused during a failed `request`. */
  readonly refused?: readonly RefusedCall[];
  /** The likely cause of a replayed divergence, or of a difference between the books and the ledger. */
  readonly cause?: Cause;
  /** The difference between the partner's books and the ledger, if this is the failure. */
  readonly books?: readonly BooksFinding[];
  /** The last timeline entries, oldest first. */
  readonly before: readonly TimelineEntry[];
  /** The history of the object that the step is about, from the call, act, plan or fault that caused it. */
  readonly why?: { readonly objectId: string; readonly causes: readonly TimelineEntry[] };
}

export interface ScenarioResult {
  readonly name: string;
  readonly file: string;
  readonly status: Exclude<Verdict, "undecided">;
  readonly steps: readonly StepResult[];
  readonly failure?: ScenarioFailure;
  /** The reason if it was not run. */
  readonly skipped?: string;
  /** Suspicious calls that the partner's system made. Absent if no call was suspicious. */
  readonly lints?: readonly Lint[];
  /** Facts about the partner's work that a reader should know, such as calls that came late. */
  readonly notes?: readonly string[];
  /** The number of comparisons of the partner's books with the ledger. Absent if the scenario names no books. */
  readonly booksCompared?: number;
  /** The values that a provider state returns. */
  readonly returns?: { readonly [name: string]: unknown };
  /** The digest of the world's journal at the end. */
  readonly digest?: string;
  /** The dashboard of its world, if the world stays on the server. */
  readonly world?: string;
  /** The duration of a run with the partner's system, and its parts. Absent if no such system is part of the run. */
  readonly time?: TimeReport;
  /** The duration in wall time. Compared reports leave it out. */
  readonly durationMs: number;
}

/** Returns the place of a failure as `scenarios/a.yaml:12:5`, which terminals turn into a link. */
export function placeOf(result: ScenarioResult, failure: ScenarioFailure): string {
  return `${result.file}:${failure.line}:${failure.column}`;
}

/** Returns a failure as plain lines: the expected value, the found value, and the events just before. */
export function failureLines(failure: ScenarioFailure): string[] {
  const before = beforeLines(failure);
  const why = whyLines(failure);
  return [
    failure.message,
    ...(failure.books?.flatMap(({ lines }) => lines) ?? failure.differences.flatMap(differenceLines)),
    ...(failure.refused === undefined ? [] : [REFUSED, ...refusedLines(failure.refused)]),
    ...(before.length === 0 ? [] : ["just before:", ...before]),
    ...(why.length === 0 ? [] : [`why ${failure.why?.objectId}:`, ...why]),
  ];
}

export const REFUSED = "The platform refused calls of your system:";

/** Returns the entries just before the failure, one per line. */
export function beforeLines({ before }: ScenarioFailure): string[] {
  return before.map((entry) => `  ${entryLine(entry)}`);
}

/** Returns the history of the object, one entry per line. Empty if all of it happened just before. */
export function whyLines(failure: ScenarioFailure): string[] {
  const before = new Set(beforeLines(failure));
  const lines = (failure.why?.causes ?? []).map((entry) => `  ${entryLine(entry)}`);
  return lines.every((line) => before.has(line)) ? [] : lines;
}

export function differenceLines({ path, expected, actual, nearestOf }: Difference): string[] {
  return [
    path === "" ? "the whole" : path,
    ...valueLines("expected", expected),
    ...valueLines(nearestOf === undefined ? "found" : foundAmong(nearestOf), actual),
  ];
}

/** Returns the failure in one line: `resource.status: expected COMPLETED, found CANCELED`. */
export function differencesLine([first, ...others]: readonly Difference[]): string {
  if (first === undefined) return "";
  const { path, expected, actual, nearestOf } = first;
  const found = nearestOf === undefined ? "found" : foundAmong(nearestOf);
  const line = `${path === "" ? "the whole" : path}: expected ${inWords(expected)}, ${found} ${inWords(actual)}`;
  if (others.length === 0) return line;
  return `${line}; and ${others.length === 1 ? "one more difference" : `${others.length} more differences`}`;
}

function foundAmong(count: number): string {
  return count < 2 ? "found" : `nearest of ${count}`;
}

/** The longest value in the line of a failure. */
const WORDS_MAX = 80;

export function inWords(value: unknown): string {
  if (value === undefined) return "nothing there";
  const text = stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trimEnd().replaceAll(/\s+/g, " ");
  return text.length > WORDS_MAX ? `${text.slice(0, WORDS_MAX - 1)}…` : text;
}

/** Returns an entry in one line: `2026-11-20T12:00:00.000Z  order.paid  4f1c…  (act order.pay)`. */
function entryLine({ at, what, objectId, cause }: TimelineEntry): string {
  return [at, what, objectId, cause && `(${cause})`].filter(Boolean).join("  ");
}

/** A longer value is written as a block. */
const LINE_MAX = 90;
/** A longer string, such as an image in base64, is cut. */
const TEXT_MAX = 300;
/** A longer block would hide the rest of the report. */
const LINES_MAX = 20;

function valueLines(label: string, value: unknown): string[] {
  if (value === undefined) return [`  ${label}: nothing there`];
  const inLine = stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trimEnd();
  if (inLine.length <= LINE_MAX && !inLine.includes("\n")) return [`  ${label}: ${inLine}`];
  const block = stringify(value, shortened, { lineWidth: 0 }).trimEnd().split("\n");
  if (Array.isArray(value) && value.length > 1 && block.length > LINES_MAX)
    return valueLines(`${label} ${value.length} entries, the first`, value[0]);
  const cut =
    block.length > LINES_MAX
      ? [...block.slice(0, LINES_MAX), `… and ${block.length - LINES_MAX} more lines`]
      : block;
  return [`  ${label}:`, ...cut.map((line) => `    ${line}`)];
}

function shortened(_key: unknown, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= TEXT_MAX) return value;
  return `${value.slice(0, TEXT_MAX)}… (${value.length} characters)`;
}

/** Counts the passed, failed and skipped scenarios. */
export function countResults(results: readonly ScenarioResult[]): Record<ScenarioResult["status"], number> {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const { status } of results) count[status] += 1;
  return count;
}

type CoverageShare = Pick<Shapes["Coverage"], "covered" | "total" | "percent">;

/** The transitions, events, error codes, assumptions and effects of faults, each with its count of uses. */
export interface CoverageReport extends CoverageShare {
  readonly areas: Readonly<Record<string, Shapes["CoveredArea"]>>;
}

/** Adds up the coverage of several worlds. Undefined for an empty list. */
export function mergeCoverage(reports: readonly CoverageReport[]): CoverageReport | undefined {
  const [first] = reports;
  if (first === undefined) return undefined;
  const areas = Object.keys(first.areas).map((area) => {
    const counts = new Map<string, number>();
    for (const { name, count } of reports.flatMap((report) => report.areas[area]?.rows ?? []))
      counts.set(name, (counts.get(name) ?? 0) + count);
    const rows = Array.from(counts, ([name, count]) => ({ name, count }));
    return [area, { ...shareOf(rows), rows }] as const;
  });
  return { ...shareOf(areas.flatMap(([, { rows }]) => rows)), areas: Object.fromEntries(areas) };
}

/** Returns the coverage as plain lines: one line for each area, with the untested names below it. */
export function coverageLines({ areas, ...all }: CoverageReport): string[] {
  return [
    "Coverage",
    ...Object.entries(areas).flatMap(([area, { rows, ...share }]) => [
      shareLine(area, share),
      ...rows.filter(({ count }) => count === 0).map(({ name }) => `    not exercised: ${name}`),
    ]),
    shareLine("total", all),
  ];
}

function shareLine(title: string, { covered, total, percent }: CoverageShare): string {
  return `  ${title.padEnd(12)} ${`${percent} %`.padStart(8)}  ${covered} of ${total}`;
}

function shareOf(rows: readonly { readonly count: number }[]): CoverageShare {
  const covered = rows.filter(({ count }) => count > 0).length;
  const percent = rows.length === 0 ? 100 : Math.floor((1000 * covered) / rows.length) / 10;
  return { covered, total: rows.length, percent };
}
