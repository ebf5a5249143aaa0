// @ts-check
import { choiceField, searchField, tally } from "./list-pieces.js";
import { counted, matches } from "./words.js";
import { deliveryRow } from "./delivery-row.js";
import { deliverySections } from "./delivery-view.js";
import { el } from "./dom.js";
import { heading, nothing, table } from "./pieces.js";
import { healthOf } from "./health.js";
import { SHOWN_MAX } from "./view.js";

/** @typedef {import("./view.js").Context} Context */
/** @typedef {import("./delivery-row.js").Delivery} Delivery */

const STATUSES = ["scheduled", "retrying", "delivered", "undelivered", "lost"];

/** Filters that the sandbox itself applies. */
const ASKED = ["status", "event", "object", "attempts", "injected"];

/** The delivery log. @type {import("./view.js").View} */
export const deliveriesView = { title: "Deliveries", list: listSections, detail: deliverySections };

/** @param {Context} context */
async function listSections(context) {
  const { api, address } = context;
  const { q = "", answer = "", ...rest } = address.query;
  const asked = new URLSearchParams(ASKED.flatMap((name) => (rest[name] ? [[name, rest[name]]] : [])));
  const [{ data }, { data: counts }] = await Promise.all([
    api.get(`/deliveries?${String(asked)}&last=${SHOWN_MAX}`),
    api.get("/resources"),
  ]);
  const all =
    counts.find((/** @type {any} */ { collection }) => collection === "webhook-events")?.count ?? data.length;
  const found = data
    .filter(
      (/** @type {Delivery} */ one) =>
        answeredWith(one, answer) &&
        matches(q, one["id"], one["event"], one["objectId"], one["url"], one["body"]),
    )
    .reverse();
  const failed = found.filter((/** @type {Delivery} */ { status }) => status === "undelivered").length;
  return [
    {
      key: "deliveries.head",
      data: [address.query, found.length, all, failed],
      build: () => [
        heading(
          "Deliveries",
          failed > 0 &&
            el(
              "button",
              { onclick: () => void resendAll(context) },
              `Resend ${counted(failed, "undelivered")}`.replace("undelivereds", "undelivered"),
            ),
        ),
        filters(context),
        tally(found.length, Math.max(found.length, all)),
      ],
    },
    { key: "deliveries.health", data: healthOf(data), build: () => healthSection(healthOf(data)) },
    {
      key: "deliveries.rows",
      data: [found, address],
      build: () => [
        ...found.map((/** @type {Delivery} */ one) => deliveryRow(one, address)),
        found.length === 0 &&
          nothing(
            all === 0
              ? "No webhook has left yet. Each change of state sends one."
              : "Nothing matches the filters.",
          ),
      ],
    },
  ];
}

/**
 * How the endpoints are doing that these deliveries went to.
 *
 * @param {readonly import("./health.js").Health[]} all
 */
function healthSection(all) {
  if (all.length === 0) return null;
  const failing = all.filter(({ failuresInARow }) => failuresInARow > 0).length;
  const rows = all.map(({ url, attempts, taken, failuresInARow, median, slow }) => [
    el("span.wrap", {}, url),
    `${Math.round((100 * taken) / attempts)} % of ${attempts}`,
    failuresInARow === 0 ? el("span.good", {}, "none") : el("span.bad", {}, String(failuresInARow)),
    median === undefined ? "" : `${median} / ${slow} ms`,
  ]);
  return el(
    "details.act",
    { "data-keep": "deliveries.health" },
    el(
      "summary",
      {},
      el("span", {}, "endpoints"),
      el(
        failing > 0 ? "span.bad" : "span.soft",
        {},
        failing > 0
          ? `${failing} of ${all.length} failing now`
          : `${counted(all.length, "endpoint")}, all answering`,
      ),
    ),
    table(["endpoint", "acknowledged", "failed in a row", "median / p95"], rows),
  );
}

/** @param {Context} context */
function filters(context) {
  const { address, filter } = context;
  const typed = (/** @type {string} */ name, /** @type {string} */ label) =>
    el("input", {
      type: "search",
      "data-keep": name,
      placeholder: label,
      "aria-label": label,
      value: address.query[name] ?? "",
      onchange: (event) => filter({ [name]: event.target.value.trim() }),
    });
  return el(
    "div.filters",
    {},
    searchField(context, "deliveries"),
    choiceField(context, "status", "any state", STATUSES),
    choiceField(context, "answer", "any answer", ["2xx", "3xx", "4xx", "5xx", "none"]),
    choiceField(context, "attempts", "any attempts", ["0", "1", "2+", "5"]),
    choiceField(context, "injected", "faults or not", ["true", "false"]),
    typed("event", "event, such as ORDER-*"),
    typed("object", "object id"),
  );
}

/**
 * Whether the last attempt was answered with a status of that class.
 *
 * @param {Delivery} delivery
 * @param {string} wanted
 */
function answeredWith({ attempts }, wanted) {
  if (wanted === "") return true;
  const status = attempts.at(-1)?.status ?? null;
  return wanted === "none" ? status === null : status !== null && `${String(status)[0]}xx` === wanted;
}

/** @param {Context} context */
function resendAll({ api, address, perform }) {
  const { event, object } = address.query;
  return perform(async () => {
    const { resent, data } = await api.post("/deliveries/resend", {
      ...(event && { event }),
      ...(object && { object }),
    });
    const arrived = data.filter((/** @type {Delivery} */ { status }) => status === "delivered").length;
    return `Resent ${resent}; ${arrived} arrived.`;
  });
}
