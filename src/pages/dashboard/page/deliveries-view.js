import { api, app, change, filter, learnNames, pageQuery, WEBHOOK_EVENTS } from "./app.js";
import { Badge, Disclosure, Faults, ListView, NOWHERE, ObjectName, Pages, Row, Table } from "./components.js";
import { healthOf, toneOfAttempt } from "./attempts.js";
import { shownCompany } from "./commands.js";
import { counted } from "./text.js";
import { DeliveryDetail, loadDelivery, NextAttempt } from "./delivery-detail.js";
import { formatAddress } from "./address.js";
import { html } from "../../html/preact.js";

/** @import { Address } from "./page-data.ts" */
/** @import { Delivery } from "../../../simulator/api/generated/shapes.ts" */

/** The deliveries of webhooks. @type {import("./page-data.ts").View} */
export const deliveriesView = { title: "Deliveries", load, List, loadOne: loadDelivery, One: DeliveryDetail };

const STATUSES = ["scheduled", "retrying", "delivered", "undelivered", "lost", "not-sent"];

async function load() {
  const filters = ["status", "event", "object", "attempts", "injected", "answer"];
  const page = await api.ask("GET /sandbox/deliveries", pageQuery(filters));
  await learnNames(page.data.map(({ collection }) => collection));
  return page;
}

/** @param {{ data: { data: readonly Delivery[], older?: string } }} props */
function List({ data: { data: deliveries, older } }) {
  const { address, collections } = app;
  const { count = 0 } = collections.find(({ collection }) => collection === WEBHOOK_EVENTS) ?? {};
  const { event, object } = address.query;
  const found = deliveries.toReversed();
  const undelivered = found.filter(({ status }) => status === "undelivered").length;
  const resend = () =>
    change(
      "POST /sandbox/deliveries/resend",
      ({ resent, data }) =>
        `Resent ${resent}; ${data.filter((/** @type {Delivery} */ { status }) => status === "delivered").length} delivered.`,
      { ...(event && { event }), ...(object && { object }) },
    );
  return html`<${ListView}
    title="Deliveries"
    side=${undelivered > 0 && html`<button onClick=${resend}>Resend ${undelivered} undelivered</button>`}
    search="deliveries"
    filters=${[
      ["status", "any status", STATUSES],
      ["answer", "any answer", ["2xx", "3xx", "4xx", "5xx", "none"]],
      ["attempts", "any attempts", ["0", "1", "2+", "5"]],
      ["injected", "with or without fault", ["true", "false"]],
    ]}
    moreFilters=${html`<${TextFilter} name="event" label="event, such as ORDER-*" />
      <${TextFilter} name="object" label="object id" />`}
    tally=${html`<${Pages} shown=${found.length} all=${Math.max(found.length, count)} older=${older} />`}
    columns=${["event", "status", "object, last answer", "next attempt", "created"]}
    above=${html`<${Destination} /><${Endpoints} deliveries=${deliveries} />`}
    rows=${found.map((one) => html`<${DeliveryRow} key=${one["id"]} delivery=${one} address=${{ ...address, view: "deliveries" }} />`)}
    none=${
      count === 0
        ? "No webhook yet. Each change of a status sends one, if a URL is set."
        : "Nothing matches the filters."
    }
  />`;
}

/** Shows the URL for the webhooks of the world. */
function Destination() {
  const { id, webhookUrl } = shownCompany() ?? {};
  return (
    id &&
    html`<p class="soft wrap">Webhooks of ${id} go ${webhookUrl === null ? NOWHERE : `to ${webhookUrl}`}.</p>`
  );
}

/** Shows a filter that applies when the typed text is complete. @param {{ name: string, label: string }} props */
function TextFilter({ name, label }) {
  const text = app.address.query[name] ?? "";
  return html`<input
    key=${text}
    type="search"
    placeholder=${label}
    aria-label=${label}
    defaultValue=${text}
    onChange=${(/** @type {any} */ { target }) => filter({ [name]: target.value.trim() })}
  />`;
}

/**
 * Shows a delivery in a list: its event, its status, and the result of the last attempt.
 *
 * @param {{ delivery: Delivery, address: Address }} props `address` is the list's
 */
export function DeliveryRow({ delivery, address }) {
  const { id, event, objectId, status, attempts, createdAt, injected, nextAttemptAt, duplicateOf } = delivery;
  const { attempt: _, ...query } = address.query ?? {};
  const last = attempts.at(-1);
  const result = last ? (last.status ?? last.error) : status === "not-sent" ? "no URL" : "no attempt yet";
  const faults = [...injected, ...attempts.flatMap((/** @type {any} */ one) => one.injected)];
  return html`<${Row}
    href=${formatAddress({ view: address.view, id, query })}
    isCurrent=${id === address.id}
    title=${event}
    badge=${html`<${Badge} status=${status} collection=${WEBHOOK_EVENTS} />`}
    left=${html`<${ObjectName} id=${objectId} />${" "}<span class=${last && toneOfAttempt(last)}
        >${result}</span
      >
      <${Faults} names=${faults} />${duplicateOf !== null && " · a copy"}`}
    right=${nextAttemptAt && html`<${NextAttempt} delivery=${delivery} />`}
    at=${createdAt}
  />`;
}

/** Shows the health of the endpoints of these deliveries. @param {{ deliveries: readonly Delivery[] }} props */
function Endpoints({ deliveries }) {
  const endpoints = healthOf(deliveries);
  if (endpoints.length === 0) return null;
  const failing = endpoints.filter(({ failuresInARow }) => failuresInARow > 0).length;
  const rows = endpoints.map(({ url, attempts, acknowledged, failuresInARow, medianMs, p95Ms }) => [
    html`<span class="wrap">${url}</span>`,
    `${Math.round((100 * acknowledged) / attempts)} % of ${attempts}`,
    html`<span class=${failuresInARow === 0 ? "good" : "bad"}>${failuresInARow || "none"}</span>`,
    medianMs === undefined ? "" : `${medianMs} / ${p95Ms} ms`,
  ]);
  const hint =
    failing > 0
      ? html`<span class="bad">${failing} of ${endpoints.length} failing now</span>`
      : `${counted(endpoints.length, "endpoint")}, all answering`;
  return html`<${Disclosure} label="endpoints" hint=${hint}>
    <${Table} columns=${["endpoint", "acknowledged", "failures in a row", "median / p95"]} rows=${rows} />
  <//>`;
}
