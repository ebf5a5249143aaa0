// @ts-check
import { api, perform } from "./app.js";
import {
  Badge,
  ConfirmButton,
  Copyable,
  Disclosure,
  Empty,
  Facts,
  Heading,
  Table,
  When,
} from "./components.js";
import { html } from "./preact.js";
import { openWorld, worldOfToken } from "./worlds.js";
import { SchemaForm } from "./form.js";

/** @typedef {import("./worlds.js").Company} Company */
/** @typedef {import("./worlds.js").World} World */
/** @typedef {import("./form-fields.js").Field} Field */
/** @typedef {{ id: string, at: string }} Snapshot */
/** @typedef {{ id: string, url: string | null, version: string, startedAt: string, seenAt: string, worlds: number }} Server */

/** Worlds that are listed: a shared sandbox may have thousands. */
const LISTED_MAX = 100;

/** The worlds, their snapshots, the servers that run them, and the credentials of this world. @type {import("./app.js").View} */
export const worldView = { title: "World and keys", load, List };

async function load() {
  const [{ data: worlds }, { data: snapshots }, { data: servers }] = await Promise.all([
    api.get("/worlds"),
    api.get("/snapshots"),
    api.get("/servers"),
  ]);
  return { worlds, snapshots, servers, world: worldOfToken(worlds, api.worldToken) };
}

/** @param {{ data: { worlds: readonly World[], snapshots: readonly Snapshot[], servers: readonly Server[], world: World | undefined } }} props */
function List({ data: { worlds, snapshots, servers, world } }) {
  const isShared = servers.length > 1 || worlds.some(({ state }) => state === "asleep");
  const { reset } = useWorldActions();
  return html`<section>
      <${Heading} title=${world === undefined ? "This world" : `World ${world.name}`}>
        <${ConfirmButton} label="Reset" question="Really reset?" confirmed=${reset} />
      <//>
      <p class="soft">
        A reset restores the start. A snapshot can be restored later. A fork is a new world that begins as
        this one is now.
      </p>
    </section>
    <section><${Snapshots} snapshots=${snapshots} /></section>
    ${
      world &&
      html`<section>
        <h3>Companies and their credentials</h3>
        <div class="companies">
          ${world.companies.map((company) => html`<${CompanyCard} key=${company.id} company=${company} />`)}
        </div>
      </section>`
    }
    <section><${Worlds} worlds=${worlds} present=${world?.id} isShared=${isShared} /></section>
    ${isShared && html`<section><${Servers} servers=${servers} present=${world?.server} /></section>`}`;
}

/** What the world view and the top bar both offer. */
export function useWorldActions() {
  return {
    takeSnapshot: () => perform(async () => `Took snapshot ${(await api.post("/snapshots")).id}.`),
    reset: () =>
      perform(async () => {
        await api.post("/reset");
        return "The world is as it was at the start.";
      }),
  };
}

