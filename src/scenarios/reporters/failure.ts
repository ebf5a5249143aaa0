import { stringify } from "yaml";
import type { Difference } from "../expectation.ts";
import type { ScenarioFailure, ScenarioResult, TimelineEntry } from "../result.ts";

/** `scenarios/a.yaml:12:5`, which terminals turn into a link. */
export function placeOf(result: ScenarioResult, failure: ScenarioFailure): string {
  return `${result.file}:${failure.line}:${failure.column}`;
}

/** A failure in plain lines: what was expected and what came, and then what happened just before. */
export function failureLines(failure: ScenarioFailure): string[] {
  const story = storyLines(failure);
  const why = whyLines(failure);
  return [
    failure.message,
    ...failure.differences.flatMap(differenceLines),
    ...(story.length === 0 ? [] : ["just before:", ...story]),
    ...(why.length === 0 ? [] : [`why ${failure.why?.objectId}:`, ...why]),
  ];
}

/** What happened just before, a line each. */
export function storyLines({ before }: ScenarioFailure): string[] {
  return before.map((entry) => `  ${entryLine(entry)}`);
}

/** What led to the object of the step that failed, a line each; nothing where all of it happened just before. */
export function whyLines(failure: ScenarioFailure): string[] {
  const story = new Set(storyLines(failure));
  const lines = (failure.why?.causes ?? []).map((entry) => `  ${entryLine(entry)}`);
  return lines.every((line) => story.has(line)) ? [] : lines;
}

export function differenceLines({ path, expected, actual }: Difference): string[] {
  return [
    path === "" ? "the whole" : path,
    ...valueLines("expected", expected),
    ...valueLines("found", actual),
  ];
}

/** `2026-11-20T12:00:00.000Z  order.paid  4f1c…  (act order.pay)`. */
function entryLine({ at, what, objectId, cause }: TimelineEntry): string {
  const why =
    typeof cause === "string" ? cause : cause === undefined || cause === null ? "" : JSON.stringify(cause);
  return [at, what, objectId, why === "" ? undefined : `(${why})`].filter(Boolean).join("  ");
}

/** Longer than this, a value says more as the block it is than on one line. */
const lineMax = 90;
/** A text that is longer, such as an image in base64, is cut and says how long it was. */
const textMax = 300;
/** Longer than this, a value hides the rest of the report. */
const linesMax = 40;

function valueLines(label: string, value: unknown): string[] {
  if (value === undefined) return [`  ${label}: nothing there`];
  const inLine = stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trimEnd();
  if (inLine.length <= lineMax && !inLine.includes("\n")) return [`  ${label}: ${inLine}`];
  const block = stringify(value, shortened, { lineWidth: 0 }).trimEnd().split("\n");
  const cut =
    block.length > linesMax
      ? [...block.slice(0, linesMax), `… and ${block.length - linesMax} lines more`]
      : block;
  return [`  ${label}:`, ...cut.map((line) => `    ${line}`)];
}

function shortened(_key: unknown, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= textMax) return value;
  return `${value.slice(0, textMax)}… (${value.length} characters)`;
}
