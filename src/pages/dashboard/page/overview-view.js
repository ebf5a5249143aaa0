import { api, app, change, nounOf, perform, WEBHOOK_EVENTS } from "./app.js";
import {
  Badge,
  Copyable,
  CopyButton,
  Empty,
  Facts,
  Heading,
  Name,
  NOWHERE,
  ObjectLink,
  Row,
  Rows,
  toneIn,
  Until,
} from "./components.js";
import { callCommand, referencePage, shownCompany } from "./commands.js";
import { DeliveryRow } from "./deliveries-view.js";
import { formatAddress } from "./address.js";
import { GettingStarted } from "./getting-started.js";
import { html, useState } from "../../html/preact.js";
import { lastFailure } from "./attempts.js";
import { errorText, parsed, shortId, summaryOf } from "./text.js";
import { RequestRow } from "./requests-view.js";
import { countsOf, OPEN_ROWS, OpenObjects } from "./open-objects.js";
import { reportOf, runScenario, scenarioAddress } from "./scenarios-view.js";

/** @import { ComponentChildren as Children } from "preact" */
/** @import { Act, Entry, Summary } from "./page-data.ts" */
/** @import { CollectionCount as Collection, Delivery, Follower, LoggedRequest, ScenarioName as Scenario } from "../../../simulator/api/generated/shapes.ts" */

/**
 * @typedef {import("../../../simulator/api/generated/shapes.ts").Shapes["DueTimer"]} DueTimer
 * @typedef {DueTimer & { count: number, about: string }} Due
 * @typedef {Summary & { collection: string, error: string | undefined }} Found an object with its reading by the platform
 * @typedef {{ at: string, what: string, result: string, why: string, href: string }} Failure
 */

/**
 * @typedef {object} Overview
 * @property {number} now the world's time
 * @property {readonly Collection[]} collections
 * @property {readonly Found[]} open what waits for somebody, the newest first
 * @property {ReadonlyMap<string, readonly Act[]>} possible the acts that the platform accepts now, by object
 * @property {string | undefined} accepted the newest subscription that can be charged
 * @property {readonly Due[]} due
 * @property {number} dueCount
 * @property {readonly LoggedRequest[]} requests the last ones, the newest first
 * @property {readonly Delivery[]} deliveries the last ones, the newest first
 * @property {readonly Failure[]} failures the newest first
 * @property {readonly Scenario[]} scenarios
 * @property {readonly Follower[]} followers who follows the clock
 */

/** The state of a world at a glance. @type {import("./page-data.ts").View} */
export const overviewView = { title: "Overview", load, List };

/** The number of entries in each list. */
const ROWS = 6;

/** The number of journal entries that are searched for failures. */
const LATELY = 300;

/** @returns {Promise<Overview>} */
async function load() {
  const [{ now }, resources, due, requests, refused, broken, deliveries, { next }, scenarios, followers] =
    await Promise.all([
      api.ask("GET /sandbox/clock"),
      api.ask("GET /sandbox/resources"),
      api.ask("GET /sandbox/clock/due", { limit: 10 * ROWS, wait: "false" }),
      api.ask("GET /sandbox/requests", { limit: ROWS }),
      api.ask("GET /sandbox/requests", { status: "4xx", limit: ROWS }),
      api.ask("GET /sandbox/requests", { status: "5xx", limit: ROWS }),
      api.ask("GET /sandbox/deliveries", { last: 5 * ROWS }),
      api.ask("GET /sandbox/timeline", { since: 999_999_999 }),
      api.ask("GET /sandbox/scenarios"),
      api.ask("GET /sandbox/clock/followers"),
    ]);
  /** @type {readonly Collection[]} */
  const collections = resources.data.filter(
    (/** @type {Collection} */ one) => one.collection !== WEBHOOK_EVENTS,
  );
  const [open, bad, accepted, { data: entries }] = await Promise.all([
    newestThat("waiting", collections),
    newestThat("bad", collections),
    api.ask("GET /sandbox/resources/{collection}", {
      collection: "subscriptions",
      status: "ACCEPTED",
      last: 1,
    }),
    api.ask("GET /sandbox/timeline", { since: Math.max(1, next - LATELY) }),
  ]);
  const possible = await possibleActs(open);
  const known = new Map([...bad, ...open].map((one) => [one.id, one]));
  const failures = [
    ...[...refused.data, ...broken.data].map(failedRequest),
    ...failedDeliveries(deliveries.data),
    ...notSent(deliveries.data),
    ...entries.flatMap((/** @type {Entry} */ entry) => failedObject(entry, known)),
  ];
  return {
    now: Date.parse(now),
    collections,
    open,
    possible,
    accepted: /** @type {string | undefined} */ (accepted.data[0]?.["id"]),
    due: merged(due.data)
      .slice(0, ROWS)
      .map((one) => ({ ...one, about: aboutOf(one, known, deliveries.data) })),
    dueCount: due.total,
    requests: requests.data.toReversed(),
    deliveries: deliveries.data.toReversed(),
    failures: failures.sort((one, other) => Date.parse(other.at) - Date.parse(one.at)).slice(0, ROWS),
    scenarios: scenarios.data,
    followers: followers.data,
  };
}

