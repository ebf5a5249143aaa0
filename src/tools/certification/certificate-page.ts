import type { Certificate, CertifiedPart } from "./certificate.ts";
import { html, raw } from "hono/html";
import { isRecord } from "../../engine/json.ts";

type Html = ReturnType<typeof html>;

/** The report as one HTML file without outside references and without scripts. */
export function certificatePage(certificate: Certificate): string {
  const { verdict, parts, missing, versions, seed, assumptions, digest, repeat } = certificate;
  const facts = [
    ...Object.entries(versions).map(([name, version]) => [name, version ?? ""]),
    ["seed", String(seed)],
    ...Object.entries(assumptions).map(([id, value]) => [id, JSON.stringify(value)]),
    ["digest", digest],
  ];
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="content-security-policy"
          content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
        />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>sandbank: the integration has ${WORDS[verdict]}</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <main>
          <h1>The integration has <span class="${verdict}">${WORDS[verdict]}</span></h1>
          ${section("What was checked", table(["Part", "Verdict", "Result"], parts.map(partRow)))}
          ${parts.map(partSection)}
          ${section(
            "Missing for a complete integration",
            missing.length === 0 ? html`<p>Nothing.</p>` : list(missing),
          )}
          ${section("How it was checked", table(["What", "Value"], facts))}
          ${section(
            "Repeat it",
            html`<p>The webhook secret comes from SANDBANK_WEBHOOK_SECRET.</p>
              <pre>${repeat.join("\n")}</pre>`,
          )}
        </main>
      </body>
    </html> `;
  return (page as string).trimStart();
}

const WORDS = { passed: "passed", failed: "failed", "not-judged": "not been judged" } as const;

type Cell = string | Html;

function partRow({ name, of, verdict, summary }: CertifiedPart): Cell[] {
  return [titleOf({ name, of }), mark(verdict), summary];
}

function titleOf({ name, of }: { readonly name: string; readonly of: string | undefined }): string {
  return of === undefined ? name : `${name}: ${of}`;
}

function partSection({ name, of, reasons, report }: CertifiedPart): Cell {
  const details = isRecord(report) ? tablesOf(name, report) : "";
  if (reasons.length === 0 && details === "") return "";
  return section(titleOf({ name, of }), html`${reasons.length === 0 ? "" : list(reasons)}${details}`);
}

/** The rows of a part that a reader wants whole. */
function tablesOf(name: CertifiedPart["name"], report: Row): Cell {
  const rows = (field: string): Row[] => {
    const value = report[field];
    return Array.isArray(value) ? value.filter(isRecord) : [];
  };
  switch (name) {
    case "receiver":
      return tableOf(["Check", "Level", "Verdict", "Why"], rows("checks"), (check) => [
        `${shown(check["id"])} ${shown(check["title"])}`,
        shown(check["level"]),
        mark(shown(check["verdict"])),
        shown(check["cause"]),
      ]);
    case "scenarios":
      return tableOf(["Scenario", "Verdict"], rows("scenarios"), ({ name: own, status }) => [
        shown(own),
        mark(shown(status)),
      ]);
    case "contracts": {
      const interactions = rows("pacts").flatMap(({ interactions: own }) =>
        Array.isArray(own) ? own.filter(isRecord) : [],
      );
      return tableOf(["Interaction", "Verdict"], interactions, ({ description, verdict }) => [
        shown(description),
        mark(shown(verdict)),
      ]);
    }
    case "explore": {
      const results = "results" in report ? rows("results") : [report];
      return tableOf(["Scenario", "Schedules", "Diverged", "Verdict"], results, (result) => [
        shown(result["scenario"]),
        schedulesOf(result["schedules"]),
        String(Array.isArray(result["divergences"]) ? result["divergences"].length : 0),
        mark(shown(result["verdict"])),
      ]);
    }
    case "client":
      return html`${[
        tableOf(["Operation", "Calls", "Answers"], rows("operations"), ({ operation, calls, statuses }) => [
          shown(operation),
          shown(calls),
          countsOf(statuses),
        ]),
        tableOf(["Refusal", "Times"], rows("errors"), ({ error, count }) => [shown(error), shown(count)]),
        tableOf(["Event", "Sent", "Handled"], rows("events"), ({ event, sent, handled }) => [
          shown(event),
          shown(sent),
          shown(handled),
        ]),
      ]}`;
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

/** A table of rows, or nothing where there are none. */
function tableOf(heads: readonly string[], rows: readonly Row[], cells: (row: Row) => readonly Cell[]): Cell {
  return rows.length === 0 ? "" : table(heads, rows.map(cells));
}

function table(heads: readonly string[], rows: readonly (readonly Cell[])[]): Html {
  return html`<div class="wide">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell, index) => html`<td data-title="${heads[index] ?? ""}">${cell}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

function section(title: string, content: Html): Html {
  return html`<section>
    <h2>${title}</h2>
    ${content}
  </section> `;
}

function list(items: readonly string[]): Html {
  return html`<ul>
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`;
}

/** A verdict, with a class that colours it; its word says it too. */
function mark(verdict: string): Html {
  const kind = /^(pass|passed|converges)$/.test(verdict)
    ? "passed"
    : /^(fail|failed|diverges)$/.test(verdict)
      ? "failed"
      : "not-judged";
  return html`<span class="${kind}">${verdict}</span>`;
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
/* On a phone a row is a block, each cell below the title of its column. */
@media (max-width: 40rem) {
  main { padding: 1rem; }
  table, tbody, tr, td { display: block; }
  thead { display: none; }
  tr { padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  td { padding: 0.1rem 0; border: 0; overflow-wrap: anywhere; }
  td:empty { display: none; }
  td::before { content: attr(data-title) " "; opacity: 0.75; font-size: 0.85em; }
}
`;
