// @ts-check
import { badge, heading, nothing, when } from "./pieces.js";
import { collections, summaryOf } from "./collections.js";
import { choiceField, searchField, tally } from "./list-pieces.js";
import { el } from "./dom.js";
import { formatAddress } from "./address.js";
import { matches, shortId } from "./words.js";
import { objectSections } from "./object-view.js";
import { SHOWN_MAX } from "./view.js";

/** @typedef {import("./view.js").Context} Context */
/** @typedef {import("./collections.js").Summary} Summary */

/**
 * The view of a collection: its objects, and beside them the one that is chosen.
 *
 * @param {string} collection
 * @returns {import("./view.js").View}
 */
export function resourcesView(collection) {
  const { title = collection, one = "object" } = collections[collection] ?? {};
  return {
    title,
    list: (context) => listSections(context, collection, title),
    detail: (context, id) => objectSections(context, { collection, one, id }),
  };
}

/**
 * @param {Context} context
 * @param {string} collection
 * @param {string} title
 */
async function listSections(context, collection, title) {
  const { api, address } = context;
  const { q = "", status = "" } = address.query;
  const [{ data }, { data: counts }] = await Promise.all([
    api.get(`/resources/${collection}?last=${SHOWN_MAX}`),
    api.get("/resources"),
  ]);
  const all = counts.find((/** @type {any} */ one) => one.collection === collection)?.count ?? data.length;
  const found = data.filter(
    (/** @type {any} */ thing) => (status === "" || thing.status === status) && matches(q, thing),
  );
  const rows = found.map(summaryOf).reverse();
  const states = [...new Set(data.map((/** @type {any} */ thing) => String(thing.status)))].sort(
    (one, other) => one.localeCompare(other),
  );
  return [
    {
      key: `${collection}.head`,
      data: [states, address.query, found.length, all],
      build: () => [
        heading(title),
        el(
          "div.filters",
          {},
          searchField(context, title.toLowerCase()),
          choiceField(context, "status", "any state", states),
        ),
        tally(found.length, all),
      ],
    },
    {
      key: `${collection}.rows`,
      data: [rows, address.id, address.query],
      build: () => [
        ...rows.map((/** @type {Summary} */ row) => rowOf(row, context.address)),
        rows.length === 0 && nothing(all === 0 ? emptySentence(title) : "Nothing matches the search."),
      ],
    },
  ];
}

/**
 * @param {Summary} summary
 * @param {Context["address"]} address
 */
function rowOf({ id, status, title, note, amount, at }, { view, id: chosen, query }) {
  return el(
    "a.row",
    {
      href: formatAddress({ view, id, query }),
      "data-row": true,
      "aria-current": id === chosen ? "true" : null,
    },
    el("span.line", {}, el("b", {}, title), badge(status)),
    el(
      "span.line.soft",
      {},
      el("span", {}, el("code", {}, shortId(id)), note && ` ${note}`),
      el("span", {}, amount, amount && at && " · ", at && when(at)),
    ),
  );
}

/** @param {string} title */
function emptySentence(title) {
  return `No ${title.toLowerCase()} yet. What your integration creates shows up here at once.`;
}
