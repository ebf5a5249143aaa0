import type { CheckLevel, CheckVerdict, FamilyVerdict } from "./finding.ts";
import type { CheckResult } from "./run-checks.ts";
import { sharedFormats } from "../reports/formats.ts";
import type { TestReport } from "../reports/test-report.ts";

/** The result of `receiver check`. */
export interface ReceiverReport {
  readonly url: string;
  readonly seed: number;
  /** The lowest level that counts. */
  readonly level: "must" | "should";
  readonly requests: number;
  readonly checks: readonly CheckResult[];
  /** Whether required checks may stay undecided. */
  readonly allowsInconclusive?: boolean;
}

/** `not-judged`: nothing failed, and something required could not be decided or was not run. */
export type ReceiverVerdict = "passed" | "failed" | "not-judged";

/** The formats of the report. */
export const receiverReports = { pretty, json, ...sharedFormats(testReport) } as const;

export const receiverFormats = Object.keys(receiverReports) as (keyof typeof receiverReports)[];

/** The verdict over the checks that count at this level. */
export function verdictOf(report: ReceiverReport): ReceiverVerdict {
  const { checks, level } = report;
  if (checks.some((check) => check.verdict === "fail" && counts(check.level, level))) return "failed";
  return openChecks(report).length > 0 ? "not-judged" : "passed";
}

/** The required checks without a verdict. */
function openChecks({ checks, level, allowsInconclusive = false }: ReceiverReport): CheckResult[] {
  return checks.filter(
    (check) =>
      counts(check.level, level) &&
      (check.isUnmade === true || (check.verdict === "inconclusive" && !allowsInconclusive)),
  );
}

/** Which required checks are open, and what would decide them; a line for each reason. */
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

/** Whether a check of this level is required; another one gives advice. */
export function counts(level: CheckLevel, lowest: ReceiverReport["level"]): boolean {
  return level === "must" || (level === "should" && lowest === "should");
}

const SIGNS: Readonly<Record<CheckVerdict, string>> = {
  pass: "✓",
  fail: "✗",
  warn: "!",
  inconclusive: "?",
  skipped: "-",
};

function pretty(report: ReceiverReport): string {
  const { url, seed, checks, requests } = report;
  const failed = checks.filter(({ verdict }) => verdict === "fail");
  return [
    `Receiver ${url} (seed ${seed})`,
    ...acceptsEverything(checks),
    ...openLines(report),
    "",
    ...checks.map(({ id, title, level, verdict, families = [] }) => {
      const note = verdict === "pass" ? "" : ` (${verdict}, ${level})`;
      const line = `  ${SIGNS[verdict]} ${id.padEnd(3)} ${title}${note}`;
      return [line, familiesText(families)].filter((part) => part !== "").join(": ");
    }),
    ...undecidedLines(checks),
    ...checks.flatMap(({ id, note }) => (note === undefined ? [] : [`  ! ${id}: ${note}`])),
    ...checks.filter(({ verdict }) => verdict === "fail" || verdict === "warn").flatMap(findingLines),
    "",
    ...groupedLines("Inconclusive", checks, "inconclusive"),
    ...groupedLines("Skipped", checks, "skipped"),
    `${countLine(checks)} ${requests} requests.`,
    ...(failed.length === 0
      ? []
      : [
          `Again: sandbank receiver check ${url} ${failed.map(({ id }) => `--only ${id}`).join(" ")} --seed ${seed}`,
        ]),
    "",
  ].join("\n");
}

const FAMILY_WORDS: Readonly<Record<CheckVerdict, string>> = {
  pass: "passed",
  fail: "failed",
  warn: "passed",
  inconclusive: "not decided",
  skipped: "skipped",
};

/** `passed for orders; not decided for subscriptions`, where the verdicts differ; otherwise empty. */
function familiesText(families: readonly FamilyVerdict[]): string {
  const all = Map.groupBy(families, ({ verdict }) => FAMILY_WORDS[verdict]);
  if (all.size < 2) return "";
  const parts = Array.from(
    all,
    ([word, same]) => `${word} for ${same.map(({ family }) => family).join(", ")}`,
  );
  return parts.join("; ");
}

/** Why some kinds of objects have no verdict; a line for each reason. */
function undecidedLines(checks: readonly CheckResult[]): string[] {
  const undecided = checks
    .flatMap(({ families = [] }) => families)
    .filter(({ verdict }) => verdict === "inconclusive");
  const reasons = new Set(undecided.map(({ family, cause = "" }) => `  ? ${family}: ${cause}`));
  return reasons.size === 0 ? [] : ["", ...reasons];
}

