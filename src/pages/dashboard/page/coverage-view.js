import { api, app } from "./app.js";
import { Empty, ListView } from "./components.js";
import { html } from "../../html/preact.js";
import { matches } from "./text.js";

/** @typedef {{ covered: number, total: number, rows: { name: string, count: number }[] }} Area */

/**
 * The share of all possible behaviour that was exercised in this world.
 *
 * @type {import("./page-data.ts").View}
 */
export const coverageView = { title: "Coverage", load: () => api.ask("GET /sandbox/coverage"), List };

/** @param {{ data: { covered: number, total: number, percent: number, areas: Record<string, Area> } }} props */
function List({ data: { covered, total, percent, areas } }) {
  return html`<${ListView}
    title="Coverage"
    side=${html`<b>${percent} %</b>`}
    intro=${`${covered} of ${total} happened in this world: transitions, events, errors, assumptions and faults. Your tests have not reached the others yet.`}
    search="coverage"
    filters=${[["kind", "all", ["not covered", "covered"]]]}
    rows=${Object.entries(areas).map(([name, area]) => html`<${AreaSection} key=${name} name=${name} ...${area} />`)}
  />`;
}

/** @param {Area & { name: string }} props */
function AreaSection({ name: area, covered, total, rows }) {
  const { q = "", kind = "" } = app.address.query;
  const found = rows.filter(
    ({ name, count }) => matches(q, name) && (kind === "" || count > 0 === (kind === "covered")),
  );
  const share = `${covered} of ${total}`;
  return html`<div class="title">
      <h3>${area} <span class="soft">${share}</span></h3>
      <meter min="0" max=${total} value=${covered} aria-label="${area}: ${share}" />
    </div>
    ${found.length === 0 && html`<${Empty}>None of them.<//>`}
    <ul class="covered">
      ${found.map(
        ({ name, count }) =>
          html`<li key=${name} class=${count > 0 ? undefined : "soft"}>
            <span>${name}</span><span class="count">${count > 0 ? `× ${count}` : "–"}</span>
          </li>`,
      )}
    </ul>`;
}
