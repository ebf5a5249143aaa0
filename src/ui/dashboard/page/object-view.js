// @ts-check
import { actsFor, fieldsOf } from "./schema-fields.js";
import { badge, copyable, heading, nothing } from "./pieces.js";
import { deliveryRow } from "./delivery-row.js";
import { el } from "./dom.js";
import { formatAddress } from "./address.js";
import { jsonView } from "./json-view.js";
import { schemaForm } from "./form.js";
import { collections, summaryOf } from "./collections.js";
import { timeline } from "./timeline.js";

/** @typedef {import("./view.js").Context} Context */
/** @typedef {import("./view.js").Act} Act */

/**
 * One object: what can be done with it now, what became of it and why, its webhooks, and its shape.
 *
 * @param {Context} context
 * @param {{ collection: string, one: string, id: string }} chosen
 */
export async function objectSections(context, { collection, one, id }) {
  const { api } = context;
  const [thing, { data: lines }, { data: deliveries }] = await Promise.all([
    api.get(`/resources/${collection}/${encodeURIComponent(id)}`),
    api.get(`/timeline?about=${encodeURIComponent(id)}`),
    api.get(`/deliveries?object=${encodeURIComponent(id)}&last=20`),
  ]);
  const { title, status, amount } = summaryOf(thing);
  const acts = actsFor(context.acts, collection, status);
  const key = (/** @type {string} */ part) => `${collection}.${id}.${part}`;
  return [
    {
      key: key("head"),
      data: [title, status, amount],
      build: () => [
        heading(title, badge(status)),
        el("p.soft", {}, `${one} `, copyable(id), amount && ` · ${amount}`),
      ],
    },
    {
      key: key("acts"),
      data: acts,
      build: () => actSection(context, { acts, id, one, status, plan: collections[collection]?.plan }),
    },
    {
      key: key("timeline"),
      data: lines,
      build: () => [
        el("h3", {}, "What happened"),
        lines.length === 0
          ? nothing("Nothing has become of it yet.")
          : timeline(api, lines, { whole: false }),
      ],
    },
    {
      key: key("deliveries"),
      data: deliveries,
      build: () =>
        deliveries.length > 0 && [
          el(
            "h3",
            {},
            "Webhooks ",
            el(
              "a.aside",
              { href: formatAddress({ view: "deliveries", query: { object: id } }) },
              "all of them",
            ),
          ),
          ...deliveries
            .map((/** @type {any} */ delivery) =>
              deliveryRow(delivery, { view: "deliveries", query: { object: id } }),
            )
            .reverse(),
        ],
    },
    {
      key: key("shape"),
      data: thing,
      build: () => [el("h3", {}, "As the interface shows it"), jsonView(thing)],
    },
  ];
}

/**
 * The acts that its state allows: those that take no fields as buttons, the others as forms that open.
 *
 * @param {Context} context
 * @param {{ acts: readonly Act[], id: string, one: string, status: string, plan: string | undefined }} about
 */
function actSection(context, { acts, id, one, status, plan }) {
  if (acts.length === 0)
    return el("p.nothing", {}, `Nothing more can be done to a ${one} that is ${status}.`);
  const plain = acts.filter(({ schema }) => schema === null);
  const asking = acts.filter(({ schema }) => schema !== null);
  const act = (/** @type {Act} */ { act: name }, /** @type {object} */ fields) =>
    context.perform(async () => {
      const { status: now } = await context.api.post(`/acts/${name}`, { id, ...fields });
      return `${name}: ${now ?? "done"}.`;
    });
  return [
    el("h3", {}, "What the outside can do now"),
    plain.length > 0 &&
      el(
        "div.buttons",
        {},
        ...plain.map((one) =>
          el("button", { title: one.summary, onclick: () => void act(one, {}) }, verb(one)),
        ),
      ),
    ...asking.map((one) =>
      el(
        "details.act",
        { "data-keep": one.act },
        el("summary", { title: one.summary }, el("span", {}, verb(one)), el("span.soft", {}, one.summary)),
        schemaForm({
          name: one.act,
          fields: fieldsOf(one.schema),
          submit: verb(one),
          send: (fields) => act(one, fields),
        }),
      ),
    ),
    plan !== undefined &&
      el(
        "p.soft.small",
        {},
        el(
          "a",
          { href: formatAddress({ view: "plans", query: { on: id, plan } }) },
          "Plan what it will meet",
        ),
        " when time moves on.",
      ),
  ];
}

/** @param {Act} act */
function verb({ act }) {
  return act.slice(act.indexOf(".") + 1).replaceAll("-", " ");
}
