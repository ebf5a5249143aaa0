import type { DriftRow } from "./drift.ts";
import type { Mismatch } from "./run-verifier.ts";
import type { VerifiedInteraction, VerifiedPact } from "./verification.ts";
import { sharedFormats } from "../../reports/formats.ts";
import type { TestReport } from "../../reports/test-report.ts";
import { existsSync, readFileSync } from "node:fs";

/** The result of `contracts verify`. */
export interface VerificationReport {
  readonly pacts: readonly VerifiedPact[];
  /** The comparison with the platform, where one was named. */
  readonly drift?: readonly DriftRow[];
}

/** The formats of the report. */
export const verificationReports = {
  pretty: textReport,
  json: jsonReport,
  ...sharedFormats(testReport),
  /** The name of `pretty` in former versions. */
  text: textReport,
} as const;

export const verificationFormats = Object.keys(verificationReports) as (keyof typeof verificationReports)[];

/** Whether every interaction that counts has passed, on both sides where there are two. */
export function hasPassed({ pacts, drift = [] }: VerificationReport): boolean {
  return (
    pacts.every(({ interactions }) => interactions.every(({ verdict }) => verdict !== "failed")) &&
    drift.every(({ platform }) => platform !== "failed")
  );
}

function textReport(report: VerificationReport): string {
  const lines = report.pacts.flatMap(({ consumer, provider, source, interactions }) => [
    `${consumer} → ${provider} (${source})`,
    ...interactions.flatMap(onceEach(interactions)),
    "",
  ]);
  return [...lines, ...driftLines(report.drift), countLine(report), ""].join("\n");
}

const SIGNS = { passed: "✓", failed: "✗", pending: "~", skipped: "-" } as const;

/** From this many interactions on, findings that are the same are written once. */
const SAME_MIN = 3;

/** Returns the lines of each interaction. Findings of several interactions are with the first of them. */
function onceEach(all: readonly VerifiedInteraction[]): (interaction: VerifiedInteraction) => string[] {
  const same = Map.groupBy(all, (one) => findings(one).join("\n"));
  return (interaction) => {
    const own = findings(interaction);
    const group = same.get(own.join("\n")) ?? [];
    if (own.length === 0 || group.length < SAME_MIN) return interactionLines(interaction, own);
    const others = `The same for ${group.length - 1} more.`;
    return interactionLines(interaction, interaction === group[0] ? [...own, others] : []);
  };
}

function interactionLines(interaction: VerifiedInteraction, own: readonly string[]): string[] {
  const { description, verdict, states } = interaction;
  const named = states.filter((state) => state !== "");
  return [
    `  ${SIGNS[verdict]} ${description}${verdict === "pending" ? " (pending: does not count)" : ""}`,
    ...named.map((state) => `      given ${state}`),
    ...own.map((line) => `      ${line}`),
  ];
}

function findings({ mismatches, reasons }: VerifiedInteraction): string[] {
  return [...reasons, ...mismatches.map(mismatchLine)];
}

function mismatchLine({ type, path, key, expected, actual, mismatch }: Mismatch): string {
  const where = [type.replace(/Mismatch$/, "").toLowerCase(), key ?? path].filter(Boolean).join(" ");
  const found = `expected ${shown(expected)}, was ${shown(actual)}`;
  return `${where}: ${type === "StatusMismatch" ? found : (mismatch ?? found)}`;
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

function driftLines(drift: readonly DriftRow[] | undefined): string[] {
  if (drift === undefined) return [];
  const width = Math.min(60, Math.max(11, ...drift.map(({ description }) => description.length)));
  const row = (...[one = "", two = "", three = ""]: string[]): string =>
    `  ${one.slice(0, width).padEnd(width)}  ${two.padEnd(8)}  ${three}`.trimEnd();
  return [
    "Sandbox and platform side by side",
    row("interaction", "sandbox", "platform"),
    ...drift.flatMap(({ description, sandbox, platform, differences, assumptions }) => [
      row(description, sandbox, platform),
      ...differences.map((difference) => `      ${difference}`),
      ...(assumptions.length > 0 ? [`      touches: ${assumptions.join(", ")}`] : []),
    ]),
    "",
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

function jsonReport(report: VerificationReport): string {
  return `${JSON.stringify(verificationJson(report), null, 2)}\n`;
}

/** The JSON report. */
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

export function testReport({ pacts }: VerificationReport): TestReport {
  const suites = pacts.map(({ consumer, provider, source, interactions }) => ({
    name: `${consumer} → ${provider}`,
    cases: interactions.map((interaction) => {
      const { description: name, verdict } = interaction;
      const [message = verdict, ...rest] = findings(interaction);
      const named = { name, className: source };
      if (verdict === "passed") return named;
      if (verdict !== "failed") return { ...named, skipped: { message: `${verdict}: ${message}` } };
      const failure = { message, type: "contract", text: [message, ...rest].join("\n") };
      return { ...named, ...placeIn(source, name), failure };
    }),
  }));
  return { name: "sandbank contracts verify", suites };
}

/** Where a pact file has an interaction; nothing for pacts of a broker. */
function placeIn(source: string, description: string): { file?: string; line?: number } {
  if (!existsSync(source)) return {};
  const lines = readFileSync(source, "utf8").split("\n");
  const at = lines.findIndex(
    (line) => line.includes('"description"') && line.includes(JSON.stringify(description)),
  );
  return { file: source, line: Math.max(at, 0) + 1 };
}
