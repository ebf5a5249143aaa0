import { Api, listen } from "./api.js";
import { ControlFailure } from "../../../server/control/client.js";
import { formatAddress, HOME, parseAddress } from "./address.js";
import { isOfUnknownWorld } from "./worlds.js";
import { useEffect, useReducer } from "../../html/preact.js";
import { summaryOf } from "./text.js";
import { worldTime } from "./time.js";

/** @import { Act, Clock, Link, Loaded, Notice, Shown, View } from "./page-data.ts" */
/** @import { ControlCalls } from "../../../server/control/generated/calls.ts" */
/** @import { CollectionCount as Collection, World } from "../../../simulator/api/generated/shapes.ts" */

/** The number of entries on one page of a list. */
const PAGE_MAX = 200;

/**
 * Selects the page of a list that the address names, with its search.
 *
 * @param {readonly string[]} [names] further parameters of the address that the sandbox filters by
 * @returns {{ last: number, q?: string, before?: string }}
 */
export function pageQuery(names = []) {
  const { query } = app.address;
  const given = ["q", "before", ...names].flatMap((name) =>
    query[name]?.trim() ? [[name, query[name]]] : [],
  );
  return { ...Object.fromEntries(given), last: PAGE_MAX };
}

/** The collection of deliveries, each with its attempts. It has a different view. */
export const WEBHOOK_EVENTS = "webhook-events";

/**
 * The page polls at this interval for changes without a stream: a call that changed nothing, a new time of the clock, a
 * sandbox that ended.
 */
const POLL_MS = 2000;

const NOTICE_MS = 6000;
const NOTICES_MAX = 4;

export const api = new Api(askAdminToken);

/** The state of the page. Only `update` changes it, and renders the page. */
export const app = {
  /** Every act of the sandbox. @type {readonly Act[]} */
  acts: [],
  /** Every plan of the sandbox. @type {readonly { plan: string, outcomes: readonly string[] }[]} */
  plans: [],
  /** @type {Clock | undefined} */
  clock: undefined,
  address: parseAddress(""),
  /** The view that is shown, with its loaded data. @type {Shown | undefined} */
  shown: undefined,
  /** @type {readonly Collection[]} */
  collections: [],
  /** The partner's names for objects, by id. @type {Map<string, string>} */
  names: new Map(),
  /** @type {readonly World[]} */
  worlds: [],
  /** The next due timer. @type {{ at: string, timer: string } | undefined} */
  due: undefined,
  /** True while a narrow page shows its menu. */
  isMenuOpen: false,
  /** The reason if the sandbox does not answer. @type {string | undefined} */
  outage: undefined,
  /** True if the world of the address does not exist, or ended. The page then shows no data of other worlds. */
  hasEnded: false,
  /** True while the sandbox carries out a change. */
  isBusy: false,
  /** The entry that a key opened from the list: the focus then stays in the list. @type {string | undefined} */
  walkedTo: undefined,
  /** @type {readonly Notice[]} */
  notices: [],
  /** The dialog that is open: the help of the keyboard, or the question for the admin token. @type {"keys" | ((token: string | undefined) => void) | undefined} */
  dialog: undefined,
};

/** @type {{ viewOf: (name: string) => View, paint: () => void }} */
const page = { viewOf: () => ({ title: "", load: async () => {}, List: () => null }), paint: () => {} };

/** Changes the state of the page and renders it. @param {Partial<typeof app>} change */
export function update(change) {
  Object.assign(app, change);
  page.paint();
}

/** Goes to another place of the page. @param {import("./page-data.ts").Address} address */
export function go(address) {
  location.hash = formatAddress(address);
}

/** Filters the list, from its newest page on. This adds no step to the browser's history. @param {Record<string, string>} query */
export function filter(query) {
  const { view, id, query: present } = app.address;
  replaceAddress({ view, id, query: { ...present, before: "", until: "", ...query } });
  void arrive();
}

/** @param {import("./page-data.ts").Address} address */
function replaceAddress(address) {
  history.replaceState(null, "", formatAddress(address));
}

let noticeCount = 0;

/**
 * Shows a notice in the corner of the page. A refusal and a notice with a link stay until they are closed.
 *
 * @param {string} message
 * @param {{ tone?: "good" | "bad", link?: Link | undefined }} [options]
 */
export function notify(message, { tone = "good", link } = {}) {
  const id = ++noticeCount;
  // A notice with a link stays: a keyboard needs its time to get there.
  if (tone === "good" && link === undefined) setTimeout(() => closeNotice(id), NOTICE_MS);
  update({ notices: [...app.notices, { id, message, tone, link }].slice(-NOTICES_MAX) });
}

/** @param {number} id */
export function closeNotice(id) {
  update({ notices: app.notices.filter((notice) => notice.id !== id) });
}