/** Asks which acts the platform accepts for the objects that the page shows. @param {readonly Found[]} open */
async function possibleActs(open) {
  const groups = Map.groupBy(open, ({ collection, status }) => `${collection} ${status}`);
  const shown = [...groups.values()].flatMap((group) => group.slice(0, OPEN_ROWS));
  const acts = await Promise.all(shown.map(({ id }) => api.ask("GET /sandbox/acts", { object: id })));
  return new Map(shown.map(({ id }, index) => [id, /** @type {readonly Act[]} */ (acts[index]?.data ?? [])]));
}

/**
 * Merges the timers that are due at the same time for the same object: a payout in parts settles them
 * together.
 *
 * @param {readonly DueTimer[]} due
 */
function merged(due) {
  const groups = Map.groupBy(due, ({ at, timer, objectId, name }) => `${at} ${timer} ${objectId ?? name}`);
  return Array.from(groups.values(), ([first, ...others]) => ({
    .../** @type {DueTimer} */ (first),
    count: others.length + 1,
  }));
}

/**
 * Returns the newest objects with a status of that tone, in the order of their collections.
 *
 * @param {import("../../html/components.js").Tone} tone
 * @param {readonly Collection[]} collections
 * @returns {Promise<Found[]>}
 */
async function newestThat(tone, collections) {
  const lists = await Promise.all(
    countsOf(tone, collections).map(async ({ collection, status }) => {
      const { data } = await api.ask("GET /sandbox/resources/{collection}", {
        collection,
        status,
        last: ROWS,
      });
      return data
        .map((/** @type {any} */ one) => ({ ...summaryOf(one), collection, status, error: one.errorMessage }))
        .reverse();
    }),
  );
  return lists.flat();
}

/**
 * Describes the object of a due timer: the event of a webhook, or the object's own name.
 *
 * @param {DueTimer} due
 * @param {ReadonlyMap<string, Found>} known
 * @param {readonly Delivery[]} deliveries
 */
function aboutOf({ objectId, collection, name = "" }, known, deliveries) {
  if (objectId === null) return name;
  if (collection === WEBHOOK_EVENTS)
    return deliveries.find(({ id }) => id === objectId)?.event ?? shortId(objectId);
  const title = shortId(known.get(objectId)?.title ?? objectId);
  return collection === null ? title : `${nounOf(collection)} ${title}`;
}

/** @param {LoggedRequest} request @returns {Failure} */
function failedRequest({ id, at, method, path, status, responseBody }) {
  const href = formatAddress({ view: "requests", id });
  const why = errorText(parsed(responseBody ?? ""), status ?? 0);
  return { at, what: `${method} ${path}`, result: String(status), why, href };
}

/** @param {Delivery} delivery @returns {Failure[]} */
function failedDelivery(delivery) {
  const { id, event, url } = delivery;
  const failed = lastFailure(delivery);
  return failed
    ? [{ ...failed, what: event, why: url, href: formatAddress({ view: "deliveries", id }) }]
    : [];
}

