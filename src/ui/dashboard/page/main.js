// @ts-check
import { advanceTarget } from "./time.js";
import { Api } from "./api.js";
import { askAdminToken } from "./admin-token.js";
import { clockBar } from "./clock-bar.js";
import { findCollection, showPlaces, views } from "./places.js";
import { formatAddress, parseAddress, HOME } from "./address.js";
import { heading, nothing } from "./pieces.js";
import { listen } from "./live.js";
import { listenToKeys } from "./keys.js";
import { notify } from "./notices.js";
import { el, showSections } from "./dom.js";
import { tokenOfNamedWorld } from "./worlds.js";

/** @typedef {import("./view.js").Context} Context */
/** @typedef {import("./view.js").View} View */

/** How often the page looks for what no stream tells: a clock that somebody set, a sandbox that is gone. */
const LOOK_EVERY_MS = 5000;

const list = /** @type {HTMLElement} */ (document.getElementById("list"));
const detail = /** @type {HTMLElement} */ (document.getElementById("detail"));
const outage = /** @type {HTMLElement} */ (document.getElementById("outage"));

/** @type {Context} */
const context = {
  api: new Api(askAdminToken),
  acts: [],
  address: parseAddress(location.hash),
  go: (address) => {
    location.hash = formatAddress(address);
  },
  filter: (query) => {
    const { view, id, query: present } = context.address;
    history.replaceState(null, "", formatAddress({ view, id, query: { ...present, ...query } }));
    void arrive();
  },
  perform: async (task) => {
    try {
      const said = await task();
      if (said !== undefined) notify(said);
      return true;
    } catch (error) {
      notify(sentence(error), { tone: "bad" });
      return false;
    } finally {
      await look({ anew: true });
    }
  },
};

const bar = clockBar(context);

/** What the page last heard of the world. @type {{ clock: import("./time.js").Clock | undefined, next: number }} */
const heard = { clock: undefined, next: 0 };

/** Counts what is shown, so that a late answer does not cover a newer one. */
let showings = 0;

/** Goes where the address says; `#/find/the-id` stands for the collection that the id turns out to be in. */
async function arrive() {
  const { view, id } = parseAddress(location.hash);
  if (view === "find" && id !== undefined) {
    const collection = await findCollection(context.api, id);
    if (collection === undefined)
      notify(`Nothing to open: ${id} is in no collection of its own.`, { tone: "bad" });
    const found = collection === undefined ? context.address : { view: collection, id };
    history.replaceState(null, "", formatAddress(found.view === "find" ? { view: HOME } : found));
  }
  context.address = parseAddress(location.hash);
  await show();
}

/** Asks what is new, and shows it where something is. */
async function look({ anew = false } = {}) {
  try {
    const changed = await hear();
    outage.hidden = true;
    if (anew || changed) await show();
  } catch (error) {
    outage.textContent = `The sandbox does not answer: ${sentence(error)} This page goes on asking.`;
    outage.hidden = false;
  }
}

/** Hears the clock and how far the journal is; tells whether anything changed since it was last heard. */
async function hear() {
  const since = heard.next || 999_999_999;
  const [clock, { next }] = await Promise.all([
    context.api.get("/clock"),
    context.api.get(`/timeline?since=${since}`),
  ]);
  const { clock: before, next: expected } = heard;
  heard.next = next;
  heard.clock = { ...clock, heardAt: performance.now() };
  return next !== expected || before === undefined || clock.mode !== before.mode || clock.now < before.now;
}

/** Shows the view and, beside it, what is chosen. */
async function show() {
  const showing = ++showings;
  const { view: name, id } = context.address;
  const view = viewNamed(name);
  const [sections, chosen, { data: counts }, { data: worlds }] = await Promise.all([
    attempt(view.title, () => view.list(context)),
    id === undefined || view.detail === undefined
      ? []
      : attempt(id, () => /** @type {View["list"]} */ ((one) => view.detail?.(one, id) ?? [])(context)),
    context.api.get("/resources"),
    context.api.get("/worlds"),
  ]);
  if (showing !== showings) return;
  document.title = `${view.title} · sandbank`;
  document.body.dataset["panes"] = view.detail === undefined ? "one" : "two";
  document.body.toggleAttribute("data-chosen", chosen.length > 0);
  showPlaces(name, new Map(counts.map((/** @type {any} */ { collection, count }) => [collection, count])));
  bar.offer(worlds);
  showSections(list, sections);
  showSections(detail, chosen.length > 0 ? [wayBack(view.title), ...chosen] : [nothingChosen]);
  if (heard.clock !== undefined) bar.tick(heard.clock);
}

/**
 * The view of that name; where there is none, the one that the page opens on.
 *
 * @param {string} name
 * @returns {View}
 */
function viewNamed(name) {
  const [first] = views.values();
  return /** @type {View} */ (views.get(name) ?? first);
}

/**
 * The way back to the list, where a narrow page shows one pane at a time.
 *
 * @param {string} title
 */
function wayBack(title) {
  const href = formatAddress({ ...context.address, id: undefined });
  return { key: "back", data: [title, href], build: () => el("a.back", { href }, `← ${title}`) };
}

const nothingChosen = {
  key: "nothing",
  data: null,
  build: () => nothing("Choose one of the list to see what became of it, and what can be done with it."),
};

/**
 * The sections of a pane, or what keeps them from being shown.
 *
 * @param {string} title
 * @param {() => Promise<import("./view.js").Section[]>} load
 */
async function attempt(title, load) {
  try {
    return await load();
  } catch (error) {
    const said = sentence(error);
    return [{ key: "failed", data: [title, said], build: () => [heading(title), nothing(said)] }];
  }
}

/** @param {unknown} error */
function sentence(error) {
  if (error instanceof TypeError) return "no connection. Is it still running?";
  return error instanceof Error ? error.message : String(error);
}

/** Begins: finds the world, learns the acts, and goes on looking. */
async function begin() {
  try {
    context.api.worldToken = await tokenOfNamedWorld(context.api);
  } catch (error) {
    notify(sentence(error), { tone: "bad" });
  }
  const { data } = await context.api.get("/acts");
  context.acts = data;
  await hear();
  await arrive();
}

/** Ends the stream that is listened to. A browser keeps few connections to one server: a hidden page gives its own back. */
let silence = new AbortController();

/** Listens to the world while the page is looked at. */
function attend() {
  silence.abort();
  if (document.hidden) return;
  silence = new AbortController();
  const { signal } = silence;
  void look();
  void listen(context.api, { happened: () => void look({ anew: true }), signal });
}

const close = () => context.address.id !== undefined && context.go({ ...context.address, id: undefined });
const next = () =>
  void context.perform(async () => void (await context.api.post("/clock/advance", advanceTarget("next"))));
listenToKeys({ close: () => void close(), next });
addEventListener("hashchange", () => void arrive());
document.addEventListener("visibilitychange", () => attend());
setInterval(() => void (document.hidden || look()), LOOK_EVERY_MS);
setInterval(() => heard.clock !== undefined && bar.tick(heard.clock), 1000);
await begin();
attend();
