// @ts-check
// The components of the pages and of the reports. They run in browsers, and in Node to write reports.
import { html } from "./preact.js";

/** @import { ComponentChildren as Children } from "preact" */
/** @typedef {"good" | "bad" | "waiting" | "neutral"} Tone */

/** The tones of results, clocks and books. The tones of objects come from their collections. @type {Record<string, Tone>} */
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
 * Returns the tone of a status: good or bad for an end, neutral for any other end, waiting for the rest.
 *
 * @param {string} status
 * @param {readonly { readonly ends: Readonly<Record<string, Tone>> }[]} [collections]
 * @returns {Tone}
 */
export function toneOf(status, collections = []) {
  return collections.find(({ ends }) => ends[status])?.ends[status] ?? TONES[status] ?? "waiting";
}

/** A status in the colour of its tone. `label` is shown in place of the status. @param {{ status: string, tone?: Tone, label?: string }} props */
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

/** A box for content that may be wider than the page. It scrolls. @param {{ label: string, children?: Children }} props */
export function Scroll({ label, children }) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}>${children}</div>`;
}

/** A table. Number columns are aligned to the right. On a narrow page each row is a block that repeats the column titles.
 *
 * @param {{ columns: readonly (string | { title: string, number: true })[], rows: readonly (readonly Children[])[], label?: string }} props
 */
export function Table({ columns, rows, label }) {
  const heads = columns.map((column) =>
    typeof column === "string" ? { title: column } : { title: column.title, class: "number" },
  );
  return html`<div class="scroll" tabindex="0">
    <table class="stacked" aria-label=${label}>
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
