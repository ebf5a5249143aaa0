import type { Certificate, CertifiedPart } from "./certificate.ts";
import type { ComponentChildren as Content } from "preact";
import { Badge, Table } from "../../html/components.js";
import { html } from "../../html/preact.js";
import { htmlReport } from "../../html/html-report.ts";
import { isRecord } from "../../engine/json.ts";

/** The report as one HTML file without outside references and without scripts. */
export function certificatePage(certificate: Certificate): string {
  const { verdict, parts, missing, versions, seed, assumptions, digest, repeat } = certificate;
  const facts = [
    ...Object.entries(versions).map(([name, version]) => [name, version ?? ""]),
    ["seed", String(seed)],
    ...Object.entries(assumptions).map(([id, value]) => [id, JSON.stringify(value)]),
    ["digest", digest],
  ];
  const title = `The integration has ${WORDS[verdict]}`;
  const content = html`<h1>${title}</h1>
    ${section("What was checked", table(["Part", "Verdict", "Result"], parts.map(partRow)))}
    ${parts.map(partSection)}
    ${section("Missing for a complete integration", missing.length === 0 ? html`<p>Nothing.</p>` : list(missing))}
    ${section("How it was checked", table(["What", "Value"], facts))}
    ${section(
      "Repeat it",
      html`<p>The webhook secret comes from SANDBANK_WEBHOOK_SECRET.</p>
        <pre class="wrapped">${repeat.join("\n")}</pre>`,
    )}`;
  return htmlReport({ title: `sandbank: ${title}`, content });
}

const WORDS = { passed: "passed", failed: "failed", "not-judged": "not been judged" } as const;

function partRow({ name, of, verdict, summary }: CertifiedPart): Content[] {
  return [titleOf({ name, of }), mark(verdict), summary];
}

function titleOf({ name, of }: { readonly name: string; readonly of: string | undefined }): string {
  return of === undefined ? name : `${name}: ${of}`;
}

function partSection({ name, of, reasons, report }: CertifiedPart): Content {
  const details = isRecord(report) ? tablesOf(name, report) : "";
  if (reasons.length === 0 && details === "") return "";
  return section(titleOf({ name, of }), html`${reasons.length === 0 ? "" : list(reasons)}${details}`);
}

/** The rows of a part that a reader wants whole. */
function tablesOf(name: CertifiedPart["name"], report: Row): Content {
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
    case "books":
      return tableOf(["Where", "Your books", "The ledger"], rows("findings"), ({ path, yours, ledger }) => [
        shown(path),
        shown(yours),
        shown(ledger),
      ]);
    case "client":
      return [
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
      ];
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
function tableOf(
  heads: readonly string[],
  rows: readonly Row[],
  cells: (row: Row) => readonly Content[],
): Content {
  return rows.length === 0 ? "" : table(heads, rows.map(cells));
}

function table(columns: readonly string[], rows: readonly (readonly Content[])[]): Content {
  return html`<${Table} columns=${columns} rows=${rows} />`;
}

function section(title: string, content: Content): Content {
  return html`<section>
    <h2>${title}</h2>
    ${content}
  </section>`;
}

function list(items: readonly string[]): Content {
  return html`<ul>
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`;
}

function mark(verdict: string): Content {
  return html`<${Badge} status=${verdict} />`;
}
