import { Acts } from "./acts.js";
import { api, app, nounOf, pageQuery, WEBHOOK_EVENTS } from "./app.js";
import { parsed, shortId, summaryOf } from "./text.js";
import {
  Badge,
  Copyable,
  Empty,
  Facts,
  Heading,
  ListView,
  NOWHERE,
  Pages,
  Row,
  Rows,
  When,
} from "./components.js";
import { DeliveryRow } from "./deliveries-view.js";
import { formatAddress } from "./address.js";
import { referencePage, shownCompany } from "./commands.js";
import { html } from "../../html/preact.js";
import { JsonView } from "./json-view.js";
import { Timeline } from "./timeline-view.js";

/** @typedef {Record<string, any>} Thing an object of the platform API */

/**
 * Returns the view of a collection: its objects, and the selected object.
 *
 * @param {string} collection its name in `/sandbox/resources`
 * @returns {import("./page-data.ts").View}
 */
export function objectsView(collection) {
  return { title: titleOf(collection), load, List, loadOne, One };
}

/** @param {string} collection */
function titleOf(collection) {
  const words = collection.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

async function load() {
  const { view: collection } = app.address;
  const { data, older } = await api.ask("GET /sandbox/resources/{collection}", {
    collection,
    ...pageQuery(["status"]),
  });
  return { collection, objects: data, older, calls: await callsThatMade(collection, data) };
}

/**
 * Returns the time and the destination of objects whose answers have neither, such as payouts. They are in the calls
 * that made the objects.
 *
 * @param {string} collection
 * @param {readonly Thing[]} objects
 * @returns {Promise<ReadonlyMap<string, { at: string, note: string }>>} by the id of the object
 */
async function callsThatMade(collection, objects) {
  const { operation } = app.collections.find((one) => one.collection === collection)?.origin ?? {};
  if (!operation || objects.every((one) => summaryOf(one).at !== "")) return new Map();
  const { data } = await api.ask("GET /sandbox/requests", {
    operation,
    status: "2xx",
    limit: objects.length,
  });
  return new Map(
    data.map(({ at, requestBody, responseBody }) => {
      const { pixKey, bankAccount, qrcodeData } = parsed(requestBody ?? "").paymentData ?? {};
      const note =
        pixKey ?? (bankAccount && `account ${bankAccount.accountNumber}`) ?? (qrcodeData && "QR code");
      return [String(parsed(responseBody ?? "").id), { at, note: String(note ?? "") }];
    }),
  );
}

/** @param {{ data: Awaited<ReturnType<typeof load>> }} props */
function List({ data: { collection, objects, older, calls } }) {
  const { id: selected, query } = app.address;
  const title = titleOf(collection);
  const { count = objects.length, statuses = {} } =
    app.collections.find((one) => one.collection === collection) ?? {};
  const rows = objects
    .map(summaryOf)
    .map((one) => (one.at === "" ? { ...one, ...calls.get(one.id) } : one))
    .reverse()
    .map(
      ({ id, status, title, party, note, amount, at }) =>
        html`<${Row}
          key=${id}
          href=${formatAddress({ view: collection, id, query })}
          isCurrent=${id === selected}
          title=${title}
          badge=${html`<${Badge} status=${status} collection=${collection} />`}
          left=${html`<code>${shortId(id)}</code> <bdi>${party}</bdi>${party && note && " · "}<bdi>${note}</bdi>`}
          right=${amount}
          at=${at}
        />`,
    );
  return html`<${ListView}
    key=${collection}
    title=${title}
    search=${title.toLowerCase()}
    filters=${[["status", "any status", Object.keys(statuses).sort()]]}
    tally=${html`<${Pages} shown=${objects.length} all=${count} older=${older} />`}
    columns=${[nounOf(collection), "status", "id, details", "amount", "changed"]}
    rows=${rows}
    none=${count === 0 ? html`<${NothingYet} collection=${collection} />` : "Nothing matches the search."}
  />`;
}

/** Says what would fill an empty collection. @param {{ collection: string }} props */
function NothingYet({ collection }) {
  const { says, operation } = app.collections.find((one) => one.collection === collection)?.origin ?? {
    says: "The objects of your integration appear here at once.",
  };
  return html`<b>No ${titleOf(collection).toLowerCase()} yet.</b>${` ${says}`}
    ${operation && html`${" "}<a href=${referencePage(operation)}>Try ${operation} with curl</a>`}`;
}

/**
 * Reads an object, with the address of its page for the payer. Undefined if that page is missing.
 *
 * @param {string} collection
 * @param {string} id
 */
async function getObject(collection, id) {
  const response = await api.open("GET /sandbox/resources/{collection}/{id}", { collection, id });
  const [, payerPage] = /^<([^>]+)>; rel="payer-page"$/.exec(response.headers.get("link") ?? "") ?? [];
  return { object: await response.json(), payerPage };
}

/** @param {string} id */
async function loadOne(id) {
  const { view: collection } = app.address;
  const [{ object: thing, payerPage }, { data: entries }, { data: deliveries }, { data: acts }] =
    await Promise.all([
      getObject(collection, id),
      api.ask("GET /sandbox/timeline", { about: id }),
      api.ask("GET /sandbox/deliveries", { object: id, last: 20 }),
      api.ask("GET /sandbox/acts", { object: id }),
    ]);
  const related = await relatedTo(thing, id);
  return { id, collection, thing, payerPage, entries, deliveries, related, acts };
}

/** The number of newest objects of a collection that are searched for related objects. */
const RELATED_MAX = 50;

/**
 * Finds the objects that name this object, and the objects that it names: the charges of a subscription, the
 * order of a refund.
 *
 * @param {Thing} thing
 * @param {string} id
 */
async function relatedTo(thing, id) {
  const text = JSON.stringify(thing);
  const lists = await Promise.all(
    app.collections
      .filter(({ collection, count }) => count > 0 && ![WEBHOOK_EVENTS, "accounts"].includes(collection))
      .map(async ({ collection }) => {
        const { data } = await api.ask("GET /sandbox/resources/{collection}", {
          collection,
          last: RELATED_MAX,
        });
        return data.map((/** @type {Thing} */ one) => ({
          ...summaryOf(one),
          collection,
          text: JSON.stringify(one),
        }));
      }),
  );
  return lists.flat().filter((one) => one.id !== id && (one.text.includes(id) || text.includes(one.id)));
}

/**
 * Returns the most important facts about an object.
 *
 * @param {Thing} thing
 * @param {string | undefined} payerPage
 * @param {any} last the last webhook about it
 */
function summaryFacts(thing, payerPage, last) {
  const isUnsent = last?.status === "not-sent";
  const named = last?.url || (thing["webhookUrl"] ?? thing["notificationUrl"]);
  const url = named ?? (isUnsent ? (shownCompany()?.webhookUrl ?? NOWHERE) : undefined);
  const nameOf = (/** @type {any} */ one) => one?.name ?? one?.fullName;
  const text = (/** @type {unknown} */ value) => (typeof value === "string" ? value : undefined);
  const dates = Object.entries(thing)
    .filter(([name, value]) => /(?:Date|At)$/.test(name) && name !== "updatedAt" && typeof value === "string")
    .map(([name, value]) => [
      name.replace(/(?:Date|At)$/, "").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
      value.includes("T") ? html`<${When} at=${value} isZoned />` : value,
    ]);
  const { error, errorMessage, cancellationReason, reason } = thing;
  const all = {
    why: [errorMessage, text(error) ?? error?.message, cancellationReason, reason].find(Boolean),
    amount: summaryOf(thing).amount,
    payer: nameOf(thing["debtor"] ?? thing["customer"] ?? thing["payer"]),
    receiver: nameOf(thing["receiver"]),
    method: thing["paymentMethod"] ?? thing["frequencyType"],
    ...Object.fromEntries(dates),
    "webhooks go to": url,
    "payer sees":
      payerPage && html`<a href=${payerPage} target="_blank" rel="noopener">page for the payer</a>`,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value));
}

