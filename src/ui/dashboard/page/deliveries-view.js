// @ts-check
import { api, app, filter, perform, SHOWN_MAX, WEBHOOK_EVENTS } from "./app.js";
import {
  Badge,
  ChoiceField,
  Disclosure,
  Empty,
  Heading,
  Name,
  SearchField,
  Table,
  Tally,
  When,
} from "./components.js";
import { healthOf, isInjectedFailure } from "./deliveries.js";
import { counted, matches, shortId } from "./text.js";
import { DeliveryDetail, loadDelivery, NextAttempt } from "./delivery-detail.js";
import { formatAddress } from "./address.js";
import { html } from "./preact.js";

/** @typedef {import("./deliveries.js").Delivery} Delivery */

/** The deliveries of webhooks. @type {import("./app.js").View} */
export const deliveriesView = {
  title: "Deliveries",
  load,
  List,
  loadOne: loadDelivery,
  One: DeliveryDetail,
};

const STATUSES = ["scheduled", "retrying", "delivered", "undelivered", "lost"];

/** Filters that the sandbox applies; the others are applied here. */
const API_FILTERS = ["status", "event", "object", "attempts", "injected"];

async function load() {
  const { query } = app.address;
  const filters = new URLSearchParams(
    API_FILTERS.flatMap((name) => (query[name] ? [[name, query[name]]] : [])),
  );
  return (await api.get(`/deliveries?${String(filters)}&last=${SHOWN_MAX}`)).data;
}

/** @param {{ data: readonly Delivery[] }} props */
function List({ data: deliveries }) {
  const { address, counts } = app;
  const { count = 0 } = counts.find(({ collection }) => collection === WEBHOOK_EVENTS) ?? {};
  const { q = "", answer = "", event, object } = address.query;
  const found = deliveries
    .filter(
      (one) =>
        wasAnsweredWith(one, answer) &&
        matches(q, one["id"], one["event"], one["objectId"], one["url"], one["body"]),
    )
    .reverse();
  const undelivered = found.filter(({ status }) => status === "undelivered").length;
  const resend = () =>
    perform(async () => {
      const filter = { ...(event && { event }), ...(object && { object }) };
      const { resent, data } = await api.post("/deliveries/resend", filter);
      const delivered = data.filter((/** @type {Delivery} */ { status }) => status === "delivered").length;
      return `Resent ${resent}; ${delivered} delivered.`;
    });
  return html`<section>
      <${Heading} title="Deliveries">
        ${undelivered > 0 && html`<button onClick=${resend}>Resend ${undelivered} undelivered</button>`}
      <//>
      <div class="filters">
        <${SearchField} what="deliveries" />
        <${ChoiceField} name="status" label="any status" choices=${STATUSES} />
        <${ChoiceField} name="answer" label="any answer" choices=${["2xx", "3xx", "4xx", "5xx", "none"]} />
        <${ChoiceField} name="attempts" label="any attempts" choices=${["0", "1", "2+", "5"]} />
        <${ChoiceField} name="injected" label="with or without fault" choices=${["true", "false"]} />
        <${TextFilter} name="event" label="event, such as ORDER-*" />
        <${TextFilter} name="object" label="object id" />
      </div>
      <${Tally} found=${found.length} all=${Math.max(found.length, count)} />
    </section>
    <${Endpoints} deliveries=${deliveries} />
    <section>
      ${found.map((one) => html`<${DeliveryRow} key=${one["id"]} delivery=${one} address=${{ ...address, view: "deliveries" }} />`)}
      ${
        found.length === 0 &&
        html`<${Empty}>
          ${
            count === 0
              ? "No webhook was sent yet. Each change of a status sends one: accept a subscription, or let a payout settle."
              : "Nothing matches the filters."
          }
        <//>`
      }
    </section>`;
}

/** A filter that applies when the typed text is complete. @param {{ name: string, label: string }} props */
function TextFilter({ name, label }) {
  const { address } = app;
  const text = address.query[name] ?? "";
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
 * Whether the last attempt was answered with a status of that class.
 *
 * @param {Delivery} delivery
 * @param {string} answer `2xx`, or `none` for no answer; empty for any
 */
function wasAnsweredWith({ attempts }, answer) {
  if (answer === "") return true;
  const status = attempts.at(-1)?.status ?? null;
  return answer === "none" ? status === null : status !== null && `${String(status)[0]}xx` === answer;
}

/**
 * A delivery in a list: its event, its status, and the result of the last attempt.
 *
 * @param {{ delivery: Delivery, address: import("./address.js").Address }} props `address` is the list's
 */
export function DeliveryRow({ delivery, address }) {
  const { id, event, objectId, status, attempts, createdAt, injected } = delivery;
  const { attempt: _, ...query } = address.query ?? {};
  const faults = [...injected, ...attempts.flatMap((/** @type {any} */ one) => one.injected)];
  return html`<a
    class="row"
    href=${formatAddress({ view: address.view, id, query })}
    data-row
    aria-current=${id === address.id ? "true" : undefined}
  >
    <span class="line"
      ><b><${Name} name=${event} /></b><${Badge} status=${status}
    /></span>
    <span class="line soft">
      <span>
        <code>${shortId(objectId)}</code>${" "}<${LastResult} attempts=${attempts} />
        ${faults.length > 0 && html`<i class="injected" title=${faults.join(", ")}>${" "}fault</i>`}
      </span>
      <span>
        <${NextAttempt} delivery=${delivery} />${delivery.nextAttemptAt && " · "}<${When} at=${createdAt} />
      </span>
    </span>
  </a>`;
}

/** @param {{ attempts: readonly Record<string, any>[] }} props */
function LastResult({ attempts }) {
  const last = attempts.at(-1);
  if (last === undefined) return html`<span>no attempt yet</span>`;
  const tone = last["error"] === null ? "good" : isInjectedFailure(last) ? "injected" : "bad";
  return html`<span class=${tone}>${last["status"] ?? last["error"]}</span>`;
}

/** The health of the endpoints of these deliveries. @param {{ deliveries: readonly Delivery[] }} props */
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
  return html`<section>
    <${Disclosure} label="endpoints" hint=${hint}>
      <${Table} columns=${["endpoint", "acknowledged", "failures in a row", "median / p95"]} rows=${rows} />
    <//>
  </section>`;
}