/** The worst comes first. */
function acceptsEverything(checks: readonly CheckResult[]): string[] {
  const isFailed = (id: string): boolean =>
    checks.some((check) => check.id === id && check.verdict === "fail");
  return ["S1", "S2", "S3"].every(isFailed)
    ? ["THIS RECEIVER ACCEPTS EVERYTHING: anyone can report a payment to it."]
    : [];
}

/** What has no verdict comes before the checks that passed. */
function openLines(report: ReceiverReport): string[] {
  const open = openChecks(report);
  if (open.length === 0) return [];
  const count = open.length === 1 ? "One required check is" : `${open.length} required checks are`;
  return [
    `NOT JUDGED: ${count} not decided. --allow-inconclusive accepts that.`,
    ...openQuestions(report)
      .split("\n")
      .map((line) => `  ? ${line}`),
  ];
}

function findingLines({
  id,
  title,
  verdict,
  cause = "",
  fix,
  evidence = [],
  families = [],
}: CheckResult): string[] {
  const causes = new Set(families.flatMap((one) => (one.verdict === "fail" ? [one.cause ?? ""] : [])));
  const isAll = [...causes].join(" ") === cause;
  return [
    "",
    `${SIGNS[verdict]} ${id} ${title}`,
    ...Array.from(isAll ? causes : [cause], (one) => `  cause: ${one}`),
    ...(fix === undefined ? [] : [`  fix:   ${fix}`]),
    ...evidence.flatMap(({ sent, expected, answered, curl }) => [
      `  sent ${sent}`,
      `    expected ${expected}, answered ${answered}`,
      ...(curl === undefined ? [] : [`    ${curl}`]),
    ]),
  ];
}

/** What was not checked, by reason. */
function groupedLines(heading: string, checks: readonly CheckResult[], verdict: CheckVerdict): string[] {
  const lines = byReason(checks.filter((check) => check.verdict === verdict)).map(
    ([reason, same]) => `  ${SIGNS[verdict]} ${namesOf(same)}: ${reason}`,
  );
  return lines.length === 0 ? [] : [heading, ...lines, ""];
}

function countLine(checks: readonly CheckResult[]): string {
  const counts = (Object.keys(SIGNS) as CheckVerdict[])
    .map((verdict) => [verdict, checks.filter((check) => check.verdict === verdict).length] as const)
    .filter(([verdict, count]) => count > 0 || verdict === "pass")
    .map(([verdict, count]) => `${count} ${verdict}`);
  return `${counts.join(", ")}.`;
}

function json(report: ReceiverReport): string {
  return `${JSON.stringify(receiverJson(report), null, 2)}\n`;
}

/** The JSON report. */
export function receiverJson(report: ReceiverReport): object {
  const { checks, allowsInconclusive: _, ...rest } = report;
  return {
    ...rest,
    kept: verdictOf(report) === "passed",
    verdict: verdictOf(report),
    checks: checks.map(
      ({ id, title, level, verdict, cause = null, fix = null, evidence = [], families, note }) => {
        const more = { ...(families && { families }), ...(note !== undefined && { note }) };
        return { id, title, level, verdict, cause, fix, evidence, ...more };
      },
    ),
  };
}

export function testReport(report: ReceiverReport): TestReport {
  const { url, checks, level } = report;
  const open = new Set(openChecks(report));
  const cases = checks.map((check) => {
    const { id, title, verdict, cause = "", fix = "", families = [] } = check;
    const named = { name: `${id} ${title}`, className: `receiver.${check.level}` };
    const kinds = familiesText(families);
    const text = `cause: ${cause}\nfix: ${fix}${kinds === "" ? "" : `\nby kind of object: ${kinds}`}`;
    if (verdict === "fail" && counts(check.level, level))
      return { ...named, failure: { message: cause, type: check.level, text } };
    if (open.has(check)) return { ...named, error: { message: cause, type: "not-judged", text } };
    if (verdict === "skipped" || verdict === "inconclusive")
      return { ...named, skipped: { message: `${verdict}: ${cause}` } };
    return verdict === "pass" ? named : { ...named, output: `${verdict}: ${text}` };
  });
  return { name: "sandbank receiver check", suites: [{ name: url, cases }] };
}
