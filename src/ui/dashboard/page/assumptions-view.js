// @ts-check
import { el } from "./dom.js";
import { heading, nothing } from "./pieces.js";
import { matches } from "./words.js";
import { choiceField, searchField, tally } from "./list-pieces.js";

/** What the interface leaves open, and what this world goes by. @type {import("./view.js").View} */
export const assumptionsView = { title: "Assumptions", list: sections };

/** @param {import("./view.js").Context} context */
async function sections(context) {
  const { data } = await context.api.get("/assumptions");
  const { q = "", kind = "" } = context.address.query;
  const found = data.filter(
    (/** @type {any} */ one) =>
      isOfKind(one, kind) && matches(q, one["id"], one["says"], one["leavesOpen"], one["because"]),
  );
  return [
    {
      key: "assumptions.head",
      data: [context.address.query, found.length],
      build: () => [
        heading("Assumptions"),
        el(
          "p.soft",
          {},
          "What the interface does not show, this sandbox decides in the open. Those with a value can be set when a world is made.",
        ),
        el(
          "div.filters",
          {},
          searchField(context, "assumptions"),
          choiceField(context, "kind", "all", ["set differently", "can be set"]),
        ),
        found.length === data.length ? null : tally(found.length, data.length),
      ],
    },
    {
      key: "assumptions.rows",
      data: found,
      build: () => (found.length === 0 ? nothing("Nothing matches.") : found.map(row)),
    },
  ];
}

/**
 * @param {any} assumption
 * @param {string} kind
 */
function isOfKind({ settable, value, default: preset }, kind) {
  if (kind === "can be set") return settable;
  return kind === "" || JSON.stringify(value) !== JSON.stringify(preset);
}

/** @param {any} assumption */
function row({ id, settable, value, default: preset, says, leavesOpen, because }) {
  const differs = JSON.stringify(value) !== JSON.stringify(preset);
  return el(
    "details.row",
    { "data-keep": id },
    el(
      "summary",
      {},
      el(
        "span.line",
        {},
        el("b", {}, id),
        settable && el(differs ? "span.badge.waiting" : "code", {}, shown(value)),
      ),
      el("span.soft", {}, says),
    ),
    el("p", {}, el("b", {}, "Left open: "), leavesOpen),
    el("p", {}, el("b", {}, "Because: "), because),
    differs && el("p", {}, el("b", {}, "Unless set: "), shown(preset)),
  );
}

/** @param {unknown} value */
function shown(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}