/**
 * Shows one object: its facts, its possible acts now, its history with causes, its webhooks, and its JSON.
 *
 * @param {{ data: Awaited<ReturnType<typeof loadOne>> }} props
 */
function One({ data: { id, collection, thing, payerPage, entries, deliveries, related, acts } }) {
  const { title, status } = summaryOf(thing);
  const address = { view: "deliveries", query: { object: id } };
  return html`<section>
      <${Heading} title=${title}><${Badge} status=${status} collection=${collection} /><//>
      <p class="soft">${`${nounOf(collection)} `}<${Copyable} text=${id} /></p>
      <${Facts} facts=${summaryFacts(thing, payerPage, deliveries.at(-1))} />
    </section>
    ${
      related.length > 0 &&
      html`<section>
        <h3>Belongs to it</h3>
        <${Rows} label="Belongs to it"
          >${related.map(
            ({ collection: other, id: otherId, title: name, status: state, amount, at }) =>
              html`<${Row}
                key=${otherId}
                href=${formatAddress({ view: other, id: otherId })}
                title=${`${nounOf(other)} ${shortId(name)}`}
                badge=${html`<${Badge} status=${state} collection=${other} />`}
                left=${amount}
                at=${at}
              />`,
          )}<//
        >
      </section>`
    }
    <section><${Acts} id=${id} collection=${collection} status=${status} acts=${acts} /></section>
    <section>
      <h3>What happened</h3>
      ${entries.length === 0 && html`<${Empty}>It has no history yet.<//>`}
      <${Timeline} entries=${entries} />
    </section>
    ${
      deliveries.length > 0 &&
      html`<section>
        <div class="title">
          <h3>Webhooks</h3>
          <a href=${formatAddress(address)}>all of them</a>
        </div>
        <${Rows} label="Webhooks"
          >${deliveries.map((/** @type {any} */ one) => html`<${DeliveryRow} key=${one.id} delivery=${one} address=${address} />`).reverse()}<//
        >
      </section>`
    }
    <section>
      <h3>As the platform API returns it</h3>
      <${JsonView} value=${thing} />
    </section>`;
}
