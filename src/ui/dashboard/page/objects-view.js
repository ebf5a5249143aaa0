// @ts-check
import { api, app, perform, SHOWN_MAX } from "./app.js";
import { actsFor, fieldsOf } from "./form-fields.js";
import { SchemaForm } from "./form.js";
import { matches, shortId, summaryOf } from "./text.js";
import {
  Badge,
  ChoiceField,
  Copyable,
  Disclosure,
  Empty,
  Heading,
  SearchField,
  Tally,
  When,
} from "./components.js";
import { DeliveryRow } from "./deliveries-view.js";
import { formatAddress } from "./address.js";
import { html } from "./preact.js";
import { JsonView } from "./json-view.js";
import { Timeline } from "./timeline-view.js";

/** @typedef {import("./app.js").Act} Act */
/** @typedef {Record<string, any>} Thing an object of the interface */

/**
 * A collection of the interface: its objects, and the one that is selected.
 *
 * @param {string} collection its name in `/sandbox/resources`
 * @returns {import("./app.js").View}
 */
export function objectsView(collection) {
  return { title: titleOf(collection), load, List, loadOne, One };
}

/** @param {string} collection */
function titleOf(collection) {
  const words = collection.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What one object of a collection is called. @param {string} collection */
function nameOf(collection) {
  return collection.replaceAll("-", " ").replace(/s$/, "");
}

async function load() {
  const { view: collection } = app.address;
  const [{ data: objects }, { data: counts }] = await Promise.all([
    api.get(`/resources/${collection}?last=${SHOWN_MAX}`),
    api.get("/resources"),
  ]);
  const { count } = counts.find((/** @type {any} */ one) => one.collection === collection) ?? {};
  return { collection, objects, count: count ?? objects.length };
}

/** @param {{ data: { collection: string, objects: readonly Thing[], count: number } }} props */
function List({ data: { collection, objects, count } }) {
  const { q = "", status = "" } = app.address.query;
  const title = titleOf(collection);
  const found = objects.filter((one) => (status === "" || one["status"] === status) && matches(q, one));
  const statuses = [...new Set(objects.map((one) => String(one["status"])))].sort((one, other) =>
    one.localeCompare(other),
  );
  return html`<section key=${collection}>
      <${Heading} title=${title} />
      <div class="filters">
        <${SearchField} what=${title.toLowerCase()} />
        <${ChoiceField} name="status" label="any status" choices=${statuses} />
      </div>
      <${Tally} found=${found.length} all=${count} />
    </section>
    <section>
      ${found
        .map(summaryOf)
        .reverse()
        .map((summary) => html`<${Row} key=${summary.id} collection=${collection} ...${summary} />`)}
      ${
        found.length === 0 &&
        html`<${Empty}>
          ${
            count === 0
              ? `No ${title.toLowerCase()} yet. What your integration creates appears here at once.`
              : "Nothing matches the search."
          }
        <//>`
      }
    </section>`;
}

/** @param {import("./text.js").Summary & { collection: string }} props */
function Row({ collection, id, status, title, note, amount, at }) {
  const { id: selected, query } = app.address;
  return html`<a
    class="row"
    href=${formatAddress({ view: collection, id, query })}
    data-row
    aria-current=${id === selected ? "true" : undefined}
  >
    <span class="line"><b>${title}</b><${Badge} status=${status} /></span>
    <span class="line soft">
      <span><code>${shortId(id)}</code>${note && ` ${note}`}</span>
      <span>${amount}${amount && at && " · "}${at && html`<${When} at=${at} />`}</span>
    </span>
  </a>`;
}

/** @param {string} id */
async function loadOne(id) {
  const { view: collection } = app.address;
  const name = encodeURIComponent(id);
  const [{ object: thing, payerPage }, { data: entries }, { data: deliveries }] = await Promise.all([
    api.getObject(`/resources/${collection}/${name}`),
    api.get(`/timeline?about=${name}`),
    api.get(`/deliveries?object=${name}&last=20`),
  ]);
  return { id, collection, thing, payerPage, entries, deliveries };
}

/**
 * One object: what can be done with it now, what happened to it and why, its webhooks, and its JSON.
 *
 * @param {{ data: { id: string, collection: string, thing: Thing, payerPage: string | undefined, entries: any[], deliveries: any[] } }} props
 */
function One({ data: { id, collection, thing, payerPage, entries, deliveries } }) {
  const { title, status, amount } = summaryOf(thing);
  const query = { object: id };
  return html`<section>
      <${Heading} title=${title}><${Badge} status=${status} /><//>
      <p class="soft">
        ${`${nameOf(collection)} `}<${Copyable} text=${id} />${amount && ` · ${amount}`}
        ${payerPage && html`${" · "}<a href=${payerPage} target="_blank" rel="noopener">page for the payer</a>`}
      </p>
    </section>
    <section><${Acts} id=${id} collection=${collection} status=${status} /></section>
    <section>
      <h3>What happened</h3>
      ${
        entries.length === 0
          ? html`<${Empty}>Nothing has happened to it yet.<//>`
          : html`<${Timeline} entries=${entries} />`
      }
    </section>
    ${
      deliveries.length > 0 &&
      html`<section>
        <h3>Webhooks <a href=${formatAddress({ view: "deliveries", query })}>all of them</a></h3>
        ${deliveries
          .toReversed()
          .map(
            (delivery) =>
              html`<${DeliveryRow}
                key=${delivery.id}
                delivery=${delivery}
                address=${{ view: "deliveries", query }}
              />`,
          )}
      </section>`
    }
    <section>
      <h3>As the interface returns it</h3>
      <${JsonView} value=${thing} />
    </section>`;
}

/**
 * The acts that the object's status allows: those without fields as buttons, the others as forms that open.
 *
 * @param {{ id: string, collection: string, status: string }} props
 */
function Acts({ id, collection, status }) {
  const { acts, plans } = app;
  const possible = actsFor(acts, collection, status);
  const name = nameOf(collection);
  if (possible.length === 0)
    return html`<${Empty}>Nothing more can be done with a ${name} that is ${status}.<//>`;
  const act = (/** @type {Act} */ one, /** @type {object} */ fields) =>
    perform(async () => {
      const after = await api.post(`/acts/${one.act}`, { id, ...fields });
      return `${one.act}: ${after.status ?? "done"}.`;
    });
  // Plans are in the order of the steps that they decide. An object that exists has at least the last one before it.
  const plan = plans.findLast((one) => one.plan.startsWith(`${name.replaceAll(" ", "-")}.`))?.plan;
  const buttons = possible.filter(({ schema }) => schema === null);
  return html`<h3>What can happen now</h3>
    ${
      buttons.length > 0 &&
      html`<div class="buttons">
        ${buttons.map(
          (one) => html`<button title=${one.summary} onClick=${() => act(one, {})}>${verbOf(one)}</button>`,
        )}
      </div>`
    }
    ${possible
      .filter(({ schema }) => schema !== null)
      .map(
        (one) =>
          html`<${Disclosure} key=${one.act} label=${verbOf(one)} hint=${one.summary} title=${one.summary}>
            <${SchemaForm}
              fields=${fieldsOf(one.schema)}
              submit=${verbOf(one)}
              send=${(/** @type {object} */ fields) => act(one, fields)}
            />
          <//>`,
      )}
    ${
      plan !== undefined &&
      html`<p class="soft small">
        <a href=${formatAddress({ view: "plans", query: { on: id, plan } })}>Plan the next outcome</a>
        ${" for when time advances."}
      </p>`
    }`;
}

/** @param {Act} act */
function verbOf({ act }) {
  return act.slice(act.indexOf(".") + 1).replaceAll("-", " ");
}
