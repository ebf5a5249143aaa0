import type { Certificate, CertifiedPart } from "./certification.ts";
import { isRecord } from "../engine/json.ts";

/** The report as one HTML file without outside references and without scripts. */
export function certificatePage(certificate: Certificate): string {
  const { verdict, parts, missing, versions, seed, assumptions, digest, repeat } = certificate;
  const facts = [
    ...Object.entries(versions).map(([name, version]) => [name, version]),
    ["seed", String(seed)],
    ...Object.entries(assumptions).map(([id, value]) => [id, JSON.stringify(value)]),
    ["digest", digest],
  ];
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>sandbank: the integration has ${WORDS[verdict]}</title>`,
    `<style>${STYLE}</style></head><body><main>`,
    `<h1>The integration has <span class="${verdict}">${WORDS[verdict]}</span></h1>`,
    table("What was judged", ["Part", "Verdict", "Result"], parts.map(partRow)),
    ...parts.flatMap(partSection),
    section("Missing for a complete integration", missing.length === 0 ? "<p>Nothing.</p>" : list(missing)),
    table(
      "How it was judged",
      ["What", "Value"],
      facts.map((row) => row.map(escaped)),
    ),
    section(
      "Repeat it",
      `<p>The webhook secret comes from SANDBANK_WEBHOOK_SECRET.</p><pre>${repeat.map(escaped).join("\n")}</pre>`,
    ),
    "</main></body></html>",
    "",
  ].join("\n");
}

const WORDS = { passed: "passed", failed: "failed", "not-judged": "not been judged" } as const;

function partRow({ name, of, verdict, summary }: CertifiedPart): string[] {
  return [escaped(titleOf({ name, of })), mark(verdict), escaped(summary)];
}

function titleOf({ name, of }: { readonly name: string; readonly of: string | undefined }): string {
  return of === undefined ? name : `${name}: ${of}`;
}

function partSection({ name, of, reasons, report }: CertifiedPart): string[] {
  const title = titleOf({ name, of });
  const why = reasons.length === 0 ? "" : list(reasons);
  const details = isRecord(report) ? tablesOf(name, report) : "";
  return why === "" && details === "" ? [] : [section(title, why + details)];
}

/** The rows of a part that a reader wants whole. */
function tablesOf(name: CertifiedPart["name"], report: Readonly<Record<string, unknown>>): string {
  const rows = (field: string): Readonly<Record<string, unknown>>[] => {
    const value = report[field];
    return Array.isArray(value) ? value.filter(isRecord) : [];
  };
  switch (name) {
    case "receiver":
      return rowsTable(
        ["Check", "Level", "Verdict", "Why"],
        rows("checks"),
        ({ id, title, level, verdict, cause }) => [
          escaped(`${shown(id)} ${shown(title)}`),
          escaped(shown(level)),
          mark(shown(verdict)),
          escaped(shown(cause)),
        ],
      );
    case "scenarios":
      return rowsTable(["Scenario", "Verdict"], rows("scenarios"), ({ name: own, status }) => [
        escaped(shown(own)),
        mark(shown(status)),
      ]);
    case "contracts": {
      const interactions = rows("pacts").flatMap(({ interactions: own }) =>
        Array.isArray(own) ? own.filter(isRecord) : [],
      );
      return rowsTable(["Interaction", "Verdict"], interactions, ({ description, verdict }) => [
        escaped(shown(description)),
        mark(shown(verdict)),
      ]);
    }
    case "explore": {
      const results = "results" in report ? rows("results") : [report];
      return rowsTable(["Scenario", "Schedules", "Diverged", "Verdict"], results, (result) => [
        escaped(shown(result["scenario"])),
        escaped(schedulesOf(result["schedules"])),
        escaped(String(Array.isArray(result["divergences"]) ? result["divergences"].length : 0)),
        mark(shown(result["verdict"])),
      ]);
    }
    case "client":
      return (
        rowsTable(["Operation", "Calls", "Answers"], rows("operations"), ({ operation, calls, statuses }) => [
          escaped(shown(operation)),
          escaped(shown(calls)),
          escaped(countsOf(statuses)),
        ]) +
        rowsTable(["Refusal", "Times"], rows("errors"), ({ error, count }) => [
          escaped(shown(error)),
          escaped(shown(count)),
        ]) +
        rowsTable(["Event", "Sent", "Handled"], rows("events"), ({ event, sent, handled }) => [
          escaped(shown(event)),
          escaped(shown(sent)),
          escaped(shown(handled)),
        ])
      );
  }
}

function schedulesOf(value: unknown): string {
  return isRecord(value) ? `${shown(value["tried"])} of ${shown(value["total"])}` : "";
}

function countsOf(value: unknown): string {
  const all = Array.isArray(value) ? value.filter(isRecord) : [];
  return all.map(({ value: status, count }) => `${shown(status)} × ${shown(count)}`).join(", ");
}

function shown(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

type Row = Readonly<Record<string, unknown>>;

function rowsTable(heads: readonly string[], rows: readonly Row[], cells: (row: Row) => string[]): string {
  return rows.length === 0 ? "" : tableOf(heads, rows.map(cells));
}

function table(title: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return section(title, tableOf(heads, rows));
}

function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((one) => `<th scope="col">${escaped(one)}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n");
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}

function section(title: string, content: string): string {
  return `<section><h2>${escaped(title)}</h2>${content}</section>`;
}

function list(items: readonly string[]): string {
  return `<ul>${items.map((item) => `<li>${escaped(item)}</li>`).join("")}</ul>`;
}

/** A verdict, with a class that colours it; its word says it too. */
function mark(verdict: string): string {
  const kind = /^(pass|passed|converges)$/.test(verdict)
    ? "passed"
    : /^(fail|failed|diverges)$/.test(verdict)
      ? "failed"
      : "not-judged";
  return `<span class="${kind}">${escaped(verdict)}</span>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

const STYLE = `
:root { color-scheme: light dark; --line: #d5d5d5; --passed: #106b2e; --failed: #b3151b; --open: #7a5200; }
@media (prefers-color-scheme: dark) { :root { --line: #444; --passed: #6fd08c; --failed: #ff8f8f; --open: #f0c060; } }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
main { max-width: 64rem; margin: 0 auto; padding: 1.5rem; }
h1 { line-height: 1.2; }
table { border-collapse: collapse; width: 100%; }
.wide { overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: 0.35rem 0.75rem 0.35rem 0; text-align: left; vertical-align: top; }
pre { border: 1px solid var(--line); padding: 0.75rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.passed { color: var(--passed); font-weight: 600; }
.failed { color: var(--failed); font-weight: 600; }
.not-judged { color: var(--open); font-weight: 600; }
`;
