import { bodyOf } from "./form-fields.js";
import { html } from "../../html/preact.js";

/** @import { ComponentChildren as Children } from "preact" */
/** @import { Field } from "./page-data.ts" */

/**
 * Shows a form made of fields. The sandbox validates the input, and its message names the wrong field.
 *
 * @param {object} props
 * @param {readonly Field[]} props.fields
 * @param {string} props.submit the label of the button
 * @param {(body: Record<string, unknown>) => Promise<boolean>} props.send returns whether it was accepted: the form is
 *   then emptied
 * @param {Children} [props.children]
 */
export function SchemaForm({ fields, submit, send, children }) {
  const submitted = async (/** @type {any} */ event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const typed = /** @type {Map<string, string>} */ (new Map(new FormData(form)));
    const body = bodyOf(fields, ({ path }) => typed.get(path.join(".")) ?? "");
    if (await send(body)) form.reset();
  };
  return html`<form class="columns fields" onSubmit=${submitted}>
    ${fields.map(
      (field) =>
        html`<label
          key=${field.path.join(".")}
          class=${field.kind === "lines" ? "wide" : undefined}
          title=${field.hint}
        >
          <span>
            ${field.label ?? field.path.join(" › ")}
            ${field.required && html`<i class="required">required</i>`}
          </span>
          <${Control} ...${field} />
        </label>`,
    )}
    <button class="primary" type="submit">${submit}</button>
    ${children}
  </form>`;
}

/** @param {Field} field */
function Control({ path, kind, required, choices, example, preset }) {
  const name = path.join(".");
  if (kind === "choice")
    return html`<select name=${name} required=${required}>
      ${!required && html`<option value="">—</option>`}
      ${choices.map((choice) => html`<option value=${choice}>${choice}</option>`)}
    </select>`;
  if (kind === "lines")
    return html`<textarea name=${name} rows="4" spellcheck=${false} defaultValue=${preset} />`;
  return html`<input
    type="text"
    name=${name}
    required=${required}
    placeholder=${example}
    inputmode=${kind === "number" ? "decimal" : undefined}
    autocomplete="off"
    spellcheck=${false}
  />`;
}
