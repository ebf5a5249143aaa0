import type { Change, Entry } from "./observers/traffic.ts";
import type { Counts, Sessions } from "./sessions.ts";
import type { ShapeFinding } from "./shape.ts";
import { assumptions } from "../../platform/catalog.ts";
import { readAssumption, readAssumptions } from "../../platform/assumptions/reading.ts";
import { type Verdict, isSummary, verdicts } from "./verdict.ts";
import { shownDuration } from "./values.ts";
import { jsonEscape } from "../../engine/json.ts";
import { visible } from "../reports/visible-text.ts";

/** A kind of change of status, with where it was first seen and how often. */
interface SeenChange extends Change {
  readonly count: number;
}

/** Everything that recorded traffic says about the platform. */
export interface CalibrationReport {
  readonly files: readonly string[];
  readonly counts: Counts;
  readonly host: string | null;
  readonly spanMs: number;
  readonly notes: readonly string[];
  readonly assumptions: readonly Verdict[];
  readonly shape: readonly ShapeFinding[];
  readonly transitions: readonly SeenChange[];
  /** The values with which the sandbox behaves as the platform did. */
  readonly config: { readonly assumptions: Readonly<Record<string, unknown>> };
  /** Fixed assumptions that were contradicted. */
  readonly notImitated: readonly string[];
}

export function calibrationReport(sessions: Sessions, files: readonly string[]): CalibrationReport {
  const { counts, host, spanMs, notes, shape, traffic } = sessions;
  const all = verdicts(traffic);
  const contradicted = all.filter(isContradicted);
  return {
    files,
    counts,
    host,
    spanMs,
    notes,
    assumptions: all,
    shape,
    transitions: countedChanges(traffic.flatMap(({ changes }) => changes)),
    config: { assumptions: valuesOf(contradicted) },
    notImitated: contradicted.filter(isNotImitated).map(({ id }) => id),
  };
}

/** Whether it cannot be set at all, or not to what was observed. */
function isNotImitated({ id, observed }: Verdict): boolean {
  return (
    assumptions[id]?.type.kind === "statement" ||
    (observed?.value !== undefined && "mistake" in readAssumption(id, observed.value))
  );
}

/** Whether an assumption was contradicted, and not only one of its parts. */
export function isContradicted({ id, verdict }: Verdict): boolean {
  return verdict === "contradicted" && !isSummary(id);
}

/** The values that can be set; each is one that the sandbox takes, and together they agree. */
function valuesOf(contradicted: readonly Verdict[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { id, observed } of contradicted) {
    const { value } = observed ?? {};
    if (value === undefined || "mistake" in readAssumption(id, value)) continue;
    values[id] = value;
  }
  const { mistakes } = readAssumptions(values);
  // Two times of which the first must not be after the second: one of them was seen wrong.
  for (const mistake of mistakes)
    for (const id of Object.keys(values)) if (mistake.includes(`${id} is`)) delete values[id];
  return values;
}

function countedChanges(changes: readonly Change[]): SeenChange[] {
  const kinds = Map.groupBy(changes, ({ resource, from, to, verdict }) =>
    JSON.stringify([resource, from, to, verdict]),
  );
  return Array.from(kinds.values()).flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, count: others.length + 1 }],
  );
}

/** An entry as the report shows it: its index, with its file where there are several. */
type ShownEntry = number | { readonly file: string; readonly entry: number };

/** The report as JSON. */
export function jsonReport({ files, ...report }: CalibrationReport): string {
  const shown = ({ file, index }: Entry): ShownEntry => (files.length > 1 ? { file, entry: index } : index);
  const one = (seen: { readonly entry: Entry }): object =>
    files.length > 1
      ? { ...seen, entry: seen.entry.index, file: seen.entry.file }
      : { ...seen, entry: seen.entry.index };
  const { counts, host, notes, assumptions: all, shape, transitions, config, notImitated } = report;
  const value = {
    counts,
    host,
    notes,
    assumptions: all.map((verdict) => ({ ...verdict, entries: verdict.entries.map(shown) })),
    shape: shape.map(one),
    transitions: transitions.map(one),
    config,
    notImitated,
  };
  // JSON leaves these control characters as they are.
  const text = JSON.stringify(value, null, 2).replaceAll(/[\u007f-\u009f]/g, jsonEscape);
  return `${text}\n`;
}

const ENTRIES_SHOWN = 5;

