// @ts-check
import { badge, jointed, until, when } from "./pieces.js";
import { el } from "./dom.js";
import { formatAddress } from "./address.js";
import { shortId } from "./words.js";

/** @typedef {Record<string, any>} Delivery as `/sandbox/deliveries` shows it */

/**
 * A delivery in a list: the event, how far it came, and what the last attempt met.
 *
 * @param {Delivery} delivery
 * @param {{ view: string, id?: string | undefined, query?: Record<string, string> }} address where the list is
 */
export function deliveryRow(delivery, { view, id: chosen, query = {} }) {
  const { id, event, objectId, status, attempts, createdAt, injected } = delivery;
  const { attempt: _, ...filters } = query;
  const touched = [...injected, ...attempts.flatMap((/** @type {any} */ one) => one.injected)];
  return el(
    "a.row",
    {
      href: formatAddress({ view, id, query: filters }),
      "data-row": true,
      "aria-current": id === chosen ? "true" : null,
    },
    el("span.line", {}, el("b", {}, jointed(event)), badge(status)),
    el(
      "span.line.soft",
      {},
      el(
        "span",
        {},
        el("code", {}, shortId(objectId)),
        " ",
        lastAnswer(delivery),
        touched.length > 0 && el("i.injected", { title: touched.join(", ") }, " fault"),
      ),
      el("span", {}, progressView(delivery), " ", when(createdAt)),
    ),
  );
}

/**
 * How far a delivery came: `2/5, next in 4 m 12 s`.
 *
 * @param {Delivery} delivery
 */
export function progressView({ progress, status, nextAttemptAt }) {
  const [, count = ""] = /(\d+\/\d+)/.exec(progress) ?? [];
  if (status === "lost" || status === "delivered" || status === "undelivered") return null;
  return el(
    "span",
    {},
    count,
    nextAttemptAt && [count && ", ", "next in "].join(""),
    nextAttemptAt && until(nextAttemptAt),
  );
}

/**
 * What the last attempt met: the receiver's status, or the word for what broke.
 *
 * @param {Delivery} delivery
 */
function lastAnswer({ attempts }) {
  const last = attempts.at(-1);
  if (last === undefined) return el("span", {}, "no answer yet");
  const good = last.error === null;
  return el(good ? "span.good" : "span.bad", {}, String(last.status ?? last.error));
}
