// @ts-check
import { attemptSection } from "./attempt-view.js";
import { axisPositions, brasilia } from "./time.js";
import { badge, copyable, copyButton, heading, objectLink, table, when } from "./pieces.js";
import { changesBetween } from "./changes.js";
import { collectionTold } from "./collections.js";
import { el } from "./dom.js";
import { formatAddress } from "./address.js";
import { progressView } from "./delivery-row.js";
import { verifySection } from "./verify-box.js";

/** @typedef {import("./view.js").Context} Context */
/** @typedef {import("./delivery-row.js").Delivery} Delivery */

/**
 * One delivery: its attempts in time, one of them with what was sent and what came back, and its signature.
 *
 * @param {Context} context
 * @param {string} id
 */
export async function deliverySections(context, id) {
  const delivery = await context.api.get(`/deliveries/${encodeURIComponent(id)}`);
  const { attempts } = delivery;
  const before = await deliveryBefore(context, delivery);
  const { attempt: wanted = "", body: form = "json" } = context.address.query;
  const chosen =
    attempts.find((/** @type {any} */ { number }) => String(number) === wanted) ?? attempts.at(-1);
  const key = (/** @type {string} */ part) => `delivery.${id}.${part}`;
  return [
    { key: key("head"), data: delivery, build: () => head(context, delivery) },
    {
      key: key("axis"),
      data: [delivery, chosen?.number],
      build: () => axis(context, delivery, chosen?.number),
    },
    {
      key: key("attempt"),
      data: [chosen, form],
      build: () => chosen !== undefined && attemptSection(context, chosen, form),
    },
    {
      key: key("changes"),
      data: [delivery.body, before?.body],
      build: () => before !== undefined && changesSection(before, delivery),
    },
    {
      key: key("verify"),
      data: chosen?.number,
      build: () => chosen !== undefined && verifySection(context, id, chosen),
    },
  ];
}

/**
 * The delivery before this one that is about the same object; undefined where this is its first.
 *
 * @param {Context} context
 * @param {Delivery} delivery
 * @returns {Promise<Delivery | undefined>}
 */
async function deliveryBefore({ api }, { id, objectId, duplicateOf }) {
  const { data } = await api.get(`/deliveries?object=${encodeURIComponent(objectId)}`);
  const own = data.findIndex((/** @type {Delivery} */ one) => one["id"] === id);
  return data
    .slice(0, Math.max(0, own))
    .findLast((/** @type {Delivery} */ one) => one["duplicateOf"] === null && one["id"] !== duplicateOf);
}

/**
 * What this event says otherwise than the one before it about the same object.
 *
 * @param {Delivery} before
 * @param {Delivery} delivery
 */
function changesSection(before, delivery) {
  const rows = changesBetween(before["body"], delivery["body"]).map(({ path, before: old, after: young }) => [
    path,
    shown(old),
    shown(young),
  ]);
  const href = formatAddress({ view: "deliveries", id: before["id"] });
  return el(
    "details.act",
    { "data-keep": "changes" },
    el(
      "summary",
      {},
      el("span", {}, "changes"),
      el("span.soft", {}, "What is not as the event before said about this object?"),
    ),
    el("p.soft.small", {}, "Against ", el("a", { href }, before["event"]), "."),
    table(["field", "before", "now"], rows),
  );
}

/** @param {unknown} value */
function shown(value) {
  return el(
    "code.wrap",
    {},
    value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value),
  );
}

/**
 * @param {Context} context
 * @param {Delivery} delivery
 */
function head(context, delivery) {
  const {
    id,
    event,
    status,
    objectId,
    url,
    progress,
    createdAt,
    duplicateOf,
    injected,
    nextAttemptAt,
    attempts,
  } = delivery;
  const { api, perform } = context;
  const curl = attempts.at(-1)?.curl;
  const resend = () =>
    perform(async () => {
      const after = await api.post(`/deliveries/${id}/resend`);
      return `Resent: ${after.attempts.at(-1)?.status ?? after.attempts.at(-1)?.error ?? "on its way"}.`;
    });
  const toNext = () =>
    perform(async () => {
      const { to } = await api.post("/clock/advance", { to: nextAttemptAt });
      return `It is ${brasilia(to).time} in Brasília.`;
    });
  return [
    heading(event, badge(status)),
    el("p.soft", {}, progressView(delivery) ?? progress, nextAttemptAt === null && "."),
    el(
      "div.buttons",
      {},
      el(
        "button",
        { "data-resend": true, title: "One attempt by hand, signed now", onclick: () => void resend() },
        "Resend ",
        el("kbd", {}, "r"),
      ),
      nextAttemptAt &&
        el("button", { onclick: () => void toNext(), title: nextAttemptAt }, "Advance to the next attempt"),
      curl && copyButton(curl, "Copy as curl"),
    ),
    el(
      "dl.facts",
      {},
      ...fact("about", objectLink(objectId, collectionTold(`webhook ${event}`))),
      ...fact("to", el("span.wrap", {}, url)),
      ...fact("made", when(createdAt)),
      ...fact("id", copyable(id)),
      ...(duplicateOf === null
        ? []
        : fact(
            "repeats",
            el("a.id", { href: formatAddress({ view: "deliveries", id: duplicateOf }) }, duplicateOf),
          )),
      ...(injected.length === 0 ? [] : fact("faults", el("span.injected", {}, injected.join(", ")))),
    ),
  ];
}

/**
 * @param {string} name
 * @param {Node} value
 */
function fact(name, value) {
  return [el("dt", {}, name), el("dd", {}, value)];
}

/**
 * The attempts as dots on a line of the world's time, the next one hollow.
 *
 * @param {Context} context
 * @param {Delivery} delivery
 * @param {number | undefined} chosen
 */
function axis({ address, go }, { attempts, nextAttemptAt }, chosen) {
  const times = [
    ...attempts.map((/** @type {any} */ { at }) => Date.parse(at)),
    ...(nextAttemptAt === null ? [] : [Date.parse(nextAttemptAt)]),
  ];
  if (times.length === 0) return null;
  const positions = axisPositions(times);
  const dots = attempts.map(
    (/** @type {any} */ { number, at, status, error, trigger }, /** @type {number} */ index) => {
      const met = String(status ?? error);
      const dot = el(
        `button.dot.${error === null ? "good" : "bad"}`,
        {
          title: `Attempt ${number}, ${trigger}: ${met} at ${at}`,
          "aria-pressed": String(number === chosen),
          onclick: () => go({ ...address, query: { ...address.query, attempt: String(number) } }),
        },
        String(number),
      );
      dot.style.left = `${(positions[index] ?? 0) * 100}%`;
      return dot;
    },
  );
  const next =
    nextAttemptAt === null ? null : el("span.dot.next", { title: `The next attempt: ${nextAttemptAt}` });
  if (next !== null) next.style.left = "100%";
  return [
    el("div.axis", { role: "group", "aria-label": "Attempts in the world's time" }, ...dots, next),
    el(
      "p.ends.soft.small",
      {},
      when(attempts[0]?.at ?? nextAttemptAt),
      times.length > 1 && when(nextAttemptAt ?? attempts.at(-1)?.at),
    ),
  ];
}
