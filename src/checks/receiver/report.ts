import type { CheckLevel, CheckVerdict, SentEvidence } from "./finding.ts";
import type { CheckResult } from "./run-checks.ts";
import type { Case, Evidence, Report, Verdict } from "../../reports/report.ts";
import { type TimeReport, timeSentence } from "../../base/spent-time.ts";
import { jsonText, reportFormats } from "../../reports/formats.ts";

/** The result of `receiver check`. */
export interface ReceiverReport {
  readonly url: string;
  readonly seed: number;
  /** The lowest level that counts. */
  readonly level: "must" | "should";
  readonly requests: number;
  readonly checks: readonly CheckResult[];
  /** The duration of the checks, and its parts. Absent if the receiver is in this process. */
  readonly time?: TimeReport;
  /** True if required checks may stay undecided. */
  readonly allowsInconclusive?: boolean;
}

/** The formats of the report. */
export const receiverReports = reportFormats(checksReport, (report) => jsonText(receiverJson(report)));

export const receiverFormats = Object.keys(receiverReports) as (keyof typeof receiverReports)[];

/**
 * Returns the verdict over the checks that count at this level. `not-judged`: no check failed, but a required check was
 * not decided or not run.
 */
export function verdictOf(report: ReceiverReport): "passed" | "failed" | "not-judged" {
  const { checks, level } = report;
  if (checks.some((check) => check.verdict === "fail" && counts(check.level, level))) return "failed";
  return openChecks(report).length > 0 ? "not-judged" : "passed";
}

/** Returns the required checks without a verdict. */
function openChecks({ checks, level, allowsInconclusive = false }: ReceiverReport): CheckResult[] {
  return checks.filter(
    (check) =>
      counts(check.level, level) &&
      (check.isUnmade === true || (check.verdict === "inconclusive" && !allowsInconclusive)),
  );
}

/** Lists the open required checks, with the step that would decide them. Each reason has one line. */
export function openQuestions(report: ReceiverReport): string {
  return byReason(openChecks(report))
    .map(([reason, same]) => {
      const what = same.some(({ isUnmade }) => isUnmade) ? "not run" : "not decided";
      return `${namesOf(same)} ${what}: ${reason}`;
    })
    .join("\n");
}

function byReason(checks: readonly CheckResult[]): [string, CheckResult[]][] {
  return [...Map.groupBy(checks, ({ cause = "", fix = "" }) => `${cause} ${fix}`.trim())];
}

function namesOf(checks: readonly CheckResult[]): string {
  return checks.map(({ id }) => id).join(", ");
}

/** Returns true if a check of this level is required. A check of another level gives advice. */
export function counts(level: CheckLevel, lowest: ReceiverReport["level"]): boolean {
  return level === "must" || (level === "should" && lowest === "should");
}

/** Reports the checks of a receiver. */
export function checksReport(report: ReceiverReport): Report {
  const { url, seed, checks, requests, time } = report;
  const failed = checks.filter(({ verdict }) => verdict === "fail");
  const again = `Again: sandbank receiver check ${url} ${failed.map(({ id }) => `--only ${id}`).join(" ")} --seed ${seed}`;
  return {
    title: "sandbank receiver check",
    ...(time !== undefined && { output: timeSentence(time) }),
    suites: [
      {
        name: url,
        heading: `Receiver ${url} (seed ${seed})`,
        intro: [...acceptsEverything(checks), ...openLines(report), ...undecidedLines(checks), ""],
        cases: checks.map((check) => caseOf(check, report)),
      },
    ],
    end: [`${countLine(checks)} ${requests} requests.`, ...(failed.length === 0 ? [] : [again])],
  };
}

const FAMILY_WORDS: Readonly<Record<CheckVerdict, string>> = {
  pass: "passed",
  fail: "failed",
  warn: "passed",
  inconclusive: "not decided",
  skipped: "skipped",
};

/** Returns `passed for orders; not decided for subscriptions`. Empty if no kind of object was tried. */
function familiesText({ verdict: overAll, families = [] }: CheckResult): string {
  const words = overAll === "warn" ? { ...FAMILY_WORDS, fail: "seen" } : FAMILY_WORDS;
  const all = Map.groupBy(families, ({ verdict }) => words[verdict]);
  const parts = Array.from(
    all,
    ([word, same]) => `${word} for ${same.map(({ family }) => family).join(", ")}`,
  );
  return parts.join("; ");
}

/** Returns the reasons why some kinds of objects have no verdict, a line for each. */
function undecidedLines(checks: readonly CheckResult[]): string[] {
  const undecided = checks
    .flatMap(({ families = [] }) => families)
    .filter(({ verdict }) => verdict === "inconclusive");
  const reasons = new Set(undecided.map(({ family, cause = "" }) => `  ? ${family}: ${cause}`));
  return reasons.size === 0 ? [] : ["", ...reasons];
}

