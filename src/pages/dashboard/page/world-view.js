import { api, change } from "./app.js";
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
import { field } from "./form-fields.js";
import { html } from "../../html/preact.js";
import { openWorld, shownWorld } from "./worlds.js";
import { SchemaForm } from "./form.js";

/** @import { Company, World, RunningServer as Server, Snapshot } from "../../../simulator/api/generated/shapes.ts" */

/** Worlds that are listed: a shared sandbox may have thousands. */
const LISTED_MAX = 100;

/** The worlds, their snapshots, the servers that run them, and the credentials of this world. @type {import("./page-data.ts").View} */
export const worldView = { title: "World and keys", load, List };

async function load() {
  const [{ data: worlds }, { data: snapshots }, { data: servers }, { webhookUrl }] = await Promise.all([
    api.ask("GET /sandbox/worlds"),
    api.ask("GET /sandbox/snapshots"),
    api.ask("GET /sandbox/servers"),
    api.ask("GET /sandbox/settings"),
  ]);
  return { worlds, snapshots, servers, webhookUrl, world: shownWorld(worlds) };
}

/** @param {{ data: { worlds: readonly World[], snapshots: readonly Snapshot[], servers: readonly Server[], webhookUrl: string | null, world: World | undefined } }} props */
function List({ data: { worlds, snapshots, servers, webhookUrl, world } }) {
  const isShared = servers.length > 1 || worlds.some(({ state }) => state === "asleep");
  return html`<section>
      <${Heading} title=${world === undefined ? "This world" : `World ${world.name}`} isMain>
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
        <p class="soft">
          ${
            webhookUrl === null
              ? "A webhook goes to the URL of its object, otherwise to the URL of its company."
              : `Every webhook of this world goes to ${webhookUrl}.`
          }
        </p>
        <div class="columns companies">
          ${world.companies.map((company) => html`<${CompanyCard} key=${company.id} company=${company} />`)}
        </div>
      </section>`
    }
    <section><${Worlds} worlds=${worlds} present=${world?.id} isShared=${isShared} /></section>
    ${isShared && html`<section><${Servers} servers=${servers} present=${world?.server} /></section>`}`;
}

export function takeSnapshot() {
  return change("POST /sandbox/snapshots", ({ id }) => `Took snapshot ${id}.`);
}

export function reset() {
  return change("POST /sandbox/reset", "The world is in its initial state.");
}

/** @param {{ snapshots: readonly Snapshot[] }} props */
function Snapshots({ snapshots }) {
  const fork = () => change("POST /sandbox/fork", ({ id }) => `Created world ${id} as a fork of this one.`);
  const rows = snapshots.map(({ id, at }) => {
    const restore = () => change("POST /sandbox/snapshots/{id}/restore", `Restored ${id}.`, { id });
    const remove = () => change("DELETE /sandbox/snapshots/{id}", `Removed ${id}.`, { id });
    return [
      id,
      html`<${When} at=${at} />`,
      html`<span class="buttons">
        <${ConfirmButton} label="Restore" question="Really restore?" confirmed=${restore} />
        ${id !== "start" && html`<${ConfirmButton} label="Remove" question="Really remove?" confirmed=${remove} />`}
      </span>`,
    ];
  });
  return html`<div class="title">
      <h3>Snapshots</h3>
      <button onClick=${takeSnapshot}>Take one now</button>
      <button onClick=${fork}>Fork</button>
    </div>
    ${
      rows.length === 0
        ? html`<${Empty}>No snapshot yet.<//>`
        : html`<${Table} columns=${["snapshot", "the world's time", ""]} rows=${rows.reverse()} />`
    }`;
}

const RECEIVER = "http://127.0.0.1:3000/webhooks";
const URL_FIELDS = [
  field("url", "URL for the events of the company", {
    label: "webhook URL",
    required: true,
    example: RECEIVER,
  }),
];

/** @param {{ company: Company }} props */
function CompanyCard({ company }) {
  const { id, clientId, clientSecret, token, webhookSecret, webhookUrl, accounts, pixKeys } = company;
  const list = (/** @type {readonly string[]} */ texts) =>
    texts.length === 0
      ? "none"
      : html`<ul class="plain">
          ${texts.map((text) => html`<li key=${text}><${Copyable} text=${text} /></li>`)}
        </ul>`;
  const copyable = (/** @type {string | undefined} */ text) =>
    text === undefined ? "—" : html`<${Copyable} text=${text} />`;
  const facts = {
    token: copyable(token),
    "client id": copyable(clientId),
    "client secret": copyable(clientSecret),
    "webhook secret": copyable(webhookSecret),
    "webhooks go to": webhookUrl === null ? "nowhere: no URL is set" : copyable(webhookUrl),
    accounts: list(accounts),
    "PIX keys": list(pixKeys),
  };
  const setUrl = (/** @type {object} */ body) =>
    change(
      "POST /sandbox/acts/{act}",
      ({ url }) => `The events of ${id} go to ${String(url)}.`,
      { act: "webhook.set-url", ...body },
      {
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      },
    );
  return html`<div class="card">
    <b>${id}</b>
    <${Facts} facts=${facts} />
    <${SchemaForm} fields=${URL_FIELDS} submit="Set the URL" send=${setUrl} />
  </div>`;
}

const WORLD_FIELDS = [
  field("name", "Name of the world", { example: "checkout tests" }),
  field("seed", "Seed of ids and random choices", { kind: "number", example: "7" }),
  field("start", "Start time of the clock", { example: "2026-11-20T09:00:00-03:00" }),
  field("mode", "Mode of the clock", { kind: "choice", choices: ["frozen", "running"] }),
  field("webhookUrl", "URL for all webhooks of the world", { label: "webhook URL", example: RECEIVER }),
];

/** @param {{ worlds: readonly World[], present: string | undefined, isShared: boolean }} props `present` is the id of the world that is shown */
function Worlds({ worlds, present, isShared }) {
  const create = (/** @type {object} */ body) =>
    change("POST /sandbox/worlds", ({ id }) => `Created world ${id}.`, body);
  const remove = (/** @type {string} */ id) =>
    change("DELETE /sandbox/worlds/{id}", `Removed world ${id}.`, { id });
  const order = (/** @type {World} */ { id, state }) => (id === present ? 0 : state === "awake" ? 1 : 2);
  const listed = worlds.toSorted((one, other) => order(one) - order(other)).slice(0, LISTED_MAX);
  const rows = listed.map(({ id, name, clock, server, state }) => [
    id === present ? html`<b>${name}</b>` : name,
    id,
    ...(isShared ? [server ?? html`<${Badge} status=${state} />`] : []),
    html`<${Badge} status=${clock.mode} />`,
    html`<${When} at=${clock.now} />`,
    id === present
      ? "shown here"
      : html`<span class="buttons">
          <button aria-label="Show ${name}" onClick=${() => openWorld(id)}>Show</button>
          ${
            id !== "default" &&
            html`<${ConfirmButton} label="Remove" question="Really remove?" confirmed=${() => remove(id)} />`
          }
        </span>`,
  ]);
  return html`<h3>Worlds</h3>
    <${Table} columns=${["name", "id", ...(isShared ? ["server"] : []), "clock", "time", ""]} rows=${rows} />
    ${listed.length < worlds.length && html`<p class="soft">And ${worlds.length - listed.length} more.</p>`}
    <${Disclosure} label="new world" hint="A separate sandbox with its own credentials.">
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
  const awake = /** @type {const} */ ({ title: "worlds awake", number: true });
  return html`<h3>Servers</h3>
    <p class="soft">
      Each world is run by one of them. A world that nobody uses is asleep, and wakes when it is asked.
    </p>
    <${Table} columns=${["server", "address", "version", "started", "seen", awake]} rows=${rows} />`;
}
