import type { SeenTransition, EntryPlace } from "./observers/traffic.ts";
import type { RecordedTraffic } from "./traffic-reader.ts";
import type { ShapeFinding } from "./shape.ts";
import { assumptions } from "../../simulator/platform/catalog.ts";
import { readAssumption, readAssumptions } from "../../simulator/platform/assumptions/reading.ts";
import { type AssumptionVerdict, isSummary, verdicts } from "./verdict.ts";
import { shownDuration } from "./values.ts";
import { jsonEscape } from "../../simulator/engine/json.ts";
import { type Case, plural, type Report, times } from "../../reports/report.ts";
import { reportFormats } from "../../reports/formats.ts";
import { visible } from "../../base/visible-text.ts";

/** A kind of change of status, with its first place and its count. */
interface CountedTransition extends SeenTransition {
  readonly count: number;
}

/** All facts that recorded traffic shows about the platform. */
export interface CalibrationReport {
  readonly files: readonly string[];
  readonly counts: RecordedTraffic["counts"];
  readonly host: string | null;
  readonly spanMs: number;
  readonly notes: readonly string[];
  readonly assumptions: readonly AssumptionVerdict[];
  readonly shape: readonly ShapeFinding[];
  readonly transitions: readonly CountedTransition[];
  /** The values that make the sandbox behave as the platform did. */
  readonly config: { readonly assumptions: Readonly<Record<string, unknown>> };
  /** Fixed assumptions that were contradicted. */
  readonly notImitated: readonly string[];
  /** The file that got the values. */
  readonly configFile?: string;
}

export function calibrationReport(recorded: RecordedTraffic, files: readonly string[]): CalibrationReport {
  const { counts, host, spanMs, notes, shape, traffic } = recorded;
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

/** Returns true if it cannot be set at all, or not to the observed value. */
function isNotImitated({ id, observed }: AssumptionVerdict): boolean {
  return (
    assumptions[id]?.type.kind === "statement" ||
    (observed?.value !== undefined && "mistake" in readAssumption(id, observed.value))
  );
}

/** Returns true if an assumption was contradicted, and not only one of its parts. */
export function isContradicted({ id, verdict }: AssumptionVerdict): boolean {
  return verdict === "contradicted" && !isSummary(id);
}

/** Returns the values that can be set. The sandbox accepts each of them, and they agree with each other. */
function valuesOf(contradicted: readonly AssumptionVerdict[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { id, observed } of contradicted) {
    const { value } = observed ?? {};
    if (value === undefined || "mistake" in readAssumption(id, value)) continue;
    values[id] = value;
  }
  const { mistakes } = readAssumptions(values);
  // These two times are in the wrong order, so one of them was observed wrongly.
  for (const mistake of mistakes)
    for (const id of Object.keys(values)) if (mistake.includes(`${id} is`)) delete values[id];
  return values;
}

function countedChanges(changes: readonly SeenTransition[]): CountedTransition[] {
  const kinds = Map.groupBy(changes, ({ resource, from, to, verdict }) =>
    JSON.stringify([resource, from, to, verdict]),
  );
  return Array.from(kinds.values()).flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, count: others.length + 1 }],
  );
}