/**
 * Returns the failed deliveries of one URL and one result as one row, so that other rows stay in sight.
 *
 * @param {readonly Delivery[]} deliveries
 */
function failedDeliveries(deliveries) {
  const groups = Map.groupBy(deliveries.flatMap(failedDelivery), ({ why, result }) => `${result} ${why}`);
  return Array.from(groups.values(), (group) => {
    const last = /** @type {Failure} */ (group.at(-1));
    return group.length === 1 ? last : { ...last, what: `${last.what} and ${group.length - 1} before it` };
  });
}

/** Returns the events without a URL, as one failure. @param {readonly Delivery[]} deliveries @returns {Failure[]} */
function notSent(deliveries) {
  const [last, ...others] = deliveries.filter(({ status }) => status === "not-sent").reverse();
  if (last === undefined) return [];
  const what = `${last.event}${others.length > 0 ? ` and ${others.length} before it` : ""}`;
  const href = formatAddress({ view: "deliveries", query: { status: "not-sent" } });
  return [{ at: last.createdAt, what, result: "not-sent", why: last.progress, href }];
}

/** @param {Entry} entry @param {ReadonlyMap<string, Found>} known @returns {Failure[]} */
function failedObject({ kind, at, to, objectId, cause }, known) {
  const object = known.get(objectId ?? "");
  if (kind !== "transition" || object === undefined || to !== object.status) return [];
  if (toneIn(object.collection, to) !== "bad") return [];
  const { collection, id, title, error } = object;
  const href = formatAddress({ view: collection, id });
  return [{ at, what: `${nounOf(collection)} ${shortId(title)}`, result: to, why: error ?? cause, href }];
}

/** @param {{ data: Overview }} props */
function List({ data }) {
  const { requests, deliveries, failures, due, dueCount, scenarios, followers } = data;
  return html`<section><${Heading} title="Overview" isMain /></section>
    <${GettingStarted} overview=${data} />
    <div class="columns overview">
      <div>
        <${Card}
          title="Failed lately"
          none="No failures. Refused calls, unacknowledged webhooks and payments in ERROR appear here."
          rows=${failures.map((one) => html`<${FailureRow} key=${one.href + one.at} ...${one} />`)}
        />
        <${Card} title="Open"><${OpenObjects} ...${data} /><//>
        <${Card}
          title="Last requests"
          view="requests"
          none="No request yet. Each call of the platform API appears here, also a refused call."
          rows=${requests.map((one) => html`<${RequestRow} key=${one.id} request=${one} address=${{ view: "overview" }} />`)}
        />
        <${Card} title="Connect" view="world" more="all companies">
          <${Connection} />
        <//>
      </div>
      <div>
        <${Card}
          title="Due next"
          note=${dueCount > ROWS && `${dueCount} in all`}
          none="Nothing is due. Charges, payouts and webhook retries appear here before their time."
          rows=${due.map((one) => html`<${DueRow} key=${`${one.timer} ${one.objectId ?? one.name}`} ...${one} />`)}
        />
        ${
          followers.length > 0 &&
          html`<${Card}
            title="Followers of the clock"
            rows=${followers.map((one) => html`<${FollowerRow} key=${one.id} ...${one} />`)}
          />`
        }
        <${Card}
          title="Last webhooks"
          view="deliveries"
          none="No webhook yet. Each change of a status sends one."
          rows=${deliveries
            .slice(0, ROWS)
            .map(
              (one) =>
                html`<${DeliveryRow} key=${one["id"]} delivery=${one} address=${{ view: "deliveries" }} />`,
            )}
        />
        <${Card} title="Scenarios" view="scenarios" more=${`all ${scenarios.length}`}>
          <p class="soft small">Each scenario runs in a separate world. This world stays unchanged.</p>
          <ul>
            ${offered(scenarios).map((one) => html`<${ScenarioRow} key=${one.name} scenario=${one} />`)}
          </ul>
        <//>
      </div>
    </div>`;
}

/**
 * @param {{ title: string, view?: string, more?: string, note?: Children, rows?: readonly Children[], none?: string, children?: Children }} props
 *   `view` has all of it; `none` is shown in place of rows that are missing
 */
