import {
  type Case,
  type CauseGroup,
  type Evidence,
  type Report,
  type Suite,
  byCause,
  countsText,
  isProblem,
  markOf,
  warningText,
  WORDS,
} from "./report.ts";
import { Badge, Name, Table } from "../pages/html/components.js";
import type { ComponentChildren as Content } from "preact";
import { html } from "../pages/html/preact.js";
import { readFileSync } from "node:fs";
import { renderToString } from "preact-render-to-string";

/** The words of a page that are not a tool's own. */
export interface PageWords {
  readonly passed: (count: number) => string;
  readonly others: (count: number) => string;
  readonly sameCause: (count: number) => string;
  readonly columns: readonly [item: string, verdict: string, why: string];
  /** Translates the word of a verdict. */
  readonly label: (label: string) => string;
  /** Translates a column of a table. */
  readonly column: (column: string) => string;
  /** The language of the page. */
  readonly language: string;
  /** The language of the findings, if it differs from the language of the page. */
  readonly findings: string | undefined;
}

export const ENGLISH: PageWords = {
  passed: (count) => `${count} passed`,
  others: (count) => `${count} others`,
  sameCause: (count) => `The same cause in ${count} more`,
  columns: ["What", "Verdict", "Why"],
  label: (label) => label,
  column: (column) => column,
  language: "en",
  findings: undefined,
};

/** Writes a report as one HTML file without outside references and without scripts. */
export function reportPage(report: Report): string {
  const counts = countsText(report.suites.flatMap(({ cases }) => cases));
  const content = html`<h1>${report.title}</h1>
    <p class="soft">${counts}</p>
    ${reportContent(report)}`;
  return htmlPage({ title: `${counts} · ${report.title}`, content });
}

interface PageOptions {
  readonly words?: PageWords;
  /** Makes anchors unique on a page with several reports. */
  readonly prefix?: string;
}

/** Draws a report without its title. */
export function reportContent(
  { head = [], suites, output, end = [] }: Report,
  { words = ENGLISH, prefix = "" }: PageOptions = {},
): Content {
  const { quiet = [], told = [] } = Object.groupBy(suites, (one) => (isQuiet(one) ? "quiet" : "told"));
  // A list of files that passed would hide the others.
  const passed = quiet.flatMap(({ name, cases }) =>
    cases.map(({ remark, ...one }) => ({
      ...one,
      title: `${name}: ${one.title ?? one.name}`,
      ...(remark !== undefined && remark !== name && { remark }),
    })),
  );
  const sections = (quiet.length > 1 ? told : suites).map(
    (suite) => html`<${SuiteSection} suite=${suite} words=${words} prefix=${prefix} />`,
  );
  const { findings: lang } = words;
  return html`${paragraphs(head, lang)} ${sections}
  ${quiet.length > 1 && folded(words.passed(passed.length), passed, words)}
  ${output !== undefined && html`<pre class="wrapped" lang=${lang}>${output}</pre>`} ${paragraphs(end, lang)}`;
}

/** Returns true if every case of a suite passed, and the suite says nothing more. */
function isQuiet({ heading, remark, intro = [], evidence = [], cases, end = [] }: Suite): boolean {
  const says = [...intro, ...evidence, ...end].length > 0 || heading !== undefined || remark !== undefined;
  return !says && cases.every((one) => one.verdict === "passed" && markOf(one) !== "!" && isPlain(one));
}

function paragraphs(lines: readonly string[], lang: string | undefined): Content {
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => html`<p class="wrap" lang=${lang}>${line.trim()}</p>`);
}

/** Shows a text of a finding, with its language if that differs from the page's. */
function Told({
  lang,
  children,
}: {
  readonly lang: string | undefined;
  readonly children?: Content;
}): Content {
  return lang === undefined ? children : html`<span lang=${lang}>${children}</span>`;
}

function SuiteSection({ suite, words, prefix }: Required<PageOptions> & { readonly suite: Suite }): Content {
  const { heading, verdict, label, remark, intro = [], evidence = [], cases, end = [] } = suite;
  const isShown = (one: Case): boolean => isProblem(one) || markOf(one) === "!" || !isPlain(one);
  const { shown = [], rest = [] } = Object.groupBy(cases, (one) => (isShown(one) ? "shown" : "rest"));
  const { passed = [], others = [] } = Object.groupBy(rest, (one) =>
    one.verdict === "passed" && one.isMinor !== true ? "passed" : "others",
  );
  const { findings: lang } = words;
  const named = heading === undefined ? html`<${Told} lang=${lang}>${suite.name}<//>: ` : "";
  const sections = Map.groupBy(inOrder(shown), ({ section }) => section);
  return html`<section>
    ${
      heading !== undefined &&
      html`<h2>
        <${Told} lang=${lang}><${Name} name=${heading} /><//>
        ${verdict !== undefined && html` <${Mark} one=${{ verdict, label }} words=${words} />`}
      </h2>`
    }
    ${remark !== undefined && html`<p class="soft wrap" lang=${lang}>${remark}</p>`}
    ${paragraphs(intro, lang)}
    ${evidence.map((one) => html`<${Proof} evidence=${one} words=${words} prefix=${prefix} />`)}
    ${Array.from(
      sections,
      ([section, own]) =>
        html`${section !== undefined && html`<h3><${Told} lang=${lang}>${section}<//> <span class="soft">${own.length}</span></h3>`}
        ${byCause(own).map((group) => html`<${Finding} group=${group} words=${words} prefix=${prefix} />`)}`,
    )}
    ${folded(html`${named}${words.passed(passed.length)}`, passed, words)}
    ${folded(html`${named}${words.others(others.length)}`, others, words)} ${paragraphs(end, lang)}
  </section>`;
}