/**
 * Performs a task that changes the world: shows its message or the reason of its refusal, and loads the
 * page's data again. While one task runs, further tasks are ignored, so a second click repeats nothing. Returns true
 * if the task succeeded.
 *
 * @param {() => Promise<string | undefined | void>} task
 */
export async function perform(task) {
  if (app.isBusy) return false;
  const focused = document.activeElement;
  const pane = focused?.closest("#list, #detail");
  update({ isBusy: true });
  try {
    const message = await task();
    if (message !== undefined) notify(message);
    return true;
  } catch (error) {
    notify(sentenceOf(error), { tone: "bad" });
    return false;
  } finally {
    update({ isBusy: false });
    await poll({ isChanged: true });
    // A button that is gone after the change, such as the one of an act, leaves the focus in its pane.
    if (focused?.isConnected === false && document.activeElement === document.body)
      focusPane(pane?.id ?? "list");
  }
}

/** Moves the focus to the list, or to the heading of the detail. @param {string} id `list` or `detail` */
export function focusPane(id) {
  const pane = document.getElementById(id);
  const heading = id === "detail" ? pane?.querySelector("[data-heading]") : undefined;
  /** @type {HTMLElement | null | undefined} */ (heading ?? pane)?.focus();
}

/**
 * Sends a request that changes the world, and shows the message about its answer. Returns whether it succeeded.
 *
 * @template {keyof ControlCalls} E
 * @param {E} endpoint
 * @param {string | ((answer: ControlCalls[E]["answer"]) => string | void)} message
 * @param {ControlCalls[E]["input"]} [input]
 * @param {RequestInit} [init]
 */
export function change(endpoint, message, input, init) {
  return perform(async () => {
    const answer = await api.ask(endpoint, input, init);
    return typeof message === "string" ? message : message(answer);
  });
}

/** @param {unknown} error */
function messageOf(error) {
  if (error instanceof ControlFailure && error.status === undefined)
    return "no connection. Is it still running?";
  return error instanceof Error ? error.message : String(error);
}

/** Says an error as a whole sentence. @param {unknown} error */
function sentenceOf(error) {
  const message = messageOf(error);
  return message.startsWith("no connection") ? `The sandbox does not answer: ${message}` : message;
}

/** @returns {Promise<string | undefined>} the token that a person typed; undefined if the dialog was closed */
function askAdminToken() {
  return new Promise((resolve) => update({ dialog: resolve }));
}

/** Goes to the address of the browser; `#/find/the-id` leads to the collection that has an object of that id. */
async function arrive() {
  try {
    const { view, id } = parseAddress(location.hash);
    if (view === "find" && id !== undefined) {
      const collection = await collectionOf(id);
      if (collection === undefined) notify(`No collection has an object ${id}.`, { tone: "bad" });
      const present = app.address.view === "find" ? { view: HOME } : app.address;
      replaceAddress(collection === undefined ? present : { view: collection, id });
    }
    update({ address: parseAddress(location.hash), isMenuOpen: false });
    await load();
  } catch (error) {
    reportOutage(error);
  }
}

/** Finds the collection with an object of that id. Undefined if every collection lacks it. @param {string} id */
async function collectionOf(id) {
  const { data } = await api.ask("GET /sandbox/resources");
  const names = /** @type {Collection[]} */ (data)
    .map(({ collection }) => collection)
    .filter((name) => name !== WEBHOOK_EVENTS);
  const found = await Promise.allSettled(
    names.map((name) => api.ask("GET /sandbox/resources/{collection}/{id}", { collection: name, id })),
  );
  return names.find((_, index) => found[index]?.status === "fulfilled");
}

/** The number of the next journal entry; 0 until it was read. */
let nextEntry = 0;

/** The id of the newest request. @type {string | undefined} */
let lastRequest;

/** Asks for changes, and loads the page's data again if there are any. */
async function poll({ isChanged = false } = {}) {
  if (app.hasEnded) return;
  try {
    const [clock, due, { next }, { data: requests }] = await Promise.all([
      api.ask("GET /sandbox/clock"),
      api.ask("GET /sandbox/clock/due", { limit: 1, wait: "false" }),
      api.ask("GET /sandbox/timeline", { since: nextEntry || 999_999_999 }),
      api.ask("GET /sandbox/requests", { limit: 1 }),
    ]);
    const { clock: before, outage } = app;
    const isNew =
      next !== nextEntry ||
      requests[0]?.id !== lastRequest ||
      before === undefined ||
      clock.mode !== before.mode ||
      clock.now < before.now;
    nextEntry = next;
    lastRequest = requests[0]?.id;
    update({ clock: { ...clock, readAt: performance.now() }, due: due.data[0], outage: undefined });
    if (isChanged || isNew || outage !== undefined) await load();
  } catch (error) {
    reportOutage(error);
  }
}