/** The report for a person: what is different first. */
export function prettyReport(report: CalibrationReport, configFile?: string): string {
  const { assumptions: all, counts, spanMs, files, shape, transitions, config, notImitated, notes } = report;
  const many = files.length > 1;
  const number = (name: Verdict["verdict"]): number =>
    all.filter((verdict) => verdict.verdict === name && !(name === "contradicted" && isSummary(verdict.id)))
      .length;
  const inconsistent = number("inconsistent");
  const head = [
    `${all.length} assumptions: ${number("confirmed")} confirmed, ${number("contradicted")} contradicted`,
    ...(inconsistent > 0 ? [`${inconsistent} inconsistent`] : []),
    `${number("not-seen")} not seen`,
  ].join(", ");
  const rest = [
    `${plural(counts.calls, "call")}, ${plural(counts.webhooks, "webhook")}, ${shownDuration(spanMs)}`,
    ...(counts.otherHosts > 0
      ? [`${plural(counts.otherHosts, "entry", "entries")} of other hosts left out`]
      : []),
    ...(counts.unreadable > 0 ? [`${counts.unreadable} not readable`] : []),
  ].join("; ");
  const different = all.filter((verdict) => isContradicted(verdict) || verdict.verdict === "inconsistent");
  const width = Math.max(0, ...different.map(({ id }) => id.length));
  const illegal = transitions.filter(({ verdict }) => verdict !== "legal");
  const unset = all.filter(
    ({ id, verdict }) =>
      verdict === "contradicted" &&
      !isSummary(id) &&
      !notImitated.includes(id) &&
      !(id in config.assumptions),
  );
  const sections = [
    [head, rest],
    notes,
    different.map((verdict) => verdictLine(verdict, width, many)),
    shape.map(
      ({ kind, operationId, event, found, entry, count }) =>
        `✗ shape ${kind}: ${operationId ?? event ?? ""} ${found} (${times(count)}, ${place(entry, many)})`,
    ),
    illegal.map(
      ({ resource, from, to, verdict, entry, count }) =>
        `✗ transition ${resource}: ${from ?? "(none)"} → ${to} is ${verdict === "unknown" ? "not in the interface" : "out of order"} (${times(count)}, ${place(entry, many)})`,
    ),
    [
      ...(configFile === undefined
        ? []
        : [`Config: ${configFile} (${plural(Object.keys(config.assumptions).length, "value")}).`]),
      ...(unset.length > 0 ? [`Only bounded, so not set: ${unset.map(({ id }) => id).join(", ")}.`] : []),
      ...(notImitated.length > 0
        ? [`${notImitated.length} cannot be imitated: ${notImitated.join(", ")}.`]
        : []),
    ],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map(visible).join("\n"))
    .join("\n\n")}\n`;
}

function verdictLine(verdict: Verdict, width: number, many: boolean): string {
  const { id, assumed, observed, note, observations, entries } = verdict;
  const mark = verdict.verdict === "contradicted" ? "✗" : "~";
  const shown = observed === null ? "" : `observed ${observedText(verdict)}`;
  const places = entries
    .slice(0, ENTRIES_SHOWN)
    .map(({ index, file }) => (many ? `${file}#${index}` : String(index)));
  const more = entries.length > ENTRIES_SHOWN ? " …" : "";
  const torn = verdict.verdict === "inconsistent" ? `contradicts itself: ${note}` : shown;
  const extra = verdict.verdict === "inconsistent" || note === undefined ? "" : `${note}; `;
  return `${mark} ${id.padEnd(width)}  assumed ${text(assumed)}  ${torn}  (${extra}${plural(observations, "observation")}, entries ${places.join(" ")}${more})`;
}

function observedText({ observed }: Verdict): string {
  if (observed?.seen !== undefined && observed.seen.length > 0) return text(observed.seen);
  if (observed?.value !== undefined) return text(observed.value);
  if (observed?.atLeast !== undefined) return `at least ${text(observed.atLeast)}`;
  return `at most ${text(observed?.atMost)}`;
}

function text(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(" ") : String(value);
}

function place({ file, index }: Entry, many: boolean): string {
  return many ? `entry ${index} of ${file}` : `entry ${index}`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function plural(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** What a configuration file gets from recorded traffic. */
export interface CalibratedConfig {
  /** The comment at the top. */
  readonly head: readonly string[];
  /** The values, each with its evidence. */
  readonly values: readonly { readonly id: string; readonly value: unknown; readonly evidence: string }[];
  /** What was observed and cannot be set, as comments. */
  readonly left: readonly string[];
}

/** Collects the observed values for a configuration file, each with its evidence. */
export function calibratedConfig(report: CalibrationReport): CalibratedConfig {
  const { assumptions: all, config, files } = report;
  const values: { id: string; value: unknown; evidence: string }[] = [];
  const left: string[] = [];
  for (const verdict of all) {
    const { id, assumed, note } = verdict;
    const evidence = `${plural(verdict.observations, "observation")}${note === undefined ? "" : `, ${note}`}; assumed ${text(assumed)}`;
    if (Object.hasOwn(config.assumptions, id))
      values.push({ id, value: config.assumptions[id], evidence: oneLine(evidence) });
    else if (isContradicted(verdict)) {
      const why =
        verdict.observed?.value === undefined
          ? observedText(verdict)
          : `cannot be set: ${observedText(verdict)}`;
      left.push(`# ${id}: ${oneLine(`${why} (${evidence})`)}`);
    } else if (verdict.verdict === "inconsistent")
      left.push(`# ${id}: ${oneLine(`contradicts itself (${evidence})`)}`);
  }
  const head = [
    `# From the traffic in ${files.join(", ")}, by sandbank calibrate.`,
    "# sandbank serve --config THIS_FILE behaves as the platform did there.",
  ];
  return { head, values, left: left.length === 0 ? [] : ["# Not set:", ...left] };
}

function oneLine(sentence: string): string {
  return visible(sentence).replaceAll(/\s+/g, " ");
}
