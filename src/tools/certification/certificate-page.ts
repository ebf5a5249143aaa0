import type { Certificate, CertifiedPart, Verdict } from "./certificate.ts";
import type { ComponentChildren as Content } from "preact";
import { Badge, Table, toneOf } from "../../html/components.js";
import { html } from "../../html/preact.js";
import { htmlReport } from "../reports/html-report.ts";
import { managersParagraph, wordsOf } from "./words.ts";
import { isRecord } from "../../engine/json.ts";

/** The report as one HTML file without outside references and without scripts. */
export function certificatePage(certificate: Certificate): string {
  const { verdict, parts, missing, versions, seed, assumptions, digest, repeat } = certificate;
  const { partner, date, capabilities, language } = certificate;
  const words = wordsOf(language);
  const facts = [
    ...(partner === undefined ? [] : [[words.facts.partner, partner]]),
    [words.facts.date, date],
    [words.facts.scope, capabilities.length === 0 ? words.all : capabilities.join(", ")],
    ...Object.entries(versions).map(([name, version]) => [name, version ?? ""]),
    ["seed", String(seed)],
    ...Object.entries(assumptions).map(([id, value]) => [id, JSON.stringify(value)]),
    ["digest", digest],
  ];
  const title = words.title[verdict];
  const sorted = failuresFirst(parts, ({ verdict: own }) => own);
  const rows = sorted.map((part) => [
    titleOf(part, words),
    mark(part.verdict, words.verdicts[part.verdict]),
    part.summary,
  ]);
  const content = html`<h1>${title}</h1>
    ${partner !== undefined && html`<p class="soft">${words.of(partner)}</p>`}
    <p>${managersParagraph(certificate)}</p>
    ${section(words.checked, table(words.columns, rows))} ${sorted.map((part) => partSection(part, words))}
    ${section(words.missing, missing.length === 0 ? html`<p>${words.nothing}</p>` : list(missing))}
    ${section(words.how, table(words.factColumns, facts))}
    ${section(
      words.repeat,
      html`<p>${words.secret}</p>
        <pre class="wrapped">${repeat.join("\n")}</pre>`,
    )}`;
  return htmlReport({ title: `sandbank: ${title}`, content, lang: language });
}

/** What failed, then what is not decided, then what passed; otherwise in the same order. */
function failuresFirst<Item>(items: readonly Item[], verdictOf: (item: Item) => unknown): Item[] {
  const ranks = ["bad", "waiting", "neutral", "good"];
  const rank = (item: Item): number => ranks.indexOf(toneOf(String(verdictOf(item))));
  return items.toSorted((one, other) => rank(one) - rank(other));
}

type Words = ReturnType<typeof wordsOf>;

function titleOf({ name, of }: CertifiedPart, { parts }: Words): string {
  return of === undefined ? parts[name] : `${parts[name]}: ${of}`;
}

/** A part that passed is folded. */
function partSection(part: CertifiedPart, words: Words): Content {
  const { name, verdict, reasons, report } = part;
  const details = isRecord(report) ? tablesOf(name, report, words) : "";
  // The table of checks says why each one did not pass.
  const listed = name === "receiver" && details !== "" ? [] : reasons;
  if (listed.length === 0 && details === "") return "";
  const content = html`${listed.length === 0 ? "" : list(listed)}${details}`;
  const title = titleOf(part, words);
  if (verdict !== "passed") return section(title, content);
  return html`<details>
    <summary>${title}</summary>
    ${content}
  </details>`;
}

/** The rows of a part that a reader wants whole. */
function tablesOf(name: CertifiedPart["name"], report: Row, words: Words): Content {
  const rows = (field: string): Row[] => {
    const value = report[field];
    return Array.isArray(value) ? value.filter(isRecord) : [];
  };
  switch (name) {
    case "receiver": {
      const cellsOf = (check: Row): readonly Content[] => [
        `${shown(check["id"])} ${shown(check["title"])}`,
        shown(check["level"]),
        mark(adviceOr(check)),
        html`<div>
          ${[shown(check["cause"]), shown(check["fix"]), familiesIn(check, words)]
            .filter((text) => text !== "")
            .map((text) => html`<p>${text}</p>`)}
        </div>`,
      ];
      const { pass = [], other = [] } = Object.groupBy(failuresFirst(rows("checks"), verdictIn), (check) =>
        verdictIn(check) === "pass" ? "pass" : "other",
      );
      const passed = tableOf(words.checkColumns, pass, cellsOf);
      if (other.length === 0) return passed;
      return html`${tableOf(words.checkColumns, other, cellsOf)}
      ${
        passed &&
        html`<details>
          <summary>${words.verdicts.passed}: ${pass.length}</summary>
          ${passed}
        </details>`
      }`;
    }
    case "scenarios":
      return tableOf(
        ["Scenario", "Verdict"],
        failuresFirst(rows("scenarios"), verdictIn),
        ({ name: own, status }) => [shown(own), mark(shown(status))],
      );
    case "contracts": {
      const interactions = rows("pacts").flatMap(({ interactions: own }) =>
        Array.isArray(own) ? own.filter(isRecord) : [],
      );
      return tableOf(
        ["Interaction", "Verdict"],
        failuresFirst(interactions, verdictIn),
        ({ description, verdict }) => [shown(description), mark(shown(verdict))],
      );
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
    case "doubt": {
      const shownIn = (row: Row): boolean => row["verdict"] === "broke" || row["verdict"] === "unnoticed";
      return tableOf(
        ["If the platform", "Verdict", "Try it"],
        rows("mutants").filter(shownIn),
        ({ says, verdict, replay }) => [shown(says), mark(shown(verdict)), shown(replay)],
      );
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

const FAMILY_VERDICTS: Readonly<Record<string, Verdict>> = { pass: "passed", fail: "failed", warn: "passed" };

/** The kinds of objects that a check was tried with: `passed: orders, payouts; not judged: charges`. */
function familiesIn({ families }: Row, words: Words): string {
  if (!Array.isArray(families)) return "";
  const all = Map.groupBy(
    families.filter(isRecord),
    ({ verdict }) => words.verdicts[FAMILY_VERDICTS[shown(verdict)] ?? "not-judged"],
  );
  return Array.from(
    all,
    ([word, same]) => `${word}: ${same.map(({ family }) => shown(family)).join(", ")}`,
  ).join("; ");
}

/** A failed check that is no requirement is advice. */
function adviceOr({ level, verdict }: Row): string {
  return verdict === "fail" && level !== "must" ? "advice" : shown(verdict);
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

function verdictIn({ verdict, status }: Row): unknown {
  return verdict ?? status;
}

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
  return html`<ul class="points">
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`;
}

function mark(verdict: string, word?: string): Content {
  return html`<${Badge} status=${verdict} label=${word} />`;
}