/** Returns true if a row of a table can show the whole case. */
function isPlain({ isMinor, evidence = [], warnings = [] }: Case): boolean {
  return isMinor === true || evidence.length + warnings.length === 0;
}

const RANKS = ["✗", "?", "!", "-", "✓"];

/** Sorts failures first. */
function inOrder(cases: readonly Case[]): Case[] {
  return cases.toSorted((one, other) => RANKS.indexOf(markOf(one)) - RANKS.indexOf(markOf(other)));
}

const TONES = { passed: "good", failed: "bad", undecided: "waiting", skipped: "neutral" } as const;

/** Shows a verdict in its colour, with the word of the tool. */
function Mark({
  one,
  words,
}: {
  readonly one: Pick<Case, "verdict" | "label" | "summary">;
  readonly words: PageWords;
}): Content {
  const tone = markOf(one) === "!" ? "waiting" : TONES[one.verdict];
  return html`<${Badge}
    status=${one.verdict}
    tone=${tone}
    label=${words.label(one.label ?? WORDS[one.verdict])}
  />`;
}

function Finding({
  group: { first, others },
  words,
  prefix,
}: Required<PageOptions> & { readonly group: CauseGroup }): Content {
  const { name, title = name, remark, summary, reasons, evidence = [], warnings = [], anchor } = first;
  const why = reasons ?? (summary === undefined ? [] : [summary]);
  const { findings: lang } = words;
  return html`<article class="card" id=${anchor && prefix + anchor}>
    <h3>
      <${Told} lang=${lang}><${Name} name=${title} /><//> <${Mark} one=${first} words=${words} />
    </h3>
    ${remark !== undefined && html`<p class="soft wrap" lang=${lang}>${remark}</p>`}
    ${paragraphs(
      why.flatMap((text) => text.split("\n")),
      lang,
    )}
    ${evidence.map((one) => html`<${Proof} evidence=${one} words=${words} prefix=${prefix} />`)}
    ${warnings.length > 0 && html`<pre class="wrapped" lang=${lang}>${warnings.join("\n")}</pre>`}
    ${
      others.length > 0 &&
      html`<p>${words.sameCause(others.length)}:</p>
        <ul class="points">
          ${others.map(
            (one) =>
              html`<li id=${one.anchor && prefix + one.anchor} lang=${lang}>
                <${Name} name=${one.title ?? one.name} /> <span class="soft">${one.remark}</span>
              </li>`,
          )}
        </ul>`
    }
  </article>`;
}

function Proof({
  evidence: { title, lines, draw },
  words,
  prefix,
}: Required<PageOptions> & { readonly evidence: Evidence }): Content {
  const { findings: lang } = words;
  const drawn = draw?.(prefix, words) ?? html`<pre class="wrapped">${lines.join("\n")}</pre>`;
  return html`${title !== undefined && html`<h4 lang=${lang}><${Name} name=${title} /></h4>`}
  ${lang === undefined ? drawn : html`<div lang=${lang}>${drawn}</div>`}`;
}

function folded(summary: Content, cases: readonly Case[], words: PageWords): Content {
  if (cases.length === 0) return "";
  const rows = cases.map((one) => [
    html`<${Told} lang=${words.findings}><${Name} name=${one.title ?? one.name} /><//>`,
    html`<${Mark} one=${one} words=${words} />`,
    html`<${Told} lang=${words.findings}
      >${one.summary ?? warningText(one) ?? one.remark ?? one.reasons?.join("; ") ?? ""}<//
    >`,
  ]);
  return html`<details>
    <summary>${summary}</summary>
    <${Table} columns=${words.columns} rows=${rows} />
  </details>`;
}

interface Page {
  readonly title: string;
  readonly content: Content;
  /** The language of the page. The default is en. */
  readonly lang?: string;
}

/** Writes an HTML file without outside references and without scripts. */
export function htmlPage({ title, content, lang = "en" }: Page): string {
  const style = readFileSync(new URL("../pages/html/base.css", import.meta.url), "utf8");
  const page = html`<html lang=${lang}>
    <head>
      <meta charset="utf-8" />
      <meta
        http-equiv="content-security-policy"
        content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
      />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${title}</title>
      <style dangerouslySetInnerHTML=${{ __html: style }} />
    </head>
    <body class="report">
      <main>${content}</main>
    </body>
  </html>`;
  return `<!doctype html>\n${renderToString(page)}\n`;
}
