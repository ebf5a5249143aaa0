import { api, app } from "./app.js";
import { ListView, Tally } from "./components.js";
import { matches, valueText } from "./text.js";
import { html } from "../../html/preact.js";

/** @import { ListedAssumption as Assumption } from "../../../simulator/api/generated/shapes.ts" */

/** The questions that the platform API leaves open, and this world's answers. @type {import("./page-data.ts").View} */
export const assumptionsView = {
  title: "Assumptions",
  load: async () => (await api.ask("GET /sandbox/assumptions")).data,
  List,
};

/** @param {{ data: readonly Assumption[] }} props */
function List({ data }) {
  const { q = "", kind = "" } = app.address.query;
  const found = data.filter(
    (one) => isOfKind(one, kind) && matches(q, one.id, one.says, one.leavesOpen, one.because),
  );
  return html`<${ListView}
    title="Assumptions"
    intro="Open points of the platform API, and the behaviour of this sandbox. An assumption with a value can be set when a world is created."
    search="assumptions"
    filters=${[["kind", "all", ["set differently", "can be set"]]]}
    tally=${html`<${Tally} found=${found.length} all=${data.length} />`}
    rows=${found.map((one) => html`<${AssumptionRow} key=${one.id} assumption=${one} />`)}
    none="Nothing matches."
  />`;
}

/** @param {Assumption} assumption @param {string} kind */
function isOfKind(assumption, kind) {
  if (kind === "can be set") return assumption.settable;
  return kind === "" || isSet(assumption);
}

/** Returns true if the value differs from the default. @param {Assumption} assumption */
function isSet({ value, default: preset }) {
  return JSON.stringify(value) !== JSON.stringify(preset);
}

/** @param {{ assumption: Assumption }} props */
function AssumptionRow({ assumption }) {
  const { id, settable, value, default: preset, says, leavesOpen, because } = assumption;
  const shown = isSet(assumption)
    ? html`<span class="badge waiting">${valueText(value)}</span>`
    : html`<code>${valueText(value)}</code>`;
  return html`<details class="row">
    <summary>
      <span class="line">
        <b>${id}</b>
        <span class="buttons">${settable && shown}</span>
      </span>
      <span class="soft">${says}</span>
    </summary>
    <p><b>Left open:</b>${` ${leavesOpen}`}</p>
    <p><b>Because:</b>${` ${because}`}</p>
    ${isSet(assumption) && html`<p><b>Default:</b>${` ${valueText(preset)}`}</p>`}
  </details>`;
}
