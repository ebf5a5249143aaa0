// @ts-check
import { api, app } from "./app.js";
import { ChoiceField, Empty, Heading, SearchField, Tally } from "./components.js";
import { html } from "./preact.js";
import { matches } from "./text.js";

/** @typedef {{ id: string, settable: boolean, value: unknown, default: unknown, says: string, leavesOpen: string, because: string }} Assumption */

/** What the interface leaves open, and what this world does about it. @type {import("./app.js").View} */
export const assumptionsView = {
  title: "Assumptions",
  load: async () => (await api.get("/assumptions")).data,
  List,
};

/** @param {{ data: readonly Assumption[] }} props */
function List({ data }) {
  const { q = "", kind = "" } = app.address.query;
  const found = data.filter(
    (one) => isOfKind(one, kind) && matches(q, one.id, one.says, one.leavesOpen, one.because),
  );
  return html`<section>
      <${Heading} title="Assumptions" />
      <p class="soft">
        What the interface does not define, and what this sandbox does instead. Those with a value can be set
        when a world is created.
      </p>
      <div class="filters">
        <${SearchField} what="assumptions" />
        <${ChoiceField} name="kind" label="all" choices=${["set differently", "can be set"]} />
      </div>
      <${Tally} found=${found.length} all=${data.length} />
    </section>
    <section>
      ${
        found.length === 0
          ? html`<${Empty}>Nothing matches.<//>`
          : found.map((one) => html`<${Row} key=${one.id} assumption=${one} />`)
      }
    </section>`;
}

/**
 * @param {Assumption} assumption
 * @param {string} kind
 */
function isOfKind(assumption, kind) {
  if (kind === "can be set") return assumption.settable;
  return kind === "" || isSet(assumption);
}

/** Whether the value differs from the default. @param {Assumption} assumption */
function isSet({ value, default: preset }) {
  return JSON.stringify(value) !== JSON.stringify(preset);
}

/** @param {{ assumption: Assumption }} props */
function Row({ assumption }) {
  const { id, settable, value, default: preset, says, leavesOpen, because } = assumption;
  const shown = isSet(assumption)
    ? html`<span class="badge waiting">${textOf(value)}</span>`
    : html`<code>${textOf(value)}</code>`;
  return html`<details class="row">
    <summary>
      <span class="line"><b>${id}</b>${settable && shown}</span>
      <span class="soft">${says}</span>
    </summary>
    <p><b>Left open:</b>${` ${leavesOpen}`}</p>
    <p><b>Because:</b>${` ${because}`}</p>
    ${isSet(assumption) && html`<p><b>Default:</b>${` ${textOf(preset)}`}</p>`}
  </details>`;
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}
