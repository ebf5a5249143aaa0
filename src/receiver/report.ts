import type { CheckLevel, CheckVerdict } from "./check.ts";
import type { CheckResult } from "./run-checks.ts";
import { attributes, escapeXml } from "../scenarios/reporters/xml.ts";

/** What `receiver check` has to tell. */
export interface ReceiverReport {
  readonly url: string;
  readonly seed: number;
  /** The lowest level that counts. */
  readonly level: "must" | "should";
  readonly requests: number;
  readonly checks: readonly CheckResult[];
}

/** How a check of a receiver can be told. */
export const receiverReports = { pretty, json, junit } as const;

/** Whether no check failed that counts at this level. */
export function isKept({ checks, level }: Pick<ReceiverReport, "checks" | "level">): boolean {
  return checks.every((check) => check.verdict !== "fail" || !counts(check.level, level));
}

function counts(level: CheckLevel, lowest: ReceiverReport["level"]): boolean {
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
    `Receiver ${url}`,
    ...acceptsEverything(checks),
    "",
    ...checks.map(({ id, title, level, verdict }) => {
      const note = verdict === "pass" ? "" : ` (${verdict}, ${level})`;
      return `  ${SIGNS[verdict]} ${id.padEnd(3)} ${title}${note}`;
    }),
    ...checks.filter(({ verdict }) => verdict === "fail" || verdict === "warn").flatMap(story),
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

/** The worst comes first. */
function acceptsEverything(checks: readonly CheckResult[]): string[] {
  const isFailed = (id: string): boolean =>
    checks.some((check) => check.id === id && check.verdict === "fail");
  return ["S1", "S2", "S3"].every(isFailed)
    ? ["THIS RECEIVER ACCEPTS EVERYTHING: anybody can tell it that a payment was made."]
    : [];
}

function story({ id, title, verdict, cause, mend, evidence = [] }: CheckResult): string[] {
  return [
    "",
    `${SIGNS[verdict]} ${id} ${title}`,
    ...(cause === undefined ? [] : [`  cause: ${cause}`]),
    ...(mend === undefined ? [] : [`  mend:  ${mend}`]),
    ...evidence.flatMap(({ sent, expected, answered, curl }) => [
      `  sent ${sent}`,
      `    expected ${expected}, answered ${answered}`,
      ...(curl === undefined ? [] : [`    ${curl}`]),
    ]),
  ];
}

/** What was not checked, with each reason told once. */
function groupedLines(heading: string, checks: readonly CheckResult[], verdict: CheckVerdict): string[] {
  const own = checks.filter((check) => check.verdict === verdict);
  const reasons = Map.groupBy(own, ({ cause = "", mend = "" }) => `${cause} ${mend}`.trim());
  const lines = Array.from(
    reasons,
    ([reason, same]) => `  ${SIGNS[verdict]} ${same.map(({ id }) => id).join(", ")}: ${reason}`,
  );
  return lines.length === 0 ? [] : [heading, ...lines, ""];
}

function countLine(checks: readonly CheckResult[]): string {
  const told = (Object.keys(SIGNS) as CheckVerdict[])
    .map((verdict) => [verdict, checks.filter((check) => check.verdict === verdict).length] as const)
    .filter(([verdict, count]) => count > 0 || verdict === "pass")
    .map(([verdict, count]) => `${count} ${verdict}`);
  return `${told.join(", ")}.`;
}

function json(report: ReceiverReport): string {
  const { checks, ...rest } = report;
  const answer = {
    ...rest,
    kept: isKept(report),
    checks: checks.map(({ id, title, level, verdict, cause = null, mend = null, evidence = [] }) => ({
      id,
      title,
      level,
      verdict,
      cause,
      mend,
      evidence,
    })),
  };
  return `${JSON.stringify(answer, null, 2)}\n`;
}

function junit({ url, checks, level }: ReceiverReport): string {
  const isFailure = (check: CheckResult): boolean => check.verdict === "fail" && counts(check.level, level);
  const isSkipped = ({ verdict }: CheckResult): boolean =>
    verdict === "skipped" || verdict === "inconclusive";
  const numbers = {
    tests: checks.length,
    failures: checks.filter(isFailure).length,
    skipped: checks.filter(isSkipped).length,
  };
  const cases = checks.flatMap((check) => {
    const { id, title, verdict, cause = "", mend = "" } = check;
    const named = attributes({ name: `${id} ${title}`, classname: `receiver.${check.level}` });
    const told = [`cause: ${cause}`, `mend: ${mend}`].join("\n");
    if (isFailure(check)) {
      const failure = `<failure ${attributes({ message: cause, type: check.level })}>${escapeXml(told)}</failure>`;
      return [`    <testcase ${named}>${failure}</testcase>`];
    }
    if (isSkipped(check))
      return [
        `    <testcase ${named}><skipped ${attributes({ message: `${verdict}: ${cause}` })}/></testcase>`,
      ];
    const out = verdict === "pass" ? "" : `<system-out>${escapeXml(`${verdict}: ${told}`)}</system-out>`;
    return [`    <testcase ${named}>${out}</testcase>`];
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name: "sandbank receiver check", ...numbers })}>`,
    `  <testsuite ${attributes({ name: url, ...numbers })}>`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}
