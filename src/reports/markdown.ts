import {
  type Case,
  type Report,
  type Suite,
  countsText,
  isProblem,
  problemText,
  warningText,
  WORDS,
} from "./report.ts";

/** GitHub refuses a summary of more than a megabyte. The omitted parts are counted. */
const LENGTH_MAX = 500_000;

const SIGNS = { failed: "❌", undecided: "❔", passed: "✅", skipped: "➖" } as const;

/** Writes a report as Markdown: counts, then each problem with its text, then all cases, folded. */
export function markdownSummary({ title, suites, output }: Report): string {
  const problems = suites.flatMap((suite) => suite.cases.flatMap((one) => problemLines(one, suite)));
  const parts = [
    `## ${title}: ${countsText(suites.flatMap(({ cases }) => cases)) || "nothing was run"}`,
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

function problemLines(one: Case, suite: Suite): string[] {
  if (!isProblem(one)) return [];
  const { name, verdict, place, summary = "" } = one;
  const at = place === undefined ? suite.name : [place.file, place.line, place.column].join(":");
  const text = fenced(`${summary}\n\n${problemText(one)}`);
  return [`### ${SIGNS[verdict]} ${escapeText(name)}`, code(at.replace(/:+$/, "")), text];
}

function suiteTable({ name, cases }: Suite): string {
  const rows = cases.map((one) => {
    const { verdict, summary } = one;
    const remark = verdict === "passed" ? warningText(one) : summary;
    return `| ${SIGNS[verdict]} ${WORDS[verdict]} | ${escapeText(one.name)} | ${escapeText(remark ?? "")} |`;
  });
  const table = ["| | | |", "| --- | --- | --- |", ...rows].join("\n");
  return folded(`${escapeText(name)}: ${countsText(cases) || "nothing was run"}`, table);
}

function folded(title: string, text: string): string {
  return `<details><summary>${title}</summary>\n\n${text}\n\n</details>`;
}

/** Escapes a foreign text for one line, so that it is neither markup nor the end of a table cell. */
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

/** Puts a text between fences that are longer than any fence in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text.trim()}\n${fence}`;
}
