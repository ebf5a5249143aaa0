// @ts-check
import { brasilia } from "./time.js";
import { el } from "./dom.js";
import { formatAddress } from "./address.js";
import { notify } from "./notices.js";
import { shortId, toneOf } from "./words.js";

/**
 * A state, coloured by what it means.
 *
 * @param {string} status
 */
export function badge(status) {
  return el(`span.badge.${toneOf(status)}`, {}, status);
}

/**
 * An instant in Brasília's time; UTC, as the interface writes it, is behind it.
 *
 * @param {string | null | undefined} instant
 * @param {{ dated?: boolean }} [options] whether the day is said too
 */
export function when(instant, { dated = true } = {}) {
  if (!instant || Number.isNaN(Date.parse(instant))) return el("span.soft", {}, "—");
  const { shortDate, time } = brasilia(instant);
  return el("time", { datetime: instant, title: instant }, dated ? `${shortDate} ${time}` : time);
}

/**
 * How long it is until an instant; it counts down by itself.
 *
 * @param {string} instant
 */
export function until(instant) {
  return el("span.until", { "data-until": instant, title: instant });
}

/**
 * A button that copies a text.
 *
 * @param {string} text
 * @param {string} [label]
 */
export function copyButton(text, label = "Copy") {
  return el("button.quiet", { onclick: () => void copy(text), title: "Copy to the clipboard" }, label);
}

/**
 * A text in a fixed width with a way to copy it.
 *
 * @param {string} text
 */
export function copyable(text) {
  return el("button.bare.copyable", { onclick: () => void copy(text), title: "Copy" }, text);
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notify("Copied.");
  } catch {
    notify("Failed to copy: the browser does not allow it here. Select the text instead.", { tone: "bad" });
  }
}

/**
 * A link to an object, whatever collection it is in.
 *
 * @param {string} id
 * @param {string} [collection]
 */
export function objectLink(id, collection = "find") {
  return el("a.id", { href: formatAddress({ view: collection, id }), title: id }, shortId(id));
}

/**
 * A name such as `SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED`, which may go on in the next line at its joints.
 *
 * @param {string} name
 */
export function jointed(name) {
  const parts = name.split(/(?<=[._])/);
  return el("span", {}, ...parts.flatMap((part, index) => (index === 0 ? [part] : [el("wbr"), part])));
}

/**
 * A heading of a pane, with what can be done there at its side.
 *
 * @param {string} title
 * @param {...import("./dom.js").Child} side
 */
export function heading(title, ...side) {
  return el("header.heading", {}, el("h2", {}, jointed(title)), el("div.side", {}, ...side));
}

/**
 * What stands where there is nothing.
 *
 * @param {string} sentence
 */
export function nothing(sentence) {
  return el("p.nothing", {}, sentence);
}

/**
 * A table; a column may be a number column, aligned to the right.
 *
 * @param {readonly (string | { title: string, number: true })[]} columns
 * @param {readonly (readonly import("./dom.js").Child[])[]} rows
 */
export function table(columns, rows) {
  const kinds = columns.map((column) => (typeof column === "string" ? "" : ".number"));
  const titles = columns.map((column) => (typeof column === "string" ? column : column.title));
  return el(
    "div.scroll",
    {},
    el(
      "table",
      {},
      el(
        "thead",
        {},
        el("tr", {}, ...titles.map((title, index) => el(`th${kinds[index]}`, { scope: "col" }, title))),
      ),
      el(
        "tbody",
        {},
        ...rows.map((row) =>
          el("tr", {}, ...row.map((cell, index) => el(`td${kinds[index] ?? ""}`, {}, cell))),
        ),
      ),
    ),
  );
}

/**
 * A button that asks again before it does what cannot be undone.
 *
 * @param {string} label
 * @param {string} question
 * @param {() => void} sure
 */
export function sureButton(label, question, sure) {
  /** @type {number | undefined} */
  let waiting;
  const button = el(
    "button.danger",
    {
      onclick: () => {
        if (waiting === undefined) {
          button.textContent = question;
          button.classList.add("asking");
          waiting = setTimeout(calm, 4000);
          return;
        }
        clearTimeout(waiting);
        calm();
        sure();
      },
    },
    label,
  );
  function calm() {
    waiting = undefined;
    button.textContent = label;
    button.classList.remove("asking");
  }
  return button;
}
