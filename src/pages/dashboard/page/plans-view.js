import { app, api, change } from "./app.js";
import { ConfirmButton, ListView, ObjectLink, Row } from "./components.js";
import { html, useState } from "../../html/preact.js";

/** @import { Plan } from "../../../simulator/api/generated/shapes.ts" */

/** The outcomes of the next steps, chosen in advance. @type {import("./page-data.ts").View} */
export const plansView = {
  title: "Plans",
  load: async () => (await api.ask("GET /sandbox/plans")).data,
  List,
};

/** @param {{ data: readonly Plan[] }} props */
function List({ data }) {
  const { on = "", plan = "" } = app.address.query;
  const remove = () => change("DELETE /sandbox/plans", ({ dropped }) => `Removed ${dropped}.`);
  const hasUnused = data.some(({ used, outcomes }) => used < outcomes.length);
  return html`<${ListView}
    title="Plans"
    side=${hasUnused && html`<${ConfirmButton} label="Remove unused plans" question="Really remove?" confirmed=${remove} />`}
    intro="Each step of an institution or a payer uses the next outcome of its plan. After the last one, steps succeed."
    columns=${["plan", "object", "outcomes", "", ""]}
    above=${html`<${PlanForm} key=${`${on} ${plan}`} on=${on} preset=${plan} />`}
    rows=${data.map((one) => html`<${PlanRow} key=${one.id} ...${one} />`).reverse()}
    none="No plan yet, so every step succeeds."
  />`;
}

/** @param {Plan} props */
function PlanRow({ plan, on, outcomes, used }) {
  const about = on === null ? "any object" : html`on <${ObjectLink} id=${on} />`;
  return html`<${Row} title=${plan} badge=${html`<span class="soft">${about}</span>`}>
    <span class="flow">
      ${outcomes.map((outcome, index) =>
        index < used
          ? html`<s class="badge">${outcome}</s>`
          : html`<span class=${index === used ? "badge waiting" : "badge"}>${outcome}</span>`,
      )}
    </span>
  <//>`;
}

/**
 * Shows a form for a plan. A click adds an outcome, and a click on an added outcome removes it.
 *
 * @param {{ on: string, preset: string }} props the object, empty for any, and the plan to begin with
 */
function PlanForm({ on, preset }) {
  const { plans } = app;
  const [plan, setPlan] = useState(
    plans.some((one) => one.plan === preset) ? preset : (plans[0]?.plan ?? ""),
  );
  const [object, setObject] = useState(on);
  const [chosen, setChosen] = useState(/** @type {string[]} */ ([]));
  const outcomes = plans.find((one) => one.plan === plan)?.outcomes ?? [];
  const choose = (/** @type {string} */ name) => {
    setPlan(name);
    setChosen([]);
  };
  const submit = async (/** @type {any} */ event) => {
    event.preventDefault();
    const id = object.trim();
    const body = { plan, outcomes: chosen, ...(id !== "" && { on: id }) };
    if (await change("POST /sandbox/plans", `Planned ${plan}: ${chosen.join(", ")}.`, body)) setChosen([]);
  };
  const chip = (/** @type {string} */ label, /** @type {string} */ title, /** @type {string[]} */ next) =>
    html`<button class="badge" type="button" title=${title} onClick=${() => setChosen(next)}>
      ${label}
    </button>`;
  return html`<form class="card" onSubmit=${submit}>
    <div class="flow filters">
      <select aria-label="Plan" onChange=${(/** @type {any} */ { target }) => choose(target.value)}>
        ${plans.map((one) => html`<option value=${one.plan} selected=${one.plan === plan}>${one.plan}</option>`)}
      </select>
      <input
        type="text"
        aria-label="Object"
        placeholder="object id; empty for any"
        autocomplete="off"
        value=${object}
        onInput=${(/** @type {any} */ { target }) => setObject(target.value)}
      />
    </div>
    <div class="flow">${outcomes.map((outcome) => chip(`+ ${outcome}`, "Add", [...chosen, outcome]))}</div>
    <div class="flow">
      ${chosen.length === 0 && html`<span class="soft">Choose the first outcome, then the next one.</span>`}
      ${chosen.map((outcome, index) => html`${index > 0 && "→"} ${chip(outcome, "Remove", chosen.toSpliced(index, 1))}`)}
    </div>
    <div class="buttons">
      <button class="primary" type="submit" disabled=${chosen.length === 0}>Plan</button>
    </div>
  </form>`;
}
