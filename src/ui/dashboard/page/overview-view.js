// @ts-check
import { ActButtons } from "./acts.js";
import { api, perform, WEBHOOK_EVENTS } from "./app.js";
import {
  Badge,
  Copyable,
  CopyButton,
  Empty,
  Facts,
  Heading,
  Name,
  ObjectLink,
  Until,
  When,
} from "./components.js";
import { callCommand, shownCompany } from "./commands.js";
import { DeliveryRow } from "./deliveries-view.js";
import { formatAddress } from "./address.js";
import { GettingStarted } from "./getting-started.js";
import { html, useState } from "./preact.js";
import { isInjectedFailure } from "./deliveries.js";
import { errorText, nameOf, parsed, shortId, summaryOf, toneOf } from "./text.js";
import { RequestRow } from "./requests-view.js";
import { reportOf, runScenario, scenarioAddress } from "./scenarios-view.js";

/** @typedef {import("./app.js").Count} Count */
/** @typedef {import("./deliveries.js").Delivery} Delivery */
/** @typedef {import("./requests-view.js").LoggedRequest} LoggedRequest */
/** @typedef {import("./scenarios-view.js").Scenario} Scenario */
/** @typedef {import("./timeline-view.js").Entry} Entry */

/** @typedef {{ at: string, timer: string, objectId: string, collection: string | null, count: number, event?: string | undefined }} Due the event of a webhook that is sent again, where it is one of the last ones */
/** @typedef {{ collection: string, id: string, status: string, title: string, amount: string }} OpenObject */
/** @typedef {{ at: string, what: string, result: string, why: string, href: string }} Failure */

/**
 * @typedef {object} Overview
 * @property {number} now the world's time
 * @property {readonly Count[]} collections
 * @property {readonly OpenObject[]} open what waits for somebody, the newest first
 * @property {string | undefined} accepted the newest subscription that can be charged
 * @property {{ data: readonly Due[], total: number }} due
 * @property {readonly LoggedRequest[]} requests the last ones, the newest first
 * @property {readonly Delivery[]} deliveries the last ones, the newest first
 * @property {readonly Failure[]} failures the newest first
 * @property {readonly Scenario[]} scenarios
 */

/** The state of a world at a glance. @type {import("./app.js").View} */
export const overviewView = { title: "Overview", load, List };

/** Entries of each list. */
const ROWS = 6;

/** Entries of the journal in which failures are looked for. */
const LATELY = 300;

/** @returns {Promise<Overview>} */
async function load() {
  const [
    { now },
    { data: collections },
    due,
    requests,
    badRequests,
    brokenRequests,
    deliveries,
    { next },
    scenarios,
  ] = await Promise.all([
    api.get("/clock"),
    api.get("/resources"),
    api.get(`/clock/due?limit=${10 * ROWS}`),
    api.get(`/requests?limit=${ROWS}`),
    api.get(`/requests?status=4xx&limit=${ROWS}`),
    api.get(`/requests?status=5xx&limit=${ROWS}`),
    api.get(`/deliveries?last=${5 * ROWS}`),
    api.get("/timeline?since=999999999"),
    api.get("/scenarios"),
  ]);
  const [open, charged, { data: entries }] = await Promise.all([
    openObjects(collections),
    api.get("/resources/subscriptions?status=ACCEPTED&last=1"),
    api.get(`/timeline?since=${Math.max(1, next - LATELY)}`),
  ]);
  const failures = [
    ...[...badRequests.data, ...brokenRequests.data].map(failedRequest),
    ...deliveries.data.flatMap(failedDelivery),
    ...entries
      .filter((/** @type {Entry} */ { collection }) =>
        collections.some((/** @type {Count} */ one) => one.collection === collection),
      )
      .flatMap(failedObject),
  ];
  return {
    now: Date.parse(now),
    collections,
    open,
    accepted: charged.data[0]?.id,
    due: {
      data: merged(due.data)
        .slice(0, ROWS)
        .map((one) => ({ ...one, event: eventOf(one, deliveries.data) })),
      total: due.total,
    },
    requests: requests.data.toReversed(),
    deliveries: deliveries.data.toReversed(),
    failures: failures.sort((one, other) => Date.parse(other.at) - Date.parse(one.at)).slice(0, ROWS),
    scenarios: scenarios.data,
  };
}

/** @param {Due} due @param {readonly Delivery[]} deliveries */
function eventOf({ objectId }, deliveries) {
  return deliveries.find(({ id }) => id === objectId)?.event;
}

/**
 * What is due at the same time for the same object, as one: a payout in parts settles them together.
 *
 * @param {readonly Due[]} due
 * @returns {Due[]}
 */
function merged(due) {
  const groups = Map.groupBy(due, ({ at, timer, objectId }) => `${at} ${timer} ${objectId}`);
  return Array.from(groups.values(), ([first, ...others]) => ({
    .../** @type {Due} */ (first),
    count: others.length + 1,
  }));
}