/** @param {{ snapshots: readonly Snapshot[] }} props */
function Snapshots({ snapshots }) {
  const { takeSnapshot } = useWorldActions();
  const fork = () =>
    perform(async () => `Created world ${(await api.post("/fork")).id} as a fork of this one.`);
  const restore = (/** @type {string} */ id) =>
    perform(async () => {
      await api.post(`/snapshots/${encodeURIComponent(id)}/restore`);
      return `Restored ${id}.`;
    });
  const remove = (/** @type {string} */ id) =>
    perform(async () => {
      await api.send("DELETE", `/snapshots/${encodeURIComponent(id)}`);
      return `Removed ${id}.`;
    });
  const rows = snapshots.map(({ id, at }) => [
    id,
    html`<${When} at=${at} />`,
    html`<${ConfirmButton} label="Restore" question="Really restore?" confirmed=${() => restore(id)} />
      ${id === "start" ? "" : html`<${ConfirmButton} label="Remove" question="Really remove?" confirmed=${() => remove(id)} />`}`,
  ]);
  return html`<h3>
      Snapshots
      <button onClick=${takeSnapshot}>Take one now</button>
      <button onClick=${fork}>Fork</button>
    </h3>
    ${
      rows.length === 0
        ? html`<${Empty}>No snapshot yet.<//>`
        : html`<${Table} columns=${["snapshot", "the world's time", ""]} rows=${rows.reverse()} />`
    }`;
}

/** @type {Field[]} */
const URL_FIELDS = [
  field("url", "Where its events go", { required: true, example: "http://127.0.0.1:3000/webhooks" }),
];

/** @param {{ company: Company }} props */
function CompanyCard({ company: { id, clientId, clientSecret, token, webhookSecret } }) {
  const setUrl = (/** @type {object} */ body) =>
    perform(async () => {
      const { url } = await api.post("/acts/webhook.set-url", body, { as: token });
      return `The events of ${id} go to ${url}.`;
    });
  const facts = Object.entries({
    token,
    "client id": clientId,
    "client secret": clientSecret,
    "webhook secret": webhookSecret,
  }).map(([name, value]) => [name, value === undefined ? "—" : html`<${Copyable} text=${value} />`]);
  return html`<div class="card">
    <b>${id}</b>
    <${Facts} facts=${facts} />
    <${SchemaForm} fields=${URL_FIELDS} submit="Send its events there" send=${setUrl} />
  </div>`;
}

/** @type {Field[]} */
const WORLD_FIELDS = [
  field("name", "What the world is called", { example: "checkout tests" }),
  field("seed", "The source of its ids and random choices", { kind: "number", example: "7" }),
  field("start", "The time at which its clock starts", { example: "2026-11-20T09:00:00-03:00" }),
  field("mode", "Whether its clock runs", { kind: "choice", choices: ["frozen", "running"] }),
  field("webhookUrl", "Where every webhook goes", { example: "http://127.0.0.1:3000/webhooks" }),
];

/**
 * @param {string} name
 * @param {string} hint
 * @param {Partial<Field>} others
 * @returns {Field}
 */
function field(name, hint, others) {
  return { path: [name], kind: "text", required: false, choices: [], hint, example: "", ...others };
}

/** @param {{ worlds: readonly World[], present: string | undefined, isShared: boolean }} props `present` is the id of the world that is shown */
function Worlds({ worlds, present, isShared }) {
  const create = (/** @type {object} */ body) =>
    perform(async () => `Created world ${(await api.post("/worlds", body)).id}.`);
  const remove = (/** @type {string} */ id) =>
    perform(async () => {
      await api.send("DELETE", `/worlds/${encodeURIComponent(id)}`);
      return `Removed world ${id}.`;
    });
  const order = (/** @type {World} */ { id, state }) => (id === present ? 0 : state === "awake" ? 1 : 2);
  const listed = worlds.toSorted((one, other) => order(one) - order(other)).slice(0, LISTED_MAX);
  const rows = listed.map(({ id, name, clock, server, state }) => {
    const isPresent = id === present;
    return [
      isPresent ? html`<b>${name}</b>` : name,
      id,
      ...(isShared ? [server ?? html`<${Badge} status=${state} />`] : []),
      html`<${Badge} status=${clock.mode} />`,
      html`<${When} at=${clock.now} />`,
      isPresent ? "shown here" : html`<button class="quiet" onClick=${() => openWorld(id)}>Show</button>`,
      id !== "default" &&
        !isPresent &&
        html`<${ConfirmButton} label="Remove" question="Really remove?" confirmed=${() => remove(id)} />`,
    ];
  });
  return html`<h3>Worlds</h3>
    <${Table}
      columns=${["name", "id", ...(isShared ? ["server"] : []), "clock", "time", "", ""]}
      rows=${rows}
    />
    ${listed.length < worlds.length && html`<p class="soft">And ${worlds.length - listed.length} more.</p>`}
    <${Disclosure} label="new world" hint="A complete sandbox of its own, with its own credentials.">
      <${SchemaForm} fields=${WORLD_FIELDS} submit="Create" send=${create} />
    <//>`;
}

/** @param {{ servers: readonly Server[], present: string | null | undefined }} props `present` is the server that has the world */
function Servers({ servers, present }) {
  const rows = servers.map(({ id, url, version, startedAt, seenAt, worlds }) => [
    id === present ? html`<b>${id}</b>` : id,
    url ?? "—",
    version,
    html`<${When} at=${startedAt} />`,
    html`<${When} at=${seenAt} />`,
    String(worlds),
  ]);
  const columns = [
    "server",
    "address",
    "version",
    "started",
    "seen",
    { title: "worlds awake", number: true },
  ];
  return html`<h3>Servers</h3>
    <p class="soft">
      Each world is run by one of them. A world that nobody uses is asleep, and wakes when it is asked.
    </p>
    <${Table} columns=${columns} rows=${rows} />`;
}
