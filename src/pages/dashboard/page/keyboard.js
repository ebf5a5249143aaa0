import { app } from "./app.js";
import { parseAddress } from "./address.js";
import { Dialog, Facts } from "./components.js";
import { html } from "../../html/preact.js";

/** The keys in the order of the help. */
const HELP = [
  ["/", "search"],
  ["j, k", "open the next or the previous entry"],
  ["r", "resend the shown delivery"],
  ["n", "advance to the next timer that is due"],
  ["Enter", "open the entry of the row"],
  ["Esc", "close the entry"],
  ["?", "this help"],
];

/**
 * Gives the keyboard the functions of the mouse. Keys with a modifier and keys typed into a field do nothing
 * here.
 *
 * @param {{ close: () => void, next: () => void, help: () => void }} actions
 */
export function listenToKeys({ close, next, help }) {
  /** @type {Record<string, () => void>} */
  const keys = {
    "/": () => element("[data-search]")?.focus(),
    j: () => move(1),
    k: () => move(-1),
    r: () => element("[data-resend]")?.click(),
    n: next,
    "?": help,
    Escape: close,
  };
  document.addEventListener("keydown", (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || document.querySelector("dialog[open]") !== null) return;
    if (target instanceof HTMLElement && target.matches("input, select, textarea")) {
      if (key === "Escape") target.blur();
      return;
    }
    const act = keys[key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}

/** @param {string} selector */
function element(selector) {
  const found = document.querySelector(selector);
  return found instanceof HTMLElement ? found : undefined;
}

/**
 * Opens the entry after or before the row with the focus, otherwise after or before the open entry. The focus moves along: in the list to the row, in the detail to
 * the heading of the entry.
 *
 * @param {1 | -1} step
 */
function move(step) {
  const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#list [data-row]")]);
  // The address changes at once, and the rows only after the entry was loaded.
  const { id } = parseAddress(location.hash);
  const focused = rows.findIndex((row) => row === document.activeElement);
  const present = focused >= 0 || id === undefined ? focused : rows.findIndex((row) => idOf(row) === id);
  const index = present < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, present + step));
  const next = rows[index];
  if (next === undefined || index === present) return;
  const isInDetail = document.activeElement?.closest("#detail");
  if (!isInDetail) next.focus();
  if (idOf(next) !== id) {
    next.click();
    if (!isInDetail) app.walkedTo = idOf(next);
  }
  next.scrollIntoView({ block: "nearest" });
}

/** Returns the id of the entry that a row opens. @param {HTMLElement} row */
function idOf(row) {
  return parseAddress(row.getAttribute("href") ?? "").id;
}

/** @param {{ closed: () => void }} props */
export function KeyboardHelp({ closed }) {
  return html`<${Dialog} title="Keys" submit="Close" closed=${closed}>
    <${Facts} facts=${Object.fromEntries(HELP)} />
  <//>`;
}