/**
 * The newest objects that wait for something, those of the collections that stand first before the others.
 *
 * @param {readonly Count[]} collections
 * @returns {Promise<OpenObject[]>}
 */
async function openObjects(collections) {
  const waiting = waitingCounts(collections);
  const lists = await Promise.all(
    waiting.map(({ collection, status }) =>
      api.get(`/resources/${collection}?status=${status}&last=${ROWS}`),
    ),
  );
  return lists
    .flatMap(({ data }, index) =>
      data.toReversed().map((/** @type {any} */ one) => ({ ...summaryOf(one), ...waiting[index] })),
    )
    .slice(0, ROWS);
}

/** How many objects wait for something, by collection and status. @param {readonly Count[]} collections */
function waitingCounts(collections) {
  return collections
    .filter(({ collection }) => collection !== WEBHOOK_EVENTS)
    .flatMap(({ collection, statuses }) =>
      Object.entries(statuses)
        .filter(([status]) => toneOf(status) === "waiting")
        .map(([status, count]) => ({ collection, status, count })),
    );
}

/** @param {LoggedRequest} request @returns {Failure} */
function failedRequest({ id, at, method, path, status, responseBody }) {
  const href = formatAddress({ view: "requests", id });
  const why = errorText(parsed(responseBody ?? ""), status ?? 0);
  return { at, what: `${method} ${path}`, result: String(status), why, href };
}

/**
 * A delivery whose last attempt failed by itself: what a fault of the sandbox did is no failure.
 *
 * @param {Delivery} delivery
 * @returns {Failure[]}
 */
function failedDelivery({ id, event, status, url, attempts }) {
  const last = attempts.at(-1);
  if (last === undefined || last.error === null || isInjectedFailure(last)) return [];
  const result = `${last.status ?? last.error}${status === "retrying" ? ", retrying" : ""}`;
  return [{ at: last.at, what: event, result, why: url, href: formatAddress({ view: "deliveries", id }) }];
}

/** @param {Entry} entry @returns {Failure[]} */
function failedObject({ kind, at, to, objectId, collection, cause }) {
  if (kind !== "transition" || to === undefined || toneOf(to) !== "bad" || !objectId || !collection)
    return [];
  const href = formatAddress({ view: collection, id: objectId });
  return [{ at, what: `${nameOf(collection)} ${shortId(objectId)}`, result: to, why: cause, href }];
}

