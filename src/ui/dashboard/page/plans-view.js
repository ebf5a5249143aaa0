// @ts-check
import { el } from "./dom.js";
import { heading, nothing, objectLink, sureButton } from "./pieces.js";

/** @typedef {import("./view.js").Context} Context */
/** @typedef {{ plan: string, outcomes: string[] }} Possible */

/** What the outside is going to answer, said in advance. @type {import("./view.js").View} */
export const plansView = { title: "Plans", list: sections };

/** @param {Context} context */
async function sections(context) {
  const { data, plans } = await context.api.get("/plans");
  const { on = "", plan = "" } = context.address.query;
  const open = data.filter((/** @type {any} */ { used, outcomes }) => used < outcomes.length).length;
  return [
    {
      key: "plans.head",
      data: [open],
      build: () => [
        heading(
          "Plans",
          open > 0 && sureButton("Drop what is not used", "Really drop?", () => void drop(context)),
        ),
        el(
          "p.soft",
          {},
          "Each step of the outside uses one outcome of its plan; what comes after the last is the good one.",
        ),
      ],
    },
    {
      key: `plans.form.${on}.${plan}`,
      data: plans,
      build: () => planForm(context, plans, { on, preset: plan }),
    },
    {
      key: "plans.list",
      data,
      build: () =>
        data.length === 0
          ? nothing("Nothing is planned: every step comes out well.")
          : data.map(planRow).reverse(),
    },
  ];
}

/** @param {any} plan */
function planRow({ plan, on, outcomes, used }) {
  const steps = outcomes.map((/** @type {string} */ outcome, /** @type {number} */ index) =>
    el(index < used ? "s.chip" : index === used ? "span.chip.next" : "span.chip", {}, outcome),
  );
  return el(
    "div.row",
    {},
    el(
      "span.line",
      {},
      el("b", {}, plan),
      on === null ? el("span.soft", {}, "of any") : el("span", {}, "of ", objectLink(on)),
    ),
    el("span.chips", {}, ...steps),
  );
}

/**
 * A form that puts outcomes in a row, one press each.
 *
 * @param {Context} context
 * @param {readonly Possible[]} plans
 * @param {{ on: string, preset: string }} about the object it is for, empty for the next ones of any, and the plan to begin with
 */
function planForm(context, plans, { on, preset }) {
  /** @type {string[]} */
  let chosen = [];
  const select = /** @type {HTMLSelectElement} */ (
    el(
      "select",
      { onchange: renew, "aria-label": "Plan" },
      ...plans.map(({ plan }) => el("option", { value: plan, selected: plan === preset }, plan)),
    )
  );
  const object = /** @type {HTMLInputElement} */ (
    el("input", {
      type: "text",
      value: on,
      placeholder: "id of an object; the next of any without one",
      "aria-label": "Object",
      autocomplete: "off",
    })
  );
  const choices = el("div.chips");
  const row = el("div.chips.chosen");
  const submit = el("button.primary", { type: "submit", disabled: true }, "Plan");
  function renew() {
    chosen = [];
    const outcomes = plans.find(({ plan }) => plan === select.value)?.outcomes ?? [];
    choices.replaceChildren(
      ...outcomes.map((outcome) =>
        el("button.chip", { type: "button", onclick: () => choose([...chosen, outcome]) }, `+ ${outcome}`),
      ),
    );
    choose([]);
  }
  function choose(/** @type {string[]} */ outcomes) {
    chosen = outcomes;
    submit.toggleAttribute("disabled", chosen.length === 0);
    const steps = chosen.map((outcome, index) =>
      el(
        "button.chip",
        { type: "button", title: "Take it out", onclick: () => choose(chosen.toSpliced(index, 1)) },
        outcome,
      ),
    );
    row.replaceChildren(
      ...(steps.length > 0
        ? steps
        : [el("span.soft", {}, "Choose what happens first, then what happens next.")]),
    );
  }
  async function submitted(/** @type {SubmitEvent} */ event) {
    event.preventDefault();
    const plan = {
      plan: select.value,
      outcomes: chosen,
      ...(object.value.trim() !== "" && { on: object.value.trim() }),
    };
    const taken = await context.perform(async () => {
      await context.api.post("/plans", plan);
      return `Planned ${plan.plan}: ${plan.outcomes.join(", ")}.`;
    });
    if (taken) renew();
  }
  renew();
  return el(
    "form.card",
    { onsubmit: (/** @type {SubmitEvent} */ event) => void submitted(event) },
    el("div.filters", {}, select, object),
    choices,
    row,
    el("div.buttons", {}, submit),
  );
}

/** @param {Context} context */
function drop({ api, perform }) {
  return perform(async () => {
    const { dropped } = await api.send("DELETE", "/plans");
    return `Dropped ${dropped}.`;
  });
}
