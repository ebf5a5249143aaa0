// @ts-check
import { bodyOf } from "./schema-fields.js";
import { el } from "./dom.js";

/** @typedef {import("./schema-fields.js").Field} Field */

/**
 * A form for fields made from a schema. What is sent is left to the sandbox to check: its sentence says what is
 * wrong, and where.
 *
 * @param {object} options
 * @param {string} options.name keeps what is typed while the page is built anew
 * @param {readonly Field[]} options.fields
 * @param {string} options.submit what the button says
 * @param {(body: Record<string, unknown>) => Promise<boolean>} options.send whether it was taken: the form is then emptied
 * @param {Record<string, string>} [options.preset] values by the field's path
 */
export function schemaForm({ name, fields, submit, send, preset = {} }) {
  const controls = new Map(
    fields.map((field) => [field, controlOf(field, name, preset[field.path.join(".")] ?? "")]),
  );
  const labels = fields.map((field) => {
    const label = field.path.join(" › ");
    const control = controls.get(field) ?? null;
    return el(
      "label",
      { title: field.hint },
      el("span", {}, label, field.required && el("i.required", {}, "required")),
      control,
    );
  });
  const form = /** @type {HTMLFormElement} */ (
    el(
      "form.fields",
      { onsubmit: (/** @type {SubmitEvent} */ event) => void submitted(event) },
      ...labels,
      el("button.primary", { type: "submit" }, submit),
    )
  );
  async function submitted(/** @type {SubmitEvent} */ event) {
    event.preventDefault();
    if (await send(bodyOf(fields, (field) => controls.get(field)?.value ?? ""))) form.reset();
  }
  return form;
}

/**
 * @param {Field} field
 * @param {string} form
 * @param {string} preset
 * @returns {HTMLInputElement | HTMLSelectElement}
 */
function controlOf({ path, kind, required, choices, example }, form, preset) {
  const keep = `${form}.${path.join(".")}`;
  if (kind === "choice") {
    const first = required ? [] : [el("option", { value: "" }, "—")];
    const options = choices.map((choice) =>
      el("option", { value: choice, selected: choice === preset }, choice),
    );
    return /** @type {HTMLSelectElement} */ (
      el("select", { "data-keep": keep, required }, ...first, ...options)
    );
  }
  const attributes = {
    "data-keep": keep,
    required,
    placeholder: example,
    value: preset,
    autocomplete: "off",
    spellcheck: "false",
  };
  return /** @type {HTMLInputElement} */ (
    el("input", { ...attributes, type: "text", inputmode: kind === "number" ? "decimal" : null })
  );
}