/** @param {{ data: Overview }} props */
function List({ data }) {
  const { requests, deliveries, failures, due, scenarios } = data;
  const rows = (/** @type {readonly any[]} */ list) => list.slice(0, ROWS);
  return html`<section><${Heading} title="Overview" /></section>
    <${GettingStarted} overview=${data} />
    <div class="overview">
      <div>
        <${Card} title="Open">
          <${Open} ...${data} />
        <//>
        <${Card} title="Failed lately">
          ${failures.map((one) => html`<${FailureRow} key=${one.href + one.at} ...${one} />`)}
          ${failures.length === 0 && html`<${Empty}>Nothing failed. A refused call, a webhook that nobody acknowledged and a payment in ERROR appear here.<//>`}
        <//>
        <${Card} title="Last requests" view="requests">
          ${rows(requests).map((one) => html`<${RequestRow} key=${one.id} request=${one} address=${{ view: "overview" }} />`)}
          ${requests.length === 0 && html`<${Empty}>No request yet. Each call of the interface appears here, refused ones too.<//>`}
        <//>
        <${Card} title="Connect" view="world" more="all companies"><${Connection} /><//>
      </div>
      <div>
        <${Card} title="Due next" note=${due.total > ROWS ? `${due.total} in all` : ""}>
          ${due.data.map((one) => html`<${DueRow} key=${`${one.timer} ${one.objectId}`} ...${one} />`)}
          ${due.data.length === 0 && html`<${Empty}>Nothing is due. A charge, a payout and a webhook to send again are due at their time.<//>`}
        <//>
        <${Card} title="Last webhooks" view="deliveries">
          ${rows(deliveries).map((one) => html`<${DeliveryRow} key=${one.id} delivery=${one} address=${{ view: "deliveries" }} />`)}
          ${deliveries.length === 0 && html`<${Empty}>No webhook yet. Each change of a status sends one.<//>`}
        <//>
        <${Card} title="Scenarios" view="scenarios" more=${`all ${scenarios.length}`}>
          <p class="soft small">Each runs in a world of its own. This world stays as it is.</p>
          ${offered(scenarios).map((one) => html`<${ScenarioRow} key=${one.name} scenario=${one} />`)}
        <//>
      </div>
    </div>`;
}

/**
 * @param {{ title: string, view?: string, more?: string, note?: string, children?: any }} props `view` has all of it
 */
function Card({ title, view, more = "all", note, children }) {
  return html`<section class="card" aria-label=${title}>
    <h3>
      ${title}${note && html`<span class="soft">${note}</span>`}
      ${view && html`<a href=${formatAddress({ view })}>${more}</a>`}
    </h3>
    ${children}
  </section>`;
}

/** @param {Overview} props */
function Open({ collections, open }) {
  const counts = waitingCounts(collections);
  if (counts.length === 0)
    return html`<${Empty}
      >Nothing is open. A subscription that waits for its payer, and an order that waits for its payment,
      appear here.<//
    >`;
  return html`<p class="chips">
      ${counts.map(
        ({ collection, status, count }) =>
          html`<a class="chip" href=${formatAddress({ view: collection, query: { status } })}>
            ${`${count} ${count === 1 ? nameOf(collection) : collection.replaceAll("-", " ")} `}<b
              >${status}</b
            >
          </a>`,
      )}
    </p>
    ${open.map(({ collection, id, status, title, amount }) => {
      const href = formatAddress({ view: collection, id });
      return html`<div class="row line" key=${id}>
        <span
          ><a href=${href}><b>${title}</b></a
          >${amount && html`<span class="soft">${` ${amount}`}</span>`}</span
        >
        <span class="buttons">
          <${Badge} status=${status} />
          <${ActButtons} id=${id} collection=${collection} status=${status} about=${title} isShort />
          <a class="button" href=${href} aria-label="All acts on ${title}">…</a>
        </span>
      </div>`;
    })}`;
}

/** @param {Due} props */
function DueRow({ at, timer, objectId, collection, count, event }) {
  const advance = () =>
    perform(async () => {
      await api.post("/clock/advance", { to: at });
    });
  const view = collection === WEBHOOK_EVENTS ? "deliveries" : collection;
  return html`<div class="row">
    <span class="line">
      <span
        ><b><${Name} name=${timer} /></b>${count > 1 && html`<span class="soft">${` × ${count}`}</span>`}
        ${event && html`<span class="soft">${" "}<${Name} name=${event} /></span>`}</span
      >
      <span class="number">in <${Until} at=${at} /></span>
    </span>
    <span class="line soft">
      <span
        >${view === null ? shortId(objectId) : html`<${ObjectLink} id=${objectId} collection=${view} />`}</span
      >
      <span>
        <${When} at=${at} />${" "}
        <button class="quiet" aria-label="Advance to ${timer} at ${at}" onClick=${advance}>
          advance to it
        </button>
      </span>
    </span>
  </div>`;
}

/** @param {Failure} props */
function FailureRow({ at, what, result, why, href }) {
  return html`<a class="row" href=${href} data-row>
    <span class="line"
      ><b class="wrap"><${Name} name=${what} /></b><span class="badge bad">${result}</span></span
    >
    <span class="line soft"><span class="wrap">${why}</span><${When} at=${at} /></span>
  </a>`;
}

function Connection() {
  const { id, token, webhookSecret } = shownCompany() ?? {};
  if (token === undefined) return html`<${Empty}>This world has no company with a token.<//>`;
  const facts = [
    ["base URL", html`<${Copyable} text=${location.origin} />`],
    [`token of ${id}`, html`<${Copyable} text=${token} />`],
    ["webhook secret", html`<${Copyable} text=${webhookSecret} />`],
  ];
  return html`<${Facts} facts=${facts} />
    <p class="buttons">
      <${CopyButton}
        text=${callCommand("GET", "/order/v1/banking/accounts")}
        label="Copy a first call as curl"
      />
      <a class="button" href="/docs">Reference</a>
    </p>`;
}

/** Scenarios that show what the sandbox does, one for each of its areas. */
const FEATURED = [
  "subscriptions/accepted.yaml",
  "charges/three-resends-then-settled.yaml",
  "payouts/paid-by-key.yaml",
  "orders/pix-paid.yaml",
  "refunds/in-two-parts.yaml",
  "faults/lost-200.yaml",
];

/** A person's own scenarios, the newest first, then the featured ones. @param {readonly Scenario[]} scenarios */
function offered(scenarios) {
  const own = scenarios.filter(({ file }) => file === null).reverse();
  const featured = FEATURED.flatMap((name) => scenarios.find(({ file }) => file === name) ?? []);
  return [...own, ...featured].slice(0, ROWS);
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
  return html`<div class="row line">
    <a href=${scenarioAddress(scenario)}>${scenario.name}</a>
    <span class="buttons">
      ${status !== undefined && html`<${Badge} status=${status} />`}
      <button disabled=${isRunning} aria-label="Run ${scenario.name}" onClick=${run}>
        ${isRunning ? "Running…" : "Run"}
      </button>
    </span>
  </div>`;
}