function Card({ title, view, more = "all", note, rows, none, children }) {
  return html`<section class="card" aria-label=${title}>
    <div class="title">
      <h3>${title}</h3>
      ${note && html`<span class="soft">${note}</span>`}
      ${view && html`<a href=${formatAddress({ view })}>${more}</a>`}
    </div>
    ${rows && (rows.length === 0 ? html`<${Empty}>${none}<//>` : html`<${Rows} label=${title}>${rows}<//>`)}${children}
  </section>`;
}

/** @param {Due} props */
function DueRow({ at, timer, objectId, collection, count, about }) {
  const advance = () => change("POST /sandbox/clock/advance", () => undefined, { to: at });
  const view = collection === WEBHOOK_EVENTS ? "deliveries" : collection;
  return html`<${Row}
    title=${html`<${Name} name=${timer} />${count > 1 && html`<span class="soft">${` × ${count}`}</span>`}`}
    badge=${html`<span class="number">in <${Until} at=${at} /></span>`}
    left=${view === null ? about : html`<${ObjectLink} id=${objectId} collection=${view} label=${about} />`}
    right=${html`<button class="quiet" aria-label="advance to it: ${timer} at ${at}" onClick=${advance}>
      advance to it
    </button>`}
    at=${at}
  />`;
}

/** Shows a program that follows the clock, and its next timer. @param {Follower} props */
function FollowerRow({ id, name, next, state }) {
  return html`<${Row}
    title=${name}
    badge=${html`<span class=${state === "idle" ? "badge" : "badge waiting"}>${state}</span>`}
    left=${next === null ? "waits for nothing" : "waits for its next timer"}
    right=${id}
    at=${next ?? undefined}
  />`;
}

/** @param {Failure} props */
function FailureRow({ at, what, result, why, href }) {
  return html`<${Row}
    href=${href}
    title=${what}
    badge=${html`<span class="badge bad">${result}</span>`}
    left=${why}
    at=${at}
  />`;
}

/** Shows the settings for a client and a receiver. */
function Connection() {
  const { id, token, webhookSecret = "", webhookUrl } = shownCompany() ?? {};
  if (token === undefined) return html`<${Empty}>This world has no company with a token.<//>`;
  const facts = {
    "base URL": html`<${Copyable} text=${location.origin} />`,
    [`token of ${id}`]: html`<${Copyable} text=${token} />`,
    "webhook secret": html`<${Copyable} text=${webhookSecret} />`,
    "webhooks go to": webhookUrl ?? NOWHERE,
  };
  return html`<${Facts} facts=${facts} />
    <p class="buttons">
      <${CopyButton}
        text=${callCommand("GET", "/order/v1/banking/accounts")}
        label="Copy a first call as curl"
      />
      <a class="button" href=${referencePage()}>Reference</a>
    </p>`;
}

/**
 * Returns a person's own scenarios, the newest first, then one scenario of each area.
 *
 * @param {readonly Scenario[]} scenarios
 */
function offered(scenarios) {
  const own = scenarios.filter(({ file }) => file === null).reverse();
  const areas = [...app.collections.map(({ scenario }) => scenario), "faults/lost-200.yaml"];
  const shipped = areas.flatMap((name) => scenarios.find(({ file }) => file !== null && file === name) ?? []);
  return [...own, ...shipped].slice(0, ROWS);
}

/** @param {{ scenario: Scenario }} props */
function ScenarioRow({ scenario }) {
  const [isRunning, setRunning] = useState(false);
  const status = reportOf(scenario)?.status;
  const run = async () => {
    setRunning(true);
    await perform(() => runScenario(scenario));
    setRunning(false);
  };
  return html`<li class="row line">
    <a href=${scenarioAddress(scenario)}>${scenario.name}</a>
    <span class="buttons">
      ${status !== undefined && html`<${Badge} status=${status} />`}
      <button disabled=${isRunning} aria-label="Run ${scenario.name}" onClick=${run}>
        ${isRunning ? "Running…" : "Run"}
      </button>
    </span>
  </li>`;
}
