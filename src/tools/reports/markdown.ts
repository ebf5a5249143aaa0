import type { TestCase, TestReport, TestSuite } from "./test-report.ts";

/** GitHub refuses a summary of more than a megabyte; what is left out is counted. */
const LENGTH_MAX = 500_000;

const VERDICTS = ["failed", "not decided", "passed", "skipped"] as const;
const SIGNS = { failed: "❌", "not decided": "❔", passed: "✅", skipped: "➖" } as const;

/** The report as Markdown: counts, then what failed with its text, then all cases, folded. */
export function markdownSummary({ name, suites, output }: TestReport): string {
  const problems = suites.flatMap((suite) => suite.cases.flatMap((one) => problemLines(one, suite)));
  const parts = [
    `## ${name}: ${countsOf(suites.flatMap(({ cases }) => cases))}`,
    ...problems,
    ...suites.map(suiteTable),
    ...(output === undefined ? [] : [folded("Output", fenced(output))]),
  ];
  const shown: string[] = [];
  let length = 0;
  for (const part of parts) {
    length += part.length;
    if (length <= LENGTH_MAX) shown.push(part);
  }
  const left = parts.length - shown.length;
  if (left > 0) shown.push(`_${left} more parts are left out: the report is too long._`);
  return `${shown.join("\n\n")}\n`;
}

function verdictOf({ failure, error, skipped }: TestCase): (typeof VERDICTS)[number] {
  if (failure !== undefined) return "failed";
  if (error !== undefined) return "not decided";
  return skipped === undefined ? "passed" : "skipped";
}

/** `1 failed, 3 passed`. */
function countsOf(cases: readonly TestCase[]): string {
  const counts = Map.groupBy(cases, verdictOf);
  const texts = VERDICTS.flatMap((verdict) => {
    const count = counts.get(verdict)?.length ?? 0;
    return count === 0 ? [] : `${count} ${verdict}`;
  });
  return texts.join(", ") || "nothing was run";
}

function problemLines(one: TestCase, suite: TestSuite): string[] {
  const problem = one.failure ?? one.error;
  if (problem === undefined) return [];
  const title = `### ${SIGNS[verdictOf(one)]} ${escapeText(one.name)}`;
  const place = one.file === undefined ? suite.name : [one.file, one.line, one.column].join(":");
  return [title, code(place.replace(/:+$/, "")), fenced(`${problem.message}\n\n${problem.text}`)];
}

function suiteTable({ name, cases }: TestSuite): string {
  const rows = cases.map((one) => {
    const remark = one.failure?.message ?? one.error?.message ?? one.skipped?.message ?? one.output ?? "";
    const verdict = verdictOf(one);
    return `| ${SIGNS[verdict]} ${verdict} | ${escapeText(one.name)} | ${escapeText(remark)} |`;
  });
  const table = ["| | | |", "| --- | --- | --- |", ...rows].join("\n");
  return folded(`${escapeText(name)}: ${countsOf(cases)}`, table);
}

function folded(title: string, text: string): string {
  return `<details><summary>${title}</summary>\n\n${text}\n\n</details>`;
}

/** A text of others on one line: no markup, no end of a table's cell. */
function escapeText(text: string): string {
  return text
    .trim()
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\\`*_{}[\]()#!|~@]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;");
}

function code(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}

/** Between fences that are longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text.trim()}\n${fence}`;
}
