import { type Certificate, type CertifiedPart, missingIn, type ProvenPart } from "./certificate.ts";
import { hasProblem, reportOf, shortReport, wholeReport } from "./proven-part.ts";
import type { ComponentChildren as Content } from "preact";
import { htmlPage, reportContent } from "../../reports/page.ts";
import { managersParagraph, scopeText, wordsOf } from "./paragraph.ts";
import type { Words } from "./words.ts";
import { Badge, Table } from "../../pages/html/components.js";
import { githubAnnotations } from "../../reports/github.ts";
import { html } from "../../pages/html/preact.js";
import { junitXml } from "../../reports/junit.ts";
import { markdownSummary } from "../../reports/markdown.ts";
import { prettyText } from "../../reports/pretty.ts";

/** A certificate with the reports of its parts. */
export interface Proof {
  readonly certificate: Certificate;
  readonly parts: readonly ProvenPart[];
}

/** The formats of the result. */
export const certificateReports = {
  pretty: ({ certificate }: Proof, isColoured = false) => prettyText(shortReport(certificate), isColoured),
  json: ({ certificate }: Proof) => `${JSON.stringify(certificate, null, 2)}\n`,
  junit: ({ certificate, parts }: Proof) => junitXml(wholeReport(certificate, parts)),
  github: ({ certificate, parts }: Proof) => githubAnnotations(wholeReport(certificate, parts)),
  markdown: ({ certificate, parts }: Proof) => markdownSummary(wholeReport(certificate, parts)),
  html: certificatePage,
} as const;

export const certificateFormats = Object.keys(certificateReports) as (keyof typeof certificateReports)[];

const TONES = { passed: "good", failed: "bad", "not-judged": "waiting" } as const;

/** Writes the document: the verdict, one section for each report, and how to repeat it. */
export function certificatePage({ certificate, parts }: Proof): string {
  const { verdict, versions, seed, assumptions, digest, repeat } = certificate;
  const { partner, date, capabilities, language } = certificate;
  const words = wordsOf(language);
  const facts = [
    ...(partner === undefined ? [] : [[words.facts.partner, partner]]),
    [words.facts.date, date],
    [words.facts.scope, scopeText(capabilities, words)],
    ...Object.entries(versions).map(([name, version]) => [name, version ?? ""]),
    [words.facts.seed, String(seed)],
    ...Object.entries(assumptions).map(([id, value]) => [id, JSON.stringify(value)]),
    [words.facts.digest, digest],
  ];
  const title = words.title[verdict];
  const sorted = failuresFirst(parts);
  const rows = sorted.map((part) => [
    titleOf(part, words),
    html`<${Badge}
      status=${part.verdict}
      tone=${TONES[part.verdict]}
      label=${words.verdicts[part.verdict]}
    />`,
    words.summary(part.counted),
  ]);
  const missing = missingIn(parts).map(words.missingPoint);
  const content = html`<h1>${title}</h1>
    ${partner !== undefined && html`<p class="soft">${words.of(partner)}</p>`}
    <p>${managersParagraph(certificate)}</p>
    ${section(words.checked, table(words.columns, rows))}
    ${words.findings !== undefined && html`<p class="soft">${words.findings}</p>`}
    ${sorted.map((part, position) => partSection(part, position, words))}
    ${section(words.missing, missing.length === 0 ? html`<p>${words.nothing}</p>` : list(missing))}
    ${section(words.how, table(words.factColumns, facts))}
    ${section(
      words.repeat,
      html`<p>${words.secret}</p>
        <pre class="wrapped">${repeat.join("\n")}</pre>`,
    )}`;
  return htmlPage({ title: `sandbank: ${title}`, content, lang: language });
}

const RANKS = ["failed", "not-judged", "passed"];

/** Sorts failures first, then the parts without a verdict. */
function failuresFirst(parts: readonly ProvenPart[]): ProvenPart[] {
  const rank = ({ verdict }: ProvenPart): number => RANKS.indexOf(verdict);
  return parts.toSorted((one, other) => rank(one) - rank(other));
}

function titleOf({ name, of }: CertifiedPart, { parts }: Words): string {
  return of === undefined ? parts[name] : `${parts[name]}: ${of}`;
}

/** Draws the report of a part. A part that passed is folded. */
function partSection(part: ProvenPart, position: number, words: Words): Content {
  const { verdict, reasons } = part;
  const found = reportOf(part);
  // The cases of a report say why each of them did not pass.
  const listed = reasons.length === 0 || hasProblem(found.suites) ? "" : list(reasons, words.page.findings);
  const content = html`${listed}${reportContent(found, { words: words.page, prefix: `part-${position}-` })}`;
  const title = titleOf(part, words);
  if (verdict !== "passed") return section(title, content);
  return html`<details>
    <summary>${title}</summary>
    ${content}
  </details>`;
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

function list(items: readonly string[], lang?: string): Content {
  return html`<ul class="points" lang=${lang}>
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`;
}
