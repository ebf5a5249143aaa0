// @ts-check
import { app, WEBHOOK_EVENTS } from "./app.js";
import { assumptionsView } from "./assumptions-view.js";
import { coverageView } from "./coverage-view.js";
import { deliveriesView } from "./deliveries-view.js";
import { faultsView } from "./faults-view.js";
import { formatAddress } from "./address.js";
import { html, useEffect, useRef } from "./preact.js";
import { inboxView } from "./inbox-view.js";
import { ledgerView } from "./ledger-view.js";
import { objectsView } from "./objects-view.js";
import { plansView } from "./plans-view.js";
import { recordingView } from "./recording-view.js";
import { scenariosView } from "./scenarios-view.js";
import { timelineView } from "./timeline-view.js";
import { worldView } from "./world-view.js";

/** @typedef {import("./app.js").View} View */

/** The groups of views in the navigation, below the collections of the interface. @type {readonly Record<string, View>[]} */
const GROUPS = [
  { deliveries: deliveriesView, timeline: timelineView, ledger: ledgerView },
  { plans: plansView, faults: faultsView, inbox: inboxView },
  { scenarios: scenariosView, recording: recordingView, coverage: coverageView },
  { assumptions: assumptionsView, world: worldView },
];

/**
 * The view of a name in the address: one of the list above, or the collection of that name.
 *
 * @param {string} name
 * @returns {View}
 */
export function viewOf(name) {
  return GROUPS.find((group) => Object.hasOwn(group, name))?.[name] ?? objectsView(name);
}

/** The links to every view. */
export function Navigation() {
  const { address, counts } = app;
  const nav = useRef(/** @type {any} */ (null));
  useEffect(
    () =>
      nav.current.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }),
    [address.view, counts.length],
  );
  const deliveries = counts.find(({ collection }) => collection === WEBHOOK_EVENTS)?.count;
  return html`<nav id="places" ref=${nav} aria-label="Views">
    ${counts
      .filter(({ collection }) => collection !== WEBHOOK_EVENTS)
      .map(({ collection, count }) => html`<${Place} key=${collection} name=${collection} count=${count} />`)}
    ${GROUPS.flatMap((group) =>
      Object.keys(group).map(
        (name, index) =>
          html`<${Place}
            key=${name}
            name=${name}
            isApart=${index === 0}
            count=${name === "deliveries" ? deliveries : undefined}
          />`,
      ),
    )}
    <a class="apart" href="/docs">Reference</a>
  </nav>`;
}

/** @param {{ name: string, isApart?: boolean, count: number | undefined }} props */
function Place({ name, isApart, count }) {
  const { address } = app;
  return html`<a
    class=${isApart ? "apart" : undefined}
    href=${formatAddress({ view: name })}
    aria-current=${name === address.view ? "page" : undefined}
  >
    <span>${viewOf(name).title}</span>
    ${count !== undefined && html`<span class=${count === 0 ? "count none" : "count"}>${count}</span>`}
  </a>`;
}
