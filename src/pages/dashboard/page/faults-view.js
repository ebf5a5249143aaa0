import { api, app, change, filter } from "./app.js";
import { ConfirmButton, ListView, Row } from "./components.js";
import { field } from "./form-fields.js";
import { html } from "../../html/preact.js";
import { SchemaForm } from "./form.js";
import { valueText } from "./text.js";

/** @import { Field } from "./page-data.ts" */
/** @typedef {{ name: string, on: "api" | "clock" | "webhook", family: string, fields: Record<string, EffectField>, needs: string[], description: string, uncovers: string }} Effect */
/** @typedef {{ kind: string, required: boolean, default: unknown, description: string, choices?: unknown[], values?: unknown[] }} EffectField */

/** The planned failures. @type {import("./page-data.ts").View} */
export const faultsView = { title: "Faults", load: () => api.ask("GET /sandbox/faults"), List };

/**
 * The selectors of a fault, by the subject of the fault. The API does not list them yet.
 *
 * @type {Record<string, string[]>}
 */
const SELECTORS = {
  webhook: ["event", "object", "nth", "attempt", "probability", "times"],
  api: ["operation", "nth", "probability", "times"],
  clock: ["object", "nth", "probability", "times"],
};

/** Kinds of fields and selectors that are numbers. */
const NUMBERS = new Set([
  "count",
  "number",
  "integer",
  "bytes",
  "status",
  "nth",
  "attempt",
  "probability",
  "times",
]);

/** Examples of input, by the kind of a field or by the name of a selector. @type {Record<string, string>} */
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
  const { effect: name = "duplicate" } = app.address.query;
  const effect = effects.find((one) => one.name === name) ?? effects[0];
  const remove = () => change("DELETE /sandbox/faults", ({ dropped }) => `Removed ${dropped}.`);
  return html`<${ListView}
    title="Faults"
    side=${
      faults.length > 0 &&
      html`<${ConfirmButton} label="Remove all" question="Really remove all?" confirmed=${remove} />`
    }
    intro="Inject the failures that your receiver and your client meet in production."
    columns=${["effect", "applied", "details", "", ""]}
    above=${effect && html`<${FaultForm} effects=${effects} effect=${effect} />`}
    rows=${faults.map((fault) => html`<${FaultRow} key=${fault.id} fault=${fault} />`).reverse()}
    none="No fault is armed."
  />`;
}

/** @param {{ effects: readonly Effect[], effect: Effect }} props */
function FaultForm({ effects, effect }) {
  const families = Map.groupBy(effects, ({ family }) => family);
  const arm = (/** @type {Record<string, any>} */ { from, to, ...fields }) =>
    change("POST /sandbox/faults", ({ id }) => `Armed ${effect.name} as ${id}.`, {
      on: effect.on,
      effect: effect.name,
      ...fields,
      ...((from !== undefined || to !== undefined) && { between: [from, to] }),
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
 * Returns the fields of an effect, followed by the selectors of its deliveries or calls.
 *
 * @param {Effect} effect
 * @returns {Field[]}
 */
function fieldsOfEffect({ on, fields, needs }) {
  const own = Object.entries(fields).map(
    ([name, { kind, required, default: preset, description, ...type }]) => {
      const choices = Object.values(type).find(Array.isArray)?.map(String) ?? [];
      const example = preset === null ? EXAMPLES[kind] : JSON.stringify(preset).replaceAll('"', "");
      return field(name, description, {
        kind: kindOf(kind, choices),
        required,
        choices,
        example: example ?? "",
      });
    },
  );
  const selectors = [...(SELECTORS[on] ?? []), "from", "to"].map((name) =>
    field(name, "Selects the deliveries or calls of this fault", {
      kind: kindOf(name, []),
      required: (name === "from" || name === "to") && needs.includes("between"),
      example: EXAMPLES[name] ?? "",
    }),
  );
  return [...own, ...selectors];
}

/** @param {string} kind @param {readonly string[]} choices @returns {Field["kind"]} */
function kindOf(kind, choices) {
  return choices.length > 0 ? "choice" : NUMBERS.has(kind) ? "number" : "text";
}

/** @param {{ fault: any }} props */
function FaultRow({ fault: { id, on, effect, hits, matches, inForce, ...rest } }) {
  const remove = () => change("DELETE /sandbox/faults/{id}", `Removed ${effect}.`, { id });
  const details = Object.entries(rest).map(([name, value]) => `${name}: ${valueText(value)}`);
  const count = `applied to ${hits} of ${matches} ${matches === 1 ? "match" : "matches"}${inForce ? "" : ", over"}`;
  return html`<${Row}
    title=${effect}
    badge=${html`<span>
      <span class="soft">${count}</span>
      <button class="quiet" aria-label="Remove ${id}" onClick=${remove}>Remove</button>
    </span>`}
    left=${[id, on, ...details].join(" · ")}
  />`;
}
