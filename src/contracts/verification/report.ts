import type { DriftRow } from "./drift.ts";
import type { Mismatch } from "./run-verifier.ts";
import type { VerifiedInteraction, VerifiedPact } from "./verification.ts";
import type { Case, Place, Report, Suite } from "../../reports/report.ts";
import { jsonText, reportFormats } from "../../reports/formats.ts";
import { existsSync, readFileSync } from "node:fs";

/** The result of `contracts verify`. */
export interface VerificationReport {
  readonly pacts: readonly VerifiedPact[];
  /** The comparison with the platform, if it was requested. */
  readonly drift?: readonly DriftRow[];
}

const formats = reportFormats(contractsReport, (report) => jsonText(verificationJson(report)));

/** The formats of the report. `text` is the name of `pretty` in former versions. */
export const verificationReports = { ...formats, text: formats.pretty } as const;

export const verificationFormats = Object.keys(verificationReports) as (keyof typeof verificationReports)[];

/** Returns true if every interaction that counts has passed, on both sides if there are two. */
export function hasPassed({ pacts, drift = [] }: VerificationReport): boolean {
  return (
    pacts.every(({ interactions }) => interactions.every(({ verdict }) => verdict !== "failed")) &&
    drift.every(({ platform }) => platform !== "failed")
  );
}

/** Reports contracts: a suite for each pact, a case for each interaction. */
export function contractsReport(report: VerificationReport): Report {
  const drift = driftLines(report.drift);
  const suites = report.pacts.map(({ consumer, provider, source, interactions }) => {
    const name = `${consumer} → ${provider}`;
    return {
      name,
      heading: name,
      remark: `(${source})`,
      cases: interactions.map((one) => caseOf(one, source)),
    };
  });
  return {
    title: "sandbank contracts verify",
    suites: [...suites, ...platformSuite(report)],
    end: [...drift, ...(drift.length === 0 ? [] : [""]), countLine(report)],
  };
}

function caseOf(interaction: VerifiedInteraction, source: string): Case {
  const { description: name, verdict, states } = interaction;
  const [message = verdict, ...rest] = findings(interaction);
  const named = states.filter((state) => state !== "");
  const given = named.map((state) => `given ${state}`);
  const common = { name, className: source };
  if (verdict === "passed") return { ...common, verdict, reasons: given };
  const found = { ...common, label: verdict, reasons: [...given, message, ...rest] };
  if (verdict !== "failed")
    return {
      ...found,
      verdict: "skipped",
      title: verdict === "pending" ? `${name} (pending: does not count)` : name,
      summary: `${verdict}: ${message}`,
      ...(verdict === "pending" && { isAccepted: true as const }),
    };
  const place = placeIn(source, name);
  const cause = [message, ...rest].join("\n");
  return { ...found, verdict, type: "contract", summary: message, cause, ...(place && { place }) };
}

function findings({ mismatches, reasons }: VerifiedInteraction): string[] {
  const isOfCharset = mismatches.some(({ mismatch = "" }) => /application\/json; *charset=/i.test(mismatch));
  return [...reasons, ...mismatches.map(mismatchLine), ...(isOfCharset ? [CHARSET_ADVICE] : [])];
}

const CHARSET_ADVICE =
  "The platform answers with application/json, without a charset: JSON is always UTF-8. Write application/json in the consumer's test, or match the header by a pattern.";

function mismatchLine({ type, path, key, expected, actual, mismatch }: Mismatch): string {
  const where = [type.replace(/Mismatch$/, "").toLowerCase(), key ?? path].filter(Boolean).join(" ");
  const found = `expected ${shown(expected)}, was ${shown(actual)}`;
  return `${where}: ${type === "StatusMismatch" ? found : (mismatch ?? found)}`;
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

/** Returns the suite of the platform, if the platform was verified too. The last lines show its interactions. */
function platformSuite({ drift = [] }: VerificationReport): Suite[] {
  if (drift.length === 0) return [];
  const isFailed = drift.some(({ platform }) => platform === "failed");
  return [{ name: "platform", verdict: isFailed ? "failed" : "passed", cases: [] }];
}

function driftLines(drift: readonly DriftRow[] | undefined): string[] {
  if (drift === undefined) return [];
  const width = Math.min(60, Math.max(11, ...drift.map(({ description }) => description.length)));
  const row = (...[one = "", two = "", three = ""]: string[]): string =>
    `  ${one.slice(0, width).padEnd(width)}  ${two.padEnd(8)}  ${three}`.trimEnd();
  return [
    "",
    "Sandbox and platform side by side",
    row("interaction", "sandbox", "platform"),
    ...drift.flatMap(({ description, sandbox, platform, differences, assumptions }) => [
      row(description, sandbox, platform),
      ...differences.map((difference) => `      ${difference}`),
      ...(assumptions.length > 0 ? [`      touches: ${assumptions.join(", ")}`] : []),
    ]),
  ];
}

function count({ pacts }: VerificationReport) {
  const verdicts = pacts.flatMap(({ interactions }) => interactions.map(({ verdict }) => verdict));
  const of = (one: string): number => verdicts.filter((verdict) => verdict === one).length;
  return { passed: of("passed"), failed: of("failed"), pending: of("pending"), skipped: of("skipped") };
}

function countLine(report: VerificationReport): string {
  const counts = Object.entries(count(report))
    .filter(([verdict, number]) => verdict === "passed" || number > 0)
    .map(([verdict, number]) => `${number} ${verdict}`);
  const { drift } = report;
  if (drift === undefined) return `${counts.join(", ")}.`;
  const failed = drift.filter(({ platform }) => platform === "failed").length;
  const differing = drift.filter(({ differences }) => differences.length > 0).length;
  return `In the sandbox ${counts.join(", ")}; on the platform ${failed} of ${drift.length} failed, ${differing} differ.`;
}

/** Returns the JSON report. */
export function verificationJson(report: VerificationReport): object {
  const { pacts, drift } = report;
  return {
    kept: hasPassed(report),
    summary: count(report),
    pacts: pacts.map(({ interactions, ...pact }) => ({
      ...pact,
      kept: interactions.every(({ verdict }) => verdict !== "failed"),
      interactions,
    })),
    ...(drift !== undefined && { drift }),
  };
}

/** Returns the place of an interaction in its pact file. Undefined for pacts of a broker. */
function placeIn(source: string, description: string): Place | undefined {
  if (!existsSync(source)) return undefined;
  const lines = readFileSync(source, "utf8").split("\n");
  const at = lines.findIndex(
    (line) => line.includes('"description"') && line.includes(JSON.stringify(description)),
  );
  return { file: source, line: Math.max(at, 0) + 1 };
}