/** Warns of a receiver that accepts every request. This line comes first, because it is the worst finding. */
function acceptsEverything(checks: readonly CheckResult[]): string[] {
  const isFailed = (id: string): boolean =>
    checks.some((check) => check.id === id && check.verdict === "fail");
  return ["S1", "S2", "S3"].every(isFailed)
    ? ["THIS RECEIVER ACCEPTS EVERYTHING: anyone can report a payment to it."]
    : [];
}

/** Returns the lines of checks without a verdict. They come before the checks that passed. */
function openLines(report: ReceiverReport): string[] {
  const open = openChecks(report);
  if (open.length === 0) return [];
  const count = open.length === 1 ? "One required check is" : `${open.length} required checks are`;
  return [
    `NOT JUDGED: ${count} not decided. Accept this with --allow-inconclusive.`,
    ...openQuestions(report)
      .split("\n")
      .map((line) => `  ? ${line}`),
  ];
}

function caseOf(check: CheckResult, report: ReceiverReport): Case {
  const { id, title, level, verdict, cause = "", note, families = [] } = check;
  const isMixed = new Set(families.map((one) => FAMILY_WORDS[one.verdict])).size > 1;
  const kinds = isMixed ? familiesText(check) : "";
  const word = verdict === "pass" ? "" : `(${verdict}, ${level})`;
  const remark = [word, kinds].filter((part) => part !== "").join(" ");
  const named = {
    name: `${id} ${title}`,
    id,
    className: `receiver.${level}`,
    label: verdict,
    ...(remark !== "" && { remark }),
    ...(note !== undefined && { warnings: [`! ${id}: ${note}`] }),
  };
  const judged = verdictIn(check, report);
  const found = { ...named, verdict: judged, reasons: reasonsOf(check), evidence: evidenceOf(check) };
  if (judged === "failed") return { ...found, type: level, summary: cause };
  if (judged === "undecided") {
    const summary = check.isUnmade === true ? `not run: ${cause}` : cause;
    return { ...found, type: "not-judged", summary, cause };
  }
  if (judged === "skipped") return { ...found, summary: `${verdict}: ${cause}`, cause };
  return verdict === "pass" ? { ...named, verdict: judged } : { ...found, summary: cause };
}

/** Returns the verdict on a check. A check that is not required is advice. */
function verdictIn(check: CheckResult, report: ReceiverReport): Verdict {
  const { verdict, level } = check;
  if (verdict === "fail" && counts(level, report.level)) return "failed";
  if (openChecks(report).includes(check)) return "undecided";
  return verdict === "skipped" || verdict === "inconclusive" ? "skipped" : "passed";
}

function reasonsOf({ cause = "", fix, families = [] }: CheckResult): string[] {
  const causes = new Set(families.flatMap((one) => (one.verdict === "fail" ? [one.cause ?? ""] : [])));
  const all = [...causes].join(" ");
  const listed = cause.startsWith(all) ? [...causes, cause.slice(all.length).trim()] : [cause];
  return [
    ...listed.filter((one) => one !== "").map((one) => `cause: ${one}`),
    ...(fix === undefined ? [] : [`fix:   ${fix}`]),
  ];
}

function evidenceOf(check: CheckResult): Evidence[] {
  const { evidence = [] } = check;
  const kinds = familiesText(check);
  const lines = [
    ...(kinds === "" ? [] : [`by kind of object: ${kinds}`]),
    ...evidence.flatMap(({ sent, expected, answered, curl }) => [
      `sent ${sent}`,
      `  expected ${expected}, answered ${answered}`,
      ...(curl === undefined ? [] : [`  ${curl}`]),
    ]),
  ];
  return lines.length === 0 ? [] : [{ lines }];
}

function countLine(checks: readonly CheckResult[]): string {
  const counts = (Object.keys(FAMILY_WORDS) as CheckVerdict[])
    .map((verdict) => [verdict, checks.filter((check) => check.verdict === verdict).length] as const)
    .filter(([verdict, count]) => count > 0 || verdict === "pass")
    .map(([verdict, count]) => `${count} ${verdict}`);
  return `${counts.join(", ")}.`;
}

/** Returns a request and its answer as a sentence. */
function evidenceText({ sent, expected, answered }: SentEvidence): string {
  return `${sent}: expected ${expected}, answered ${answered}.`;
}

/** Returns the JSON report. */
export function receiverJson(report: ReceiverReport): object {
  const { checks, allowsInconclusive: _, ...rest } = report;
  return {
    ...rest,
    kept: verdictOf(report) === "passed",
    verdict: verdictOf(report),
    checks: checks.map(
      ({ id, title, level, verdict, code = id, cause = null, fix = null, evidence = [], families, note }) => {
        const more = { ...(families && { families }), ...(note !== undefined && { note }) };
        const written = cause === null ? null : { code, text: cause, evidence: evidence.map(evidenceText) };
        return { id, title, level, verdict, cause: written, fix, evidence, ...more };
      },
    ),
  };
}
