// @ts-check
import { api, app, filter, perform } from "./app.js";
import { ConfirmButton, Empty, Heading } from "./components.js";
import { html } from "./preact.js";
import { SchemaForm } from "./form.js";

/** @typedef {{ name: string, on: string, family: string, fields: Record<string, EffectField>, needs: string[], description: string, uncovers: string }} Effect */
/** @typedef {{ kind: string, required: boolean, default: unknown, description: string, choices?: unknown[], values?: unknown[] }} EffectField */
/** @typedef {import("./form-fields.js").Field} Field */

/** What goes wrong on purpose. @type {import("./app.js").View} */
export const faultsView = { title: "Faults", load: () => api.get("/faults"), List };

/** The selectors of a fault by what it is on. The API does not say this yet. @type {Record<string, string[]>} */
const SELECTORS = {
  webhook: ["event", "object", "nth", "attempt", "probability", "times"],
  api: ["operation", "nth", "probability", "times"],
};

/** Examples of what to type, by the kind of a field or by the name of a selector. @type {Record<string, string>} */
const EXAMPLES = {
  duration: "PT5M",
  event: "ORDER-*",
  operation: "createPayout",
  from: "2026-11-25T18:00:00-03:00",
  to: "2026-11-25T21:00:00-03:00",
  probability: "0.5",
};

/** @param {{ data: { data: readonly any[], effects: readonly Effect[] } }} props */
function List({ data: { data: faults, effects } }) {
  const { address } = app;
  const { effect: name = "duplicate" } = address.query;
  const effect = effects.find((one) => one.name === name) ?? effects[0];
  const remove = () =>
    perform(async () => {
      const { dropped } = await api.send("DELETE", "/faults");
      return `Removed ${dropped}.`;
    });
  return html`<section>
      <${Heading} title="Faults">
        ${
          faults.length > 0 &&
          html`<${ConfirmButton} label="Remove all" question="Really remove all?" confirmed=${remove} />`
        }
      <//>
      <p class="soft">Failures that your receiver and your client meet in production, made to happen here.</p>
    </section>
    <section>${effect && html`<${FaultForm} effects=${effects} effect=${effect} />`}</section>
    <section>
      ${
        faults.length === 0
          ? html`<${Empty}>No fault is armed.<//>`
          : faults.map((fault) => html`<${Row} key=${fault.id} fault=${fault} />`).reverse()
      }
    </section>`;
}

/** @param {{ effects: readonly Effect[], effect: Effect }} props */
function FaultForm({ effects, effect }) {
  const families = Map.groupBy(effects, ({ family }) => family);
  const arm = (/** @type {Record<string, unknown>} */ { from, to, ...fields }) =>
    perform(async () => {
      const between = from === undefined && to === undefined ? {} : { between: [from, to] };
      const { id } = await api.post("/faults", { on: effect.on, effect: effect.name, ...fields, ...between });
      return `Armed ${effect.name} as ${id}.`;
    });
  return html`<div class="card">
    <select
      aria-label="Effect"
      onChange=${(/** @type {any} */ { target }) => filter({ effect: target.value })}
    >
      ${Array.from(
        families,
        ([family, members]) =>
          html`<optgroup label=${family}>
            ${members.map(
              ({ name }) => html`<option value=${name} selected=${name === effect.name}>${name}</option>`,
            )}
          </optgroup>`,
      )}
    </select>
    <p>${effect.description}</p>
    <p class="soft">${"Finds: "}${effect.uncovers}</p>
    <${SchemaForm} key=${effect.name} fields=${fieldsOfEffect(effect)} submit="Arm" send=${arm} />
  </div>`;
}

/**
 * The fields of an effect, followed by what selects the deliveries or calls that it applies to.
 *
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
  const selectors = SELECTORS[on === "api" ? "api" : "webhook"] ?? [];
  const isBetween = needs.includes("between");
  return [
    ...own,
    ...selectors.map((name) => selector(name, false)),
    ...["from", "to"].map((name) => selector(name, isBetween)),
  ];
}

/**
 * @param {string} name
 * @param {boolean} required
 * @returns {Field}
 */
function selector(name, required) {
  const isNumber = ["nth", "attempt", "probability", "times"].includes(name);
  return {
    path: [name],
    kind: isNumber ? "number" : "text",
    required,
    choices: [],
    hint: "Which deliveries or calls the fault applies to",
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

/** @param {{ fault: any }} props */
function Row({ fault: { id, on, effect, hits, matches, inForce, ...rest } }) {
  const remove = () =>
    perform(async () => {
      await api.send("DELETE", `/faults/${encodeURIComponent(id)}`);
      return `Removed ${effect}.`;
    });
  const details = Object.entries(rest).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const count = `applied to ${hits} of ${matches} ${matches === 1 ? "match" : "matches"}`;
  return html`<div class="row">
    <span class="line">
      <b>${effect}</b>
      <span>
        <span class="soft">${count}${!inForce && ", over"}</span>
        <button class="quiet" onClick=${remove}>Remove</button>
      </span>
    </span>
    <span class="soft">${[id, on, ...details].join(" · ")}</span>
  </div>`;
}
