import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";

/** A part of the page; values in it are escaped. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;

/** An entry of the page under its heading: the explanation at the left, the commands and their answers at the right. */
export interface ContentsEntry {
  readonly id: string;
  readonly title: string;
  readonly text: Markup;
  readonly samples?: Markup;
}

export function entryView({ id, title, text, samples }: ContentsEntry): Markup {
  return html`<section id="${id}" class="operation">
    <div class="text">
      <h3><a href="#${id}">${title}</a></h3>
      ${text}
    </div>
    ${samples !== undefined && html`<div class="samples">${samples}</div>`}
  </section>`;
}

/** Marks a part that the platform API does not define, with a link to the sandbox's assumption. */
export function assumptionMark(id: string | undefined): Markup | "" {
  if (id === undefined) return "";
  return html`<a class="assumed" href="#assumption.${id}" title="Not defined by the platform API: assumed"
    >${id}</a
  >`;
}

/**
 * Shows a description of a document: names in backticks as code, and links, which lead to other pages, as their text.
 */
export function prose(text = ""): Markup[] {
  const pieces = text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1").split("`");
  return pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`));
}

/** Longer texts, such as images in base64, are cut in examples of answers. */
const TEXT_MAX = 160;

/** Shows an example as JSON. */
export function jsonView(value: unknown): Markup {
  return html`<pre class="code" tabindex="0"><code>${JSON.stringify(value, shortened, 2) ?? ""}</code></pre>`;
}

function shortened(_: string, value: unknown): unknown {
  return typeof value === "string" && value.length > TEXT_MAX ? `${value.slice(0, TEXT_MAX)}…` : value;
}

/** Shows text to run or to copy, as it is. A sample with an id is shown in the language that the reader chooses. */
export function codeView(text: string, label: string, sample?: string): Markup {
  return html`<figure class="command" ${sample !== undefined && html`data-sample="${sample}"`}>
    <figcaption>${label}</figcaption>
    <pre class="code" tabindex="0"><code>${text}</code></pre>
  </figure>`;
}
