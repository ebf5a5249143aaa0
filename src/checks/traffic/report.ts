import { type Case, plural, type Report, type Suite } from "../../reports/report.ts";
import type { EntryPlace } from "../calibration/observers/traffic.ts";
import { copiesIn, findingsIn, lateIn, type TrafficFinding } from "./findings.ts";
import { jsonText, reportFormats } from "../../reports/formats.ts";
import type { SeenTraffic } from "./seen-traffic.ts";

/** The result of a check of recorded traffic. */
export interface TrafficCheck {
  readonly files: readonly string[];
  readonly host: string | null;
  readonly calls: number;
  readonly webhooks: number;
  /** The number of entries that lack a body or an answer. */
  readonly unknown: number;
  /** The events that came twice, or after a newer event. Receivers must expect both. */
  readonly copies: readonly EntryPlace[];
  readonly late: readonly EntryPlace[];
  readonly findings: readonly TrafficFinding[];
  readonly notes: readonly string[];
}

export function checkTraffic(
  traffic: SeenTraffic,
  { files, notes = [] }: { readonly files: readonly string[]; readonly notes?: readonly string[] },
): TrafficCheck {
  const { host, calls, webhooks, unknown } = traffic;
  return {
    files,
    host,
    calls: calls.length,
    webhooks: webhooks.length,
    unknown,
    copies: copiesIn(webhooks).map(([, { place }]) => place),
    late: lateIn(webhooks).map(({ place }) => place),
    findings: findingsIn(traffic),
    notes,
  };
}

/** Reports a suite for each part. A part without entries decides nothing. */
export function checkReport(check: TrafficCheck): Report {
  const { calls, webhooks, copies, late, unknown, host, notes } = check;
  const counted = [
    `${plural(calls, "call")}${host === null ? "" : ` of ${host}`}, ${plural(webhooks, "webhook")}`,
    ...(copies.length > 0 ? [`${plural(copies.length, "event")} came again: ${shown(copies, check)}`] : []),
    ...(late.length > 0
      ? [`${plural(late.length, "event")} came after a newer one: ${shown(late, check)}`]
      : []),
    ...(unknown > 0
      ? [`${plural(unknown, "entry", "entries")} without a whole body or answer: unknown`]
      : []),
  ];
  return {
    title: "sandbank check-traffic",
    head: [...counted, ...notes],
    suites: [
      suiteOf("calls", calls, check),
      suiteOf("webhooks", webhooks, check),
      suiteOf("sums", calls, check),
    ],
  };
}

function suiteOf(part: TrafficFinding["part"], seen: number, check: TrafficCheck): Suite {
  const found = check.findings.filter((one) => one.part === part);
  const cases = found.map(({ rule, message, fix, entries }): Case => ({
    name: `${rule} ${shown(entries, check)}`,
    title: message,
    label: rule,
    className: part,
    type: rule,
    verdict: "failed",
    summary: message,
    reasons: [fix, shown(entries, check)],
  }));
  if (cases.length > 0) return { name: part, heading: part, cases };
  const none: Case =
    seen > 0
      ? { name: part, verdict: "passed" }
      : { name: part, verdict: "skipped", summary: `the files have no ${part}` };
  return { name: part, cases: [none] };
}

const ENTRIES_SHOWN = 8;

function shown(entries: readonly EntryPlace[], { files }: Pick<TrafficCheck, "files">): string {
  const places = entries
    .slice(0, ENTRIES_SHOWN)
    .map(({ file, index }) => (files.length > 1 ? `${file}#${index}` : String(index)));
  const more = entries.length > ENTRIES_SHOWN ? ` and ${entries.length - ENTRIES_SHOWN} more` : "";
  return `${entries.length === 1 ? "entry" : "entries"} ${places.join(", ")}${more}`;
}

export const trafficReports = reportFormats(checkReport, jsonText);

export const trafficFormats = Object.keys(trafficReports) as (keyof typeof trafficReports)[];
