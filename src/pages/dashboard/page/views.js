import { app, update, WEBHOOK_EVENTS } from "./app.js";
import { assumptionsView } from "./assumptions-view.js";
import { referencePage } from "./commands.js";
import { coverageView } from "./coverage-view.js";
import { deliveriesView } from "./deliveries-view.js";
import { faultsView } from "./faults-view.js";
import { formatAddress } from "./address.js";
import { html } from "../../html/preact.js";
import { inboxView } from "./inbox-view.js";
import { ledgerView } from "./ledger-view.js";
import { objectsView } from "./objects-view.js";
import { overviewView } from "./overview-view.js";
import { plansView } from "./plans-view.js";
import { recordingView } from "./recording-view.js";
import { requestsView } from "./requests-view.js";
import { scenariosView } from "./scenarios-view.js";
import { timelineView } from "./timeline-view.js";
import { worldView } from "./world-view.js";

/** @import { View } from "./page-data.ts" */

/**
 * The groups of views in the navigation. The collections of the platform API come after the first group.
 *
 * @type {readonly Record<string, View>[]}
 */
const GROUPS = [
  { overview: overviewView, requests: requestsView, deliveries: deliveriesView, timeline: timelineView },
  { ledger: ledgerView, plans: plansView, faults: faultsView, inbox: inboxView },
  { scenarios: scenariosView, recording: recordingView, coverage: coverageView },
  { assumptions: assumptionsView, world: worldView },
];

/**
 * Returns the view for a name in the address: one of the list above, or the collection of that name.
 *
 * @param {string} name
 * @returns {View}
 */
export function viewOf(name) {
  return GROUPS.find((group) => Object.hasOwn(group, name))?.[name] ?? objectsView(name);
}

/** Shows the links to every view. A narrow page shows them once its menu is open. */
export function Navigation() {
  const { collections, isMenuOpen } = app;
  const close = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape" || !isMenuOpen) return;
    event.stopPropagation();
    update({ isMenuOpen: false });
    document.getElementById("menu")?.focus();
  };
  const deliveries = collections.find(({ collection }) => collection === WEBHOOK_EVENTS)?.count;
  const objects = collections
    .filter(({ collection }) => collection !== WEBHOOK_EVENTS)
    .map(({ collection, count }) => ({ name: collection, count }));
  const [first = [], ...others] = GROUPS.map((group) =>
    Object.keys(group).map((name) => ({ name, count: name === "deliveries" ? deliveries : undefined })),
  );
  return html`<nav
    id="places"
    class="places"
    aria-label="Views"
    data-open=${isMenuOpen ? true : undefined}
    onKeyDown=${close}
  >
    ${[first, objects, ...others].map(
      (group, index) =>
        html`<ul key=${index}>
          ${group.map((place) => html`<${Place} key=${place.name} ...${place} />`)}
        </ul>`,
    )}
    <ul>
      <li><a href=${referencePage()}>Reference</a></li>
    </ul>
  </nav>`;
}

/** @param {{ name: string, count: number | undefined }} props */
function Place({ name, count }) {
  const { address } = app;
  return html`<li>
    <a href=${formatAddress({ view: name })} aria-current=${name === address.view ? "page" : undefined}>
      <span>${viewOf(name).title}</span>
      ${count !== undefined && html`<span class="count">${count}</span>`}
    </a>
  </li>`;
}
