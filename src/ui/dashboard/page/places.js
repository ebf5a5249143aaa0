// @ts-check
import { assumptionsView } from "./assumptions-view.js";
import { collections } from "./collections.js";
import { coverageView } from "./coverage-view.js";
import { deliveriesView } from "./deliveries-view.js";
import { el } from "./dom.js";
import { faultsView } from "./faults-view.js";
import { formatAddress } from "./address.js";
import { inboxView } from "./inbox-view.js";
import { ledgerView } from "./ledger-view.js";
import { plansView } from "./plans-view.js";
import { recordingView } from "./recording-view.js";
import { resourcesView } from "./resources-view.js";
import { scenariosView } from "./scenarios-view.js";
import { timelineView } from "./timeline-view.js";
import { worldView } from "./world-view.js";

/** @typedef {import("./view.js").View} View */

/** Every view, by its name in the address. @type {ReadonlyMap<string, View>} */
export const views = new Map(
  /** @type {[string, View][]} */ ([
    ...Object.keys(collections).map((collection) => [collection, resourcesView(collection)]),
    ["deliveries", deliveriesView],
    ["timeline", timelineView],
    ["ledger", ledgerView],
    ["plans", plansView],
    ["faults", faultsView],
    ["inbox", inboxView],
    ["scenarios", scenariosView],
    ["recording", recordingView],
    ["coverage", coverageView],
    ["assumptions", assumptionsView],
    ["world", worldView],
  ]),
);

/** The views before which a new kind of them begins: what happened, what is to happen, stories, the world itself. */
const FIRST_OF_A_KIND = new Set(["deliveries", "plans", "scenarios", "assumptions"]);

/**
 * Shows the way to every view, with how many there are of what it shows.
 *
 * @param {string} present the view that is shown
 * @param {ReadonlyMap<string, number>} counts
 */
export function showPlaces(present, counts) {
  const links = Array.from(views, ([view, { title }]) => {
    const count = counts.get(view === "deliveries" ? "webhook-events" : view);
    return el(
      `a${FIRST_OF_A_KIND.has(view) ? ".apart" : ""}`,
      { href: formatAddress({ view }), "aria-current": view === present ? "page" : null },
      el("span", {}, title),
      count !== undefined && el(count === 0 ? "span.count.none" : "span.count", {}, String(count)),
    );
  });
  const places = document.getElementById("places");
  places?.replaceChildren(...links, el("a.apart", { href: `${location.origin}/docs` }, "Reference"));
  places?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/**
 * The collection that an id is in; undefined where nothing has that id. Some ids name what no collection holds.
 *
 * @param {import("./api.js").Api} api
 * @param {string} id
 */
export async function findCollection(api, id) {
  const names = Object.keys(collections);
  const found = await Promise.allSettled(
    names.map((name) => api.get(`/resources/${name}/${encodeURIComponent(id)}`)),
  );
  return names.find((_, index) => found[index]?.status === "fulfilled");
}
