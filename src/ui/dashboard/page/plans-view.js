// @ts-check
import { api, app, perform } from "./app.js";
import { ConfirmButton, Empty, Heading, ObjectLink } from "./components.js";
import { html, useState } from "./preact.js";

/** @typedef {{ id: string, plan: string, on: string | null, outcomes: string[], used: number }} Plan */

/** The outcomes of the next steps, chosen in advance. @type {import("./app.js").View} */
export const plansView = { title: "Plans", load: async () => (await api.get("/plans")).data, List };

/** @param {{ data: readonly Plan[] }} props */
function List({ data }) {
  const { address } = app;
  const { on = "", plan = "" } = address.query;
  const hasUnused = data.some(({ used, outcomes }) => used < outcomes.length);
  const remove = () =>
    perform(async () => {
      const { dropped } = await api.send("DELETE", "/plans");
      return `Removed ${dropped}.`;
    });
  return html`<section>
      <${Heading} title="Plans">
        ${
          hasUnused &&
          html`<${ConfirmButton} label="Remove unused plans" question="Really remove?" confirmed=${remove} />`
        }
      <//>
      <p class="soft">
        Each step of an institution or a payer uses the next outcome of its plan. After the last one, steps
        succeed.
      </p>
    </section>
    <section><${PlanForm} key=${`${on} ${plan}`} on=${on} preset=${plan} /></section>
    <section>
      ${
        data.length === 0
          ? html`<${Empty}>Nothing is planned: every step succeeds.<//>`
          : data.map((one) => html`<${Row} key=${one.id} ...${one} />`).reverse()
      }
    </section>`;
}

/** @param {Plan} props */
function Row({ plan, on, outcomes, used }) {
  return html`<div class="row">
    <span class="line">
      <b>${plan}</b>
      ${on === null ? html`<span class="soft">any object</span>` : html`<span>on${" "}<${ObjectLink} id=${on} /></span>`}
    </span>
    <span class="chips">
      ${outcomes.map((outcome, index) =>
        index < used
          ? html`<s class="chip">${outcome}</s>`
          : html`<span class=${index === used ? "chip next" : "chip"}>${outcome}</span>`,
      )}
    </span>
  </div>`;
}

/**
 * A form for a plan: a click adds an outcome, a click on an added one removes it.
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
    const isArmed = await perform(async () => {
      await api.post("/plans", { plan, outcomes: chosen, ...(id !== "" && { on: id }) });
      return `Planned ${plan}: ${chosen.join(", ")}.`;
    });
    if (isArmed) setChosen([]);
  };
  return html`<form class="card" onSubmit=${submit}>
    <div class="filters">
      <select aria-label="Plan" onChange=${(/** @type {any} */ { target }) => choose(target.value)}>
        ${plans.map((one) => html`<option value=${one.plan} selected=${one.plan === plan}>${one.plan}</option>`)}
      </select>
      <input
        type="text"
        aria-label="Object"
        placeholder="id of an object; empty for the next one of any"
        autocomplete="off"
        value=${object}
        onInput=${(/** @type {any} */ { target }) => setObject(target.value)}
      />
    </div>
    <div class="chips">
      ${outcomes.map(
        (outcome) =>
          html`<button class="chip" type="button" onClick=${() => setChosen([...chosen, outcome])}>
            + ${outcome}
          </button>`,
      )}
    </div>
    <div class="chips chosen">
      ${chosen.length === 0 && html`<span class="soft">Choose what happens first, then what happens next.</span>`}
      ${chosen.map(
        (outcome, index) =>
          html`<button
            class="chip"
            type="button"
            title="Remove"
            onClick=${() => setChosen(chosen.toSpliced(index, 1))}
          >
            ${outcome}
          </button>`,
      )}
    </div>
    <div class="buttons">
      <button class="primary" type="submit" disabled=${chosen.length === 0}>Plan</button>
    </div>
  </form>`;
}
