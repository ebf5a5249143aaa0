// @ts-check
import { choiceField, searchField } from "./list-pieces.js";
import { el } from "./dom.js";
import { heading, nothing } from "./pieces.js";
import { matches } from "./words.js";

/** @typedef {{ covered: number, total: number, percent: number, rows: { name: string, count: number }[] }} Area */

/** What of all that can happen did happen in this world. @type {import("./view.js").View} */
export const coverageView = { title: "Coverage", list: sections };

/** @param {import("./view.js").Context} context */
async function sections(context) {
  const { covered, total, percent, areas } = await context.api.get("/coverage");
  const { q = "", kind = "" } = context.address.query;
  return [
    {
      key: "coverage.head",
      data: [covered, total, context.address.query],
      build: () => [
        heading("Coverage", el("b", {}, `${percent} %`)),
        el(
          "p.soft",
          {},
          `This world went through ${covered} of ${total}: transitions, events, errors, assumptions, faults. What is not covered yet, no test of yours has seen.`,
        ),
        el(
          "div.filters",
          {},
          searchField(context, "coverage"),
          choiceField(context, "kind", "all", ["not covered", "covered"]),
        ),
      ],
    },
    ...Object.entries(/** @type {Record<string, Area>} */ (areas)).map(([name, area]) => ({
      key: `coverage.${name}`,
      data: [area, q, kind],
      build: () => areaSection(name, area, { q, kind }),
    })),
  ];
}

/**
 * @param {string} name
 * @param {Area} area
 * @param {{ q: string, kind: string }} wanted
 */
function areaSection(name, { covered, total, rows }, { q, kind }) {
  const found = rows.filter(
    ({ name, count }) => matches(q, name) && (kind === "" || count > 0 === (kind === "covered")),
  );
  return [
    el(
      "h3",
      {},
      name,
      el("span.soft", {}, `${covered} of ${total}`),
      el("meter", { min: 0, max: total, value: covered, "aria-label": `${name}: ${covered} of ${total}` }),
    ),
    found.length === 0
      ? nothing("None of them.")
      : el(
          "ul.covered",
          {},
          ...found.map(({ name, count }) =>
            el(
              count > 0 ? "li" : "li.none",
              {},
              el("span", {}, name),
              el("span.count", {}, count > 0 ? `× ${count}` : "–"),
            ),
          ),
        ),
  ];
}
