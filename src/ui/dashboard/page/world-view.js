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

/** The worlds, their snapshots, and the credentials of this one. @type {import("./app.js").View} */
export const worldView = { title: "World and keys", load, List };

async function load() {
  const [{ data: worlds }, { data: snapshots }] = await Promise.all([
    api.get("/worlds"),
    api.get("/snapshots"),
  ]);
  return { worlds, snapshots, world: worldOfToken(worlds, api.worldToken) };
}

/** @param {{ data: { worlds: readonly World[], snapshots: readonly Snapshot[], world: World | undefined } }} props */
function List({ data: { worlds, snapshots, world } }) {
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
    <section><${Worlds} worlds=${worlds} present=${world?.id} /></section>`;
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
  const rows = snapshots.map(({ id, at }) => [
    id,
    html`<${When} at=${at} />`,
    html`<${ConfirmButton} label="Restore" question="Really restore?" confirmed=${() => restore(id)} />`,
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

/** @param {{ worlds: readonly World[], present: string | undefined }} props `present` is the id of the world that is shown */
function Worlds({ worlds, present }) {
  const create = (/** @type {object} */ body) =>
    perform(async () => `Created world ${(await api.post("/worlds", body)).id}.`);
  const remove = (/** @type {string} */ id) =>
    perform(async () => {
      await api.send("DELETE", `/worlds/${encodeURIComponent(id)}`);
      return `Removed world ${id}.`;
    });
  const rows = worlds.map(({ id, name, clock }) => {
    const isPresent = id === present;
    return [
      isPresent ? html`<b>${name}</b>` : name,
      id,
      html`<${Badge} status=${clock.mode} />`,
      html`<${When} at=${clock.now} />`,
      isPresent ? "shown here" : html`<button class="quiet" onClick=${() => openWorld(id)}>Show</button>`,
      id !== "default" &&
        !isPresent &&
        html`<${ConfirmButton} label="Remove" question="Really remove?" confirmed=${() => remove(id)} />`,
    ];
  });
  return html`<h3>Worlds</h3>
    <${Table} columns=${["name", "id", "clock", "time", "", ""]} rows=${rows} />
    <${Disclosure} label="new world" hint="A complete sandbox of its own, with its own credentials.">
      <${SchemaForm} fields=${WORLD_FIELDS} submit="Create" send=${create} />
    <//>`;
}
