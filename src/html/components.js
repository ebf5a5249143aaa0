// @ts-check
// What the pages and the reports of tools are drawn with, in browsers and, as text, in Node.
import { html } from "./preact.js";

/** @import { ComponentChildren as Children } from "preact" */
/** @typedef {"good" | "bad" | "waiting" | "neutral"} Tone */

/** What is no status of an object, by its tone: results, clocks, books. @type {Record<string, Tone>} */
const TONES = {
  balanced: "good",
  passed: "good",
  running: "good",
  "not-sent": "bad",
  failed: "bad",
  unbalanced: "bad",
  frozen: "neutral",
};

/**
 * The tone of a status: ended well, ended badly, ended without either, or still waiting for something.
 *
 * @param {string} status
 * @param {readonly { readonly ends: Readonly<Record<string, Tone>> }[]} [collections]
 * @returns {Tone}
 */
export function toneOf(status, collections = []) {
  return collections.find(({ ends }) => ends[status])?.ends[status] ?? TONES[status] ?? "waiting";
}

/** A status in the colour of its tone, in other words where a label has them. @param {{ status: string, tone?: Tone, label?: string }} props */
export function Badge({ status, tone = toneOf(status), label = status }) {
  return html`<span class="badge ${tone}">${label}</span>`;
}

/** A name such as `SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED` or a path, which may wrap at its joints. @param {{ name: string }} props */
export function Name({ name }) {
  const [first, ...others] = name.split(/(?<=[._/])/);
  return html`<bdi>${first}${others.map((part) => html`<wbr />${part}`)}</bdi>`;
}

/** Shown in place of a list that is empty. @param {{ children?: Children }} props */
export function Empty({ children }) {
  return html`<p class="nothing">${children}</p>`;
}

/** What may be wider than the page, and scrolls then. @param {{ label: string, children?: Children }} props */
export function Scroll({ label, children }) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}>${children}</div>`;
}

/**
 * A table; a number column is aligned to the right. On a narrow page each row is a block, with the titles of its cells.
 *
 * @param {{ columns: readonly (string | { title: string, number: true })[], rows: readonly (readonly Children[])[] }} props
 */
export function Table({ columns, rows }) {
  const heads = columns.map((column) =>
    typeof column === "string" ? { title: column } : { title: column.title, class: "number" },
  );
  return html`<div class="scroll" tabindex="0">
    <table class="stacked">
      <thead>
        <tr>
          ${heads.map(({ title, ...head }) => html`<th scope="col" ...${head}>${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map(
                (cell, index) =>
                  html`<td data-title=${heads[index]?.title} class=${heads[index]?.class}>${cell}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A command to copy into a terminal. @param {{ text: string, children?: Children }} props */
export function Command({ text, children }) {
  return html`<div class="command">
    <pre class="wrapped" tabindex="0" aria-label="Command">${text}</pre>
    ${children}
  </div>`;
}

/** Names and values, one below the other. @param {{ facts: Readonly<Record<string, Children>> }} props */
export function Facts({ facts }) {
  return html`<dl class="facts">
    ${Object.entries(facts).map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}
