import { app, change, nounOf } from "./app.js";
import { actsFor, fieldsOf } from "./form-fields.js";
import { Disclosure, Empty, toneIn } from "./components.js";
import { formatAddress } from "./address.js";
import { html } from "../../html/preact.js";
import { SchemaForm } from "./form.js";

/** @import { Act } from "./page-data.ts" */

/**
 * Shows a button for each possible act on an object, the usual act first. An act with fields has a form that opens.
 *
 * @param {{ id: string, collection: string, status: string, acts: readonly Act[] }} props `acts` would be accepted now
 */
export function Acts({ id, collection, status, acts }) {
  const { plans } = app;
  const possible = actsFor(acts, collection, status);
  const name = nounOf(collection);
  if (possible.length === 0) return html`<${Empty}>A ${name} that is ${status} allows no further act.<//>`;
  const needsDetails = (/** @type {Act} */ { schema }) => (schema?.required ?? []).length > 0;
  const needy = possible.filter(needsDetails);
  const detailed = possible.filter((one) => one.schema !== null && !needsDetails(one));
  // Plans are in the order of the steps that they decide. An object that exists has at least the last one before it.
  const plan = plans.findLast((one) => one.plan.startsWith(`${name.replaceAll(" ", "-")}.`))?.plan;
  return html`<h3>Possible acts of payers and institutions</h3>
    <${ActButtons} id=${id} collection=${collection} status=${status} acts=${acts} />
    ${needy.map((one) => html`<${ActForm} key=${one.act} one=${one} id=${id} label=${`${verbOf(one)}…`} />`)}
    ${
      detailed.length > 0 &&
      html`<details class="card">
        <summary>With details</summary>
        ${detailed.map((one) => html`<${ActForm} key=${one.act} one=${one} id=${id} label=${`${verbOf(one)} with`} />`)}
      </details>`
    }
    ${
      plan !== undefined &&
      html`<p class="soft small">
        <a href=${formatAddress({ view: "plans", query: { on: id, plan } })}>Plan the next outcome</a>
        ${" for the next advance of the clock."}
      </p>`
    }`;
}

/** @param {{ one: Act, id: string, label: string }} props */
function ActForm({ one, id, label }) {
  return html`<${Disclosure} label=${label} hint=${one.summary}>
    <${SchemaForm}
      fields=${fieldsOf(one.schema)}
      submit=${`${verbOf(one)} with these`}
      send=${(/** @type {object} */ fields) => act(one, id, fields)}
    />
  <//>`;
}

/**
 * Shows the acts that need no details as buttons. The usual act is first. It is highlighted if the object
 * waits for it.
 *
 * @param {{ id: string, collection: string, status: string, acts?: readonly Act[], about?: string, isShort?: boolean }} props
 *   `about` names the object, if the page shows several; `isShort` shows only the usual act
 */
export function ActButtons({ id, collection, status, acts = app.acts, about = "", isShort = false }) {
  const buttons = actsFor(acts, collection, status).filter(
    ({ schema }) => (schema?.required ?? []).length === 0,
  );
  if (buttons.length === 0) return null;
  return html`<span class="buttons">
    ${buttons
      .slice(0, isShort ? 1 : undefined)
      .map(
        (one, index) =>
          html`<button
            key=${one.act}
            class=${!isShort && index === 0 && toneIn(collection, status) === "waiting" ? "primary" : undefined}
            title=${one.summary}
            aria-label=${about === "" ? undefined : `${verbOf(one)} ${about}`}
            onClick=${() => act(one, id, {})}
          >
            ${verbOf(one)}
          </button>`,
      )}
  </span>`;
}

/** Performs an act, and shows its result. @param {Act} one @param {string} id @param {object} fields */
function act(one, id, fields) {
  return change("POST /sandbox/acts/{act}", ({ status = "done" }) => `${one.act}: ${String(status)}.`, {
    act: one.act,
    id,
    ...fields,
  });
}

/** @param {Act} act */
function verbOf({ act }) {
  return act.slice(act.indexOf(".") + 1).replaceAll("-", " ");
}
