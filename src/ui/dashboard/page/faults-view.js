// @ts-check
import { counted } from "./words.js";
import { el } from "./dom.js";
import { heading, nothing, sureButton } from "./pieces.js";
import { schemaForm } from "./form.js";

/** @typedef {import("./view.js").Context} Context */
/** @typedef {{ name: string, on: string, family: string, fields: Record<string, EffectField>, needs: string[], description: string, uncovers: string }} Effect */
/** @typedef {{ kind: string, required: boolean, default: unknown, description: string, choices?: unknown[], values?: unknown[] }} EffectField */
/** @typedef {import("./schema-fields.js").Field} Field */

/** What goes wrong on purpose. @type {import("./view.js").View} */
export const faultsView = { title: "Faults", list: sections };

/** What picks the deliveries and calls that a fault lays hold of. */
const SELECTORS = {
  webhook: ["event", "object", "nth", "attempt", "probability", "times"],
  api: ["operation", "nth", "probability", "times"],
};

/** What a person may type, by the kind of a field or by the name of a selector. @type {Record<string, string>} */
const EXAMPLES = {
  duration: "PT5M",
  event: "ORDER-*",
  operation: "createPayout",
  from: "2026-11-25T18:00:00-03:00",
  to: "2026-11-25T21:00:00-03:00",
  probability: "0.5",
};

/** @param {Context} context */
async function sections(context) {
  const { data, effects } = await context.api.get("/faults");
  const { effect: wanted = "duplicate" } = context.address.query;
  const effect = effects.find((/** @type {Effect} */ { name }) => name === wanted) ?? effects[0];
  return [
    {
      key: "faults.head",
      data: data.length,
      build: () => [
        heading(
          "Faults",
          data.length > 0 && sureButton("Take all back", "Really all?", () => void clear(context)),
        ),
        el("p.soft", {}, "What your receiver and your client meet in real life, made to happen."),
      ],
    },
    { key: "faults.form", data: effect, build: () => faultForm(context, effects, effect) },
    {
      key: "faults.list",
      data,
      build: () =>
        data.length === 0
          ? nothing("Nothing goes wrong.")
          : data.map((/** @type {any} */ fault) => faultRow(context, fault)).reverse(),
    },
  ];
}

/**
 * @param {Context} context
 * @param {readonly Effect[]} effects
 * @param {Effect} effect
 */
function faultForm(context, effects, effect) {
  const families = [...new Set(effects.map(({ family }) => family))];
  const groups = families.map((family) =>
    el(
      "optgroup",
      { label: family },
      ...effects
        .filter((one) => one.family === family)
        .map(({ name }) => el("option", { value: name, selected: name === effect.name }, name)),
    ),
  );
  const arm = (/** @type {Record<string, unknown>} */ { from, to, ...body }) =>
    context.perform(async () => {
      const between = from === undefined && to === undefined ? {} : { between: [from, to] };
      const { id } = await context.api.post("/faults", {
        on: effect.on,
        effect: effect.name,
        ...body,
        ...between,
      });
      return `Armed ${effect.name} as ${id}.`;
    });
  return el(
    "div.card",
    {},
    el(
      "select",
      { "aria-label": "Effect", onchange: (event) => context.filter({ effect: event.target.value }) },
      ...groups,
    ),
    el("p", {}, effect.description),
    el("p.soft", {}, "Uncovers: ", effect.uncovers),
    schemaForm({ name: `fault.${effect.name}`, fields: fieldsOfEffect(effect), submit: "Arm", send: arm }),
  );
}

/**
 * @param {Effect} effect
 * @returns {Field[]}
 */
function fieldsOfEffect({ on, fields, needs }) {
  const own = Object.entries(fields).map(
    ([name, { kind, required, default: preset, description, ...type }]) => {
      const choices = Object.values(type).find(Array.isArray)?.map(String) ?? [];
      return {
        path: [name],
        kind: kindOf(kind, choices),
        required,
        choices,
        hint: description,
        example: preset === null ? (EXAMPLES[kind] ?? "") : JSON.stringify(preset).replaceAll('"', ""),
      };
    },
  );
  const selectors = SELECTORS[on === "api" ? "api" : "webhook"].map((name) => selector(name, false));
  return [...own, ...selectors, ...["from", "to"].map((name) => selector(name, needs.includes("between")))];
}

/**
 * @param {string} name
 * @param {boolean} required
 * @returns {Field}
 */
function selector(name, required) {
  const number = ["nth", "attempt", "probability", "times"].includes(name);
  return {
    path: [name],
    kind: number ? "number" : "text",
    required,
    choices: [],
    hint: "Which ones it lays hold of",
    example: EXAMPLES[name] ?? "",
  };
}

/**
 * @param {string} kind
 * @param {readonly string[]} choices
 * @returns {Field["kind"]}
 */
function kindOf(kind, choices) {
  if (choices.length > 0) return "choice";
  return ["count", "number", "integer", "bytes", "status"].includes(kind) ? "number" : "text";
}

/**
 * @param {Context} context
 * @param {any} fault
 */
function faultRow({ api, perform }, fault) {
  const { id, on, effect, hits, matches, inForce, ...rest } = fault;
  const back = () =>
    perform(async () => {
      await api.send("DELETE", `/faults/${encodeURIComponent(id)}`);
      return `Took ${effect} back.`;
    });
  const details = Object.entries(rest).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return el(
    "div.row",
    {},
    el(
      "span.line",
      {},
      el("b", {}, effect),
      el(
        "span",
        {},
        el(
          "span.soft",
          {},
          `${hits} of ${counted(matches, "match").replace("matchs", "matches")} hit${inForce ? "" : ", over"} `,
        ),
        el("button.quiet", { onclick: () => void back() }, "Take back"),
      ),
    ),
    el("span.soft", {}, [id, on, ...details].join(" · ")),
  );
}

/** @param {Context} context */
function clear({ api, perform }) {
  return perform(async () => {
    const { dropped } = await api.send("DELETE", "/faults");
    return `Took ${dropped} back.`;
  });
}
