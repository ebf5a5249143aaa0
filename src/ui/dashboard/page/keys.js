// @ts-check
import { el } from "./dom.js";

/** What the keys do, in the order in which they are told. */
const HELP = [
  ["/", "search"],
  ["j, k", "the next and the previous of the list"],
  ["r", "resend the delivery that is shown"],
  ["n", "advance to whatever is due next"],
  ["Esc", "close what is chosen"],
  ["?", "this help"],
];

/**
 * Lets the keyboard do what the mouse does. Keys with a modifier, and those typed into a field, are left alone.
 *
 * @param {{ close: () => void, next: () => void }} does
 */
export function listenToKeys({ close, next }) {
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

/** @param {1 | -1} step */
function move(step) {
  const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#list [data-row]")]);
  const present = rows.findIndex((row) => row.getAttribute("aria-current") === "true");
  const next = rows[present < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, present + step))];
  next?.click();
  next?.scrollIntoView({ block: "nearest" });
}

function help() {
  const rows = HELP.flatMap(([key = "", what = ""]) => [
    el("dt", {}, el("kbd", {}, key)),
    el("dd", {}, what),
  ]);
  const dialog = /** @type {HTMLDialogElement} */ (el("dialog", { onclose: () => dialog.remove() }));
  dialog.append(
    el(
      "form",
      { method: "dialog" },
      el("h2", {}, "Keys"),
      el("dl.facts", {}, ...rows),
      el("button.primary", {}, "Close"),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
