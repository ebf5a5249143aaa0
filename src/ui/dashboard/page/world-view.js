// @ts-check
import { badge, copyable, heading, nothing, sureButton, table, when } from "./pieces.js";
import { el } from "./dom.js";
import { schemaForm } from "./form.js";
import { chooseWorld, chosenWorld } from "./worlds.js";

/** @typedef {import("./view.js").Context} Context */
/** @typedef {import("./worlds.js").World} World */
/** @typedef {import("./schema-fields.js").Field} Field */

/** The worlds, their snapshots, and the credentials that lead into this one. @type {import("./view.js").View} */
export const worldView = { title: "World and keys", list: sections };

/** @param {Context} context */
async function sections(context) {
  const [{ data: worlds }, { data: snapshots }] = await Promise.all([
    context.api.get("/worlds"),
    context.api.get("/snapshots"),
  ]);
  const world = chosenWorld(worlds, context.api.worldToken);
  return [
    {
      key: "world.head",
      data: world,
      build: () => [
        heading(
          world === undefined ? "This world" : `World ${world.name}`,
          sureButton("Reset", "Really reset?", () => void reset(context)),
        ),
        el(
          "p.soft",
          {},
          "A reset gives back exactly what the start gave. A snapshot lets you come back to now, a fork lets both go on.",
        ),
      ],
    },
    { key: "world.snapshots", data: snapshots, build: () => snapshotSection(context, snapshots) },
    {
      key: "world.companies",
      data: world?.companies,
      build: () => world !== undefined && companySection(context, world),
    },
    { key: "world.worlds", data: [worlds, world?.id], build: () => worldsSection(context, worlds, world) },
  ];
}

/**
 * @param {Context} context
 * @param {readonly { id: string, at: string }[]} snapshots
 */
function snapshotSection(context, snapshots) {
  const { api, perform } = context;
  const restore = (/** @type {string} */ id) =>
    perform(async () => {
      await api.post(`/snapshots/${encodeURIComponent(id)}/restore`);
      return `The world goes on from ${id}.`;
    });
  return [
    el(
      "h3",
      {},
      "Snapshots ",
      el("button", { onclick: () => void takeSnapshot(context) }, "Take one now"),
      " ",
      el("button", { onclick: () => void fork(context) }, "Fork"),
    ),
    snapshots.length === 0
      ? nothing("None yet.")
      : table(
          ["snapshot", "the world's time", ""],
          snapshots
            .map(({ id, at }) => [
              id,
              when(at),
              sureButton("Go back to it", "Really go back?", () => void restore(id)),
            ])
            .reverse(),
        ),
  ];
}

/**
 * Takes a snapshot of the world.
 *
 * @param {Context} context
 */
export function takeSnapshot({ api, perform }) {
  return perform(async () => {
    const { id } = await api.post("/snapshots");
    return `Took snapshot ${id}.`;
  });
}

/**
 * Gives back what the start gave.
 *
 * @param {Context} context
 */
export function reset({ api, perform }) {
  return perform(async () => {
    await api.post("/reset");
    return "The world is as it was at the start.";
  });
}

/** @param {Context} context */
function fork({ api, perform }) {
  return perform(async () => {
    const { id } = await api.post("/fork");
    return `Made world ${id}, which goes on from here.`;
  });
}

/**
 * @param {Context} context
 * @param {World} world
 */
function companySection({ api, perform }, { companies }) {
  const field = /** @type {Field} */ ({
    path: ["url"],
    kind: "text",
    required: true,
    choices: [],
    hint: "Where its events go",
    example: "http://127.0.0.1:3000/webhooks",
  });
  return [
    el("h3", {}, "Companies and their credentials"),
    el(
      "div.companies",
      {},
      ...companies.map(({ id, clientId, clientSecret, token, webhookSecret }) => {
        const setUrl = (/** @type {Record<string, unknown>} */ body) =>
          perform(async () => {
            const { url } = await api.post("/acts/webhook.set-url", body, { as: token });
            return `The events of ${id} go to ${url}.`;
          });
        const facts = Object.entries({
          token,
          "client id": clientId,
          "client secret": clientSecret,
          "webhook secret": webhookSecret,
        });
        return el(
          "div.card",
          {},
          el("b", {}, id),
          el(
            "dl.facts",
            {},
            ...facts.flatMap(([name, value]) => [
              el("dt", {}, name),
              el("dd", {}, value === undefined ? "—" : copyable(value)),
            ]),
          ),
          schemaForm({
            name: `webhook.${id}`,
            fields: [field],
            submit: "Send its events there",
            send: setUrl,
          }),
        );
      }),
    ),
  ];
}

/**
 * @param {Context} context
 * @param {readonly World[]} worlds
 * @param {World | undefined} present
 */
function worldsSection(context, worlds, present) {
  const { api, perform } = context;
  const make = (/** @type {Record<string, unknown>} */ body) =>
    perform(async () => {
      const { id } = await api.post("/worlds", body);
      return `Made world ${id}.`;
    });
  const drop = (/** @type {string} */ id) =>
    perform(async () => {
      await api.send("DELETE", `/worlds/${encodeURIComponent(id)}`);
      return `Dropped world ${id}.`;
    });
  const rows = worlds.map(({ id, name, clock }) => [
    id === present?.id ? el("b", {}, name) : name,
    id,
    badge(clock.mode),
    when(clock.now),
    id === present?.id ? "shown here" : el("button.quiet", { onclick: () => chooseWorld(id) }, "Show"),
    id === "default" || id === present?.id ? null : sureButton("Drop", "Really drop?", () => void drop(id)),
  ]);
  return [
    el("h3", {}, "Worlds"),
    table(["name", "id", "clock", "time", "", ""], rows),
    el(
      "details.act",
      { "data-keep": "world.new" },
      el(
        "summary",
        {},
        el("span", {}, "new world"),
        el("span.soft", {}, "A complete sandbox of its own, with its own credentials."),
      ),
      schemaForm({ name: "world", fields: newWorldFields, submit: "Make it", send: make }),
    ),
  ];
}

/** @type {Field[]} */
const newWorldFields = [
  {
    path: ["name"],
    kind: "text",
    required: false,
    choices: [],
    hint: "What it is called",
    example: "checkout tests",
  },
  {
    path: ["seed"],
    kind: "number",
    required: false,
    choices: [],
    hint: "What its ids and chance are drawn from",
    example: "7",
  },
  {
    path: ["start"],
    kind: "text",
    required: false,
    choices: [],
    hint: "The timestamp its clock starts at",
    example: "2026-11-20T09:00:00-03:00",
  },
  {
    path: ["mode"],
    kind: "choice",
    required: false,
    choices: ["frozen", "running"],
    hint: "Whether its clock flows",
    example: "",
  },
  {
    path: ["webhookUrl"],
    kind: "text",
    required: false,
    choices: [],
    hint: "Where every webhook goes",
    example: "http://127.0.0.1:3000/webhooks",
  },
];