/** Returns the report as JSON. */
export function jsonReport({ files, ...report }: CalibrationReport): string {
  const shown = ({ file, index }: EntryPlace): number | { readonly file: string; readonly entry: number } =>
    files.length > 1 ? { file, entry: index } : index;
  const one = (seen: { readonly entry: EntryPlace }): object =>
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

/** Reports traffic in three suites: assumptions, different shapes, and different transitions. */
export function trafficReport(report: CalibrationReport): Report {
  const { assumptions: all, shape, transitions, notes, files } = report;
  const many = files.length > 1;
  return {
    title: "sandbank calibrate",
    head: [...headOf(report), "", ...notes],
    suites: [
      { name: "assumptions", cases: all.map((verdict) => assumptionCase(verdict, many)) },
      { name: "shape", cases: shape.map((one) => shapeCase(one, many)) },
      { name: "transitions", cases: transitions.map((one) => transitionCase(one, many)) },
    ].filter(({ cases }) => cases.length > 0),
    end: settingsText(report),
  };
}

/**
 * Reports traffic as one case. A contradiction fails only if the user asks for it. Traffic that shows none of the
 * assumptions decides nothing.
 */
export function concludedReport(
  { assumptions: all, shape, transitions }: CalibrationReport,
  {
    failsOn,
    stopped,
  }: { readonly failsOn: "contradicted" | undefined; readonly stopped: string | undefined },
): Pick<Report, "suites"> {
  const isSeen = all.some(({ verdict }) => verdict !== "not-seen") || shape.length + transitions.length > 0;
  const isFailed = failsOn !== undefined && all.some(isContradicted);
  const unseen = "the traffic shows none of the assumptions";
  const name = "traffic";
  const one: Case = isFailed
    ? { name, verdict: "failed" }
    : stopped !== undefined
      ? { name, verdict: "undecided", summary: stopped }
      : isSeen
        ? { name, verdict: "passed" }
        : { name, verdict: "skipped", summary: unseen };
  return { suites: [{ name, cases: [one] }] };
}

/** Counts verdicts and traffic. */
function headOf({ assumptions: all, counts, spanMs }: CalibrationReport): string[] {
  const number = (name: AssumptionVerdict["verdict"]): number =>
    all.filter((one) => one.verdict === name && !(name === "contradicted" && isSummary(one.id))).length;
  const inconsistent = number("inconsistent");
  const verdicts = [
    `${all.length} assumptions: ${number("confirmed")} confirmed, ${number("contradicted")} contradicted`,
    ...(inconsistent > 0 ? [`${inconsistent} inconsistent`] : []),
    `${number("not-seen")} not seen`,
  ];
  const traffic = [
    `${plural(counts.calls, "call")}, ${plural(counts.webhooks, "webhook")}, ${shownDuration(spanMs)}`,
    ...(counts.otherHosts > 0
      ? [`${plural(counts.otherHosts, "entry", "entries")} of other hosts left out`]
      : []),
    ...(counts.otherPaths > 0
      ? [`${plural(counts.otherPaths, "entry", "entries")} of other paths left out`]
      : []),
    ...(counts.unreadable > 0 ? [`${counts.unreadable} not readable`] : []),
  ];
  return [verdicts.join(", "), traffic.join("; ")];
}

/** Says which values are set, and which cannot be. */
function settingsText({ assumptions: all, config, configFile, notImitated }: CalibrationReport): string[] {
  const unset = all.filter(
    (verdict) =>
      isContradicted(verdict) && !notImitated.includes(verdict.id) && !(verdict.id in config.assumptions),
  );
  return [
    ...(configFile === undefined
      ? []
      : [`Config: ${configFile} (${plural(Object.keys(config.assumptions).length, "value")}).`]),
    ...(unset.length > 0
      ? [`Not set, because the traffic shows only a bound: ${unset.map(({ id }) => id).join(", ")}.`]
      : []),
    ...(notImitated.length > 0
      ? [`${notImitated.length} cannot be imitated: ${notImitated.join(", ")}.`]
      : []),
  ];
}

const VERDICTS = {
  confirmed: "passed",
  contradicted: "failed",
  inconsistent: "undecided",
  "not-seen": "skipped",
} as const;

function assumptionCase(one: AssumptionVerdict, many: boolean): Case {
  const { id, verdict } = one;
  const common = { name: id, className: "assumptions", label: verdict };
  if (verdict === "confirmed") return { ...common, verdict: "passed", isMinor: true };
  // The parts of a summary are contradicted, each on its own.
  if (verdict === "not-seen" || (verdict === "contradicted" && !isContradicted(one)))
    return { ...common, verdict: "skipped", summary: verdict, isMinor: true };
  const found = evidenceText(one, many);
  return {
    ...common,
    verdict: VERDICTS[verdict],
    type: verdict,
    remark: ` ${found}`,
    summary: found,
    reasons: [],
  };
}

function shapeCase({ kind, operationId, event, found, entry, count }: ShapeFinding, many: boolean): Case {
  const name = `shape ${kind}: ${operationId ?? event ?? ""} ${found}`;
  return differs({
    name,
    className: "shape",
    label: kind,
    remark: `(${times(count)}, ${place(entry, many)})`,
  });
}

function transitionCase(
  { resource, from, to, verdict, entry, count }: CountedTransition,
  many: boolean,
): Case {
  const change = `transition ${resource}: ${from ?? "(none)"} → ${to}`;
  const named = { className: "transitions", label: verdict };
  if (verdict === "legal") return { ...named, name: change, verdict: "passed", isMinor: true };
  const why = verdict === "unknown" ? "not in the platform API" : "out of order";
  return differs({
    ...named,
    name: `${change} is ${why}`,
    remark: `(${times(count)}, ${place(entry, many)})`,
  });
}

function differs(named: Omit<Case, "verdict">): Case {
  return { ...named, verdict: "failed", summary: named.remark ?? "", reasons: [] };
}

/** The formats of the report. */
export const calibrationReports = reportFormats(trafficReport, jsonReport);

export const calibrationFormats = Object.keys(calibrationReports) as (keyof typeof calibrationReports)[];

/** Says the assumption, the observation, and its place. */
function evidenceText(verdict: AssumptionVerdict, many: boolean): string {
  const { assumed, observed, note, observations, entries } = verdict;
  const shown = observed === null ? "" : `observed ${observedText(verdict)}`;
  const places = entries
    .slice(0, ENTRIES_SHOWN)
    .map(({ index, file }) => (many ? `${file}#${index}` : String(index)));
  const more = entries.length > ENTRIES_SHOWN ? " …" : "";
  const torn = verdict.verdict === "inconsistent" ? `contradicts itself: ${note}` : shown;
  const extra = verdict.verdict === "inconsistent" || note === undefined ? "" : `${note}; `;
  return `assumed ${text(assumed)}  ${torn}  (${extra}${plural(observations, "observation")}, entries ${places.join(" ")}${more})`;
}

function observedText({ observed }: AssumptionVerdict): string {
  if (observed?.seen !== undefined && observed.seen.length > 0) return text(observed.seen);
  if (observed?.value !== undefined) return text(observed.value);
  if (observed?.atLeast !== undefined) return `at least ${text(observed.atLeast)}`;
  return `at most ${text(observed?.atMost)}`;
}

function text(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(" ") : String(value);
}

function place({ file, index }: EntryPlace, many: boolean): string {
  return many ? `entry ${index} of ${file}` : `entry ${index}`;
}

/** The parts of a configuration file that come from recorded traffic. */
export interface CalibratedConfig {
  /** The comment at the top. */
  readonly head: readonly string[];
  /** The values, each with its evidence. */
  readonly values: readonly { readonly id: string; readonly value: unknown; readonly evidence: string }[];
  /** The observations that cannot be set, as comments. */
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
    "# sandbank serve --config THIS_FILE behaves like the platform in this traffic.",
  ];
  return { head, values, left: left.length === 0 ? [] : ["# Not set:", ...left] };
}

function oneLine(sentence: string): string {
  return visible(sentence).replaceAll(/\s+/g, " ");
}