/** Reports why data cannot be loaded. A world that does not exist ends the page. @param {unknown} error */
function reportOutage(error) {
  if (isOfUnknownWorld(error)) return void showEnd();
  update({ outage: `The sandbox does not answer: ${messageOf(error)} This page keeps asking.` });
}

/** Shows that the world ended, with the other worlds. From then on the page asks for nothing. */
async function showEnd() {
  stream.abort();
  update({
    hasEnded: true,
    shown: undefined,
    clock: undefined,
    due: undefined,
    collections: [],
    worlds: [],
    notices: [],
    outage: undefined,
  });
  update({ worlds: await api.worlds().catch(() => []) });
}

/** @typedef {{ key: string, isStale: boolean, ended: Promise<void> }} Load */

/** The load that is under way. @type {Load | undefined} */
let loading;

/** Loads the data for the address and shows it. If a load of that address is running, waits for a load that follows it. */
async function load() {
  if (app.hasEnded) return;
  const key = formatAddress(app.address);
  if (loading?.key === key) loading.isStale = true;
  else {
    loading = { key, isStale: false, ended: Promise.resolve() };
    loading.ended = loadAddress(loading);
  }
  await loading.ended;
}

/** Loads the data for the address, and shows it if the page is still at that address. @param {Load} own */
async function loadAddress(own) {
  try {
    const { address } = app;
    const view = page.viewOf(address.view);
    const { id } = address;
    const { loadOne } = view;
    if (app.acts.length === 0) update(await loadChoices());
    const [list, one, { data: collections }, { data: worlds }] = await Promise.all([
      loaded(view.load),
      id === undefined || loadOne === undefined ? undefined : loaded(() => loadOne(id)),
      api.ask("GET /sandbox/resources"),
      api.ask("GET /sandbox/worlds"),
    ]);
    if (loading !== own || app.hasEnded) return;
    update({ shown: { view, address, list, one }, collections, worlds });
  } finally {
    if (loading === own) loading = undefined;
  }
  if (own.isStale) await load();
}

/** Loads what stays the same while the server runs, and the collections, which say how objects are called. */
async function loadChoices() {
  const [{ data: acts }, { plans }, { data: collections }] = await Promise.all([
    api.ask("GET /sandbox/acts"),
    api.ask("GET /sandbox/plans"),
    api.ask("GET /sandbox/resources"),
  ]);
  return { acts, plans, collections };
}

/**
 * Reads the partner's names for the newest objects of collections, for lists that refer to them.
 *
 * @param {Iterable<string | null | undefined>} collections
 */
export async function learnNames(collections) {
  const wanted = new Set(collections);
  const lists = await Promise.all(
    app.collections
      .filter(({ collection, count }) => count > 0 && wanted.has(collection) && collection !== WEBHOOK_EVENTS)
      .map(({ collection }) =>
        api.ask("GET /sandbox/resources/{collection}", { collection, last: PAGE_MAX }),
      ),
  );
  for (const thing of lists.flatMap(({ data }) => data)) {
    const { id, title } = summaryOf(/** @type {Record<string, any>} */ (thing));
    if (title !== id) app.names.set(id, title);
  }
}

/** Returns the noun for one object of a collection: `scheduled payment`. @param {string} collection */
export function nounOf(collection) {
  const listed = app.collections.find((one) => one.collection === collection);
  return listed?.noun ?? collection.replaceAll("-", " ").replace(/s$/, "");
}

/** @param {() => Promise<any>} task @returns {Promise<Loaded>} */
async function loaded(task) {
  try {
    return { data: await task() };
  } catch (error) {
    return { error: sentenceOf(error) };
  }
}

let stream = new AbortController();

/**
 * Follows the world while the page is visible: a browser opens few connections to one server, and a hidden page needs
 * none.
 */
function follow() {
  stream.abort();
  if (document.hidden || app.hasEnded) return;
  stream = new AbortController();
  const changed = () => void poll({ isChanged: true });
  changed();
  void listen(api, { changed, signal: stream.signal });
}

/**
 * Starts the page: shows the view of the address, and then the events of its world.
 *
 * @param {typeof page} options
 */
export async function start(options) {
  Object.assign(page, options);
  update({ address: parseAddress(location.hash) });
  addEventListener("hashchange", () => void arrive());
  document.addEventListener("visibilitychange", follow);
  setInterval(() => void (document.hidden || poll()), POLL_MS);
  await arrive();
  follow();
}

/** Returns the world's time in milliseconds, updated every second. Undefined until the clock was read. */
export function useWorldTime() {
  const [, tick] = useReducer((/** @type {number} */ count) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, []);
  return app.clock && worldTime(app.clock, performance.now());
}
