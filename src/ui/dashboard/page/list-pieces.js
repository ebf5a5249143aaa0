// @ts-check
import { el } from "./dom.js";
import { SHOWN_MAX } from "./view.js";

/** @typedef {import("./view.js").Context} Context */

/**
 * The search of a list; what is typed goes into the address.
 *
 * @param {Context} context
 * @param {string} what
 */
export function searchField({ address, filter }, what) {
  return el("input", {
    type: "search",
    "data-keep": "search",
    "data-search": true,
    placeholder: `Search ${what}  /`,
    "aria-label": `Search ${what}`,
    value: address.query["q"] ?? "",
    oninput: ({ target }) => filter({ q: target.value }),
  });
}

/**
 * A choice that filters a list; what is chosen goes into the address.
 *
 * @param {Context} context
 * @param {string} name of the query parameter
 * @param {string} label
 * @param {readonly string[]} choices
 */
export function choiceField({ address, filter }, name, label, choices) {
  const chosen = address.query[name] ?? "";
  const options = choices.map((choice) =>
    el("option", { value: choice, selected: choice === chosen }, choice),
  );
  return el(
    "select",
    { "data-keep": name, "aria-label": label, onchange: ({ target }) => filter({ [name]: target.value }) },
    el("option", { value: "" }, label),
    ...options,
  );
}

/**
 * Says how many there are, where the list does not show them all.
 *
 * @param {number} found
 * @param {number} all
 */
export function tally(found, all) {
  if (all > SHOWN_MAX)
    return el("p.tally", {}, `The newest ${SHOWN_MAX} of ${all} are looked at: ${found} match.`);
  return found === all ? null : el("p.tally", {}, `${found} of ${all}`);
}
