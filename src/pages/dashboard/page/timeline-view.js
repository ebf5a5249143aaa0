import { api, app, learnNames, pageQuery, perform } from "./app.js";
import { Badge, ListView, Name, ObjectLink, Pages, When } from "./components.js";
import { brasilia } from "./time.js";
import { html, useState } from "../../html/preact.js";
import { counted, matches } from "./text.js";

/** @import { Entry } from "./page-data.ts" */
/** @typedef {{ cause: string, number: number, entries: readonly Entry[] }} Cause a journal entry and what caused it */

/** Causes that are followed back before the chain is cut. */
const CAUSES_MAX = 25;

/** All events of the whole world, the newest first. @type {import("./page-data.ts").View} */
export const timelineView = { title: "Timeline", load, List };

async function load() {
  const { since = "", until = "" } = app.address.query;
  const isNumber = (/** @type {string} */ text) => /^\d{1,9}$/.test(text);
  const [{ data, older }, { turns }] = await Promise.all([
    api.ask("GET /sandbox/timeline", {
      ...pageQuery(),
      ...(isNumber(since) && { since: Number(since) }),
      ...(isNumber(until) && { until: Number(until) }),
    }),
    api.ask("GET /sandbox/clock/followers"),
  ]);
  await learnNames(data.map((/** @type {Entry} */ { collection }) => collection));
  const last = isNumber(until) ? Number(until) : Infinity;
  const isShown = (/** @type {import("../../../simulator/api/generated/shapes.ts").FollowerTurn} */ turn) =>
    turn.entry <= last && matches(app.address.query["q"] ?? "", turn.follower);
  return { entries: withTurns(data, turns.filter(isShown)), older };
}

/**
 * Returns the entries of the timeline, and between them the turns of programs that follow the clock.
 *
 * @param {readonly Entry[]} entries
 * @param {readonly import("../../../simulator/api/generated/shapes.ts").FollowerTurn[]} turns
 * @returns {readonly Entry[]}
 */
function withTurns(entries, turns) {
  const first = entries[0]?.entry ?? 0;
  const shown = turns
    .filter(({ entry }) => entry >= first - 1)
    .map(({ at, follower, ran, entry }) => {
      const what = `${follower}: ${counted(ran, "timer")} ran`;
      // After the last entry before it.
      return {
        at,
        what,
        objectId: null,
        cause: "clock turn",
        kind: "turn",
        entry: entry + 0.5,
        causedBy: null,
      };
    });
  return [...entries, ...shown].sort((one, other) => one.entry - other.entry);
}

/** @param {{ data: { entries: readonly Entry[], older: number | undefined } }} props */
function List({ data: { entries, older } }) {
  const { q = "" } = app.address.query;
  const found = entries.toReversed();
  return html`<${ListView}
    title="Timeline"
    search="what happened"
    tally=${html`<${Pages} shown=${found.length} older=${older} query="until" />`}
    rows=${found.length === 0 ? [] : [html`<${Timeline} entries=${found} isWhole />`]}
    none=${q === "" ? "No entries yet. Each call, act and step of the clock appears here." : "No entry matches the filters."}
  />`;
}

/**
 * Entries of the timeline, each with its cause and a way to see what led to it. The first entry of a day has the
 * date.
 *
 * @param {{ entries: readonly Entry[], isWhole?: boolean }} props `isWhole` names the object of each entry
 */
export function Timeline({ entries, isWhole = false }) {
  return html`<ol class="timeline">
    ${entries.map((entry, index) => {
      const before = entries[index - 1];
      const isNewDay = before === undefined || brasilia(before.at).date !== brasilia(entry.at).date;
      return html`<li key=${`${entry.entry} ${entry.at} ${entry.what}`}>
        <${When} at=${entry.at} dated=${isNewDay} />
        <div>
          <${What} entry=${entry} />
          ${isWhole && html`<${About} entry=${entry} />`}
          ${entry.kind !== "attempt" && html`<span class="soft small">${` ${entry.cause}`}</span>`}
          ${entry.kind !== "turn" && html`<${Why} entry=${entry} />`}
        </div>
      </li>`;
    })}
  </ol>`;
}

/** Shows an event, with its new status as a badge. @param {{ entry: Entry }} props */
function What({ entry }) {
  const { kind, what, resource, action, from, to, plan, outcome, error } = entry;
  if (kind === "transition" && to !== undefined)
    return html`<${Name} name=${`${resource}.${action}: ${from} → `} /><${Badge}
        status=${to}
        collection=${entry.collection}
      />`;
  if (kind === "plan-used" && outcome !== undefined)
    return html`<${Name} name=${`planned ${plan}: `} /><${Badge} status=${outcome} />`;
  const isUnsent = kind === "event" && entry.delivery !== undefined;
  const failed = kind === "undelivered" || isUnsent || (kind === "attempt" && error !== null);
  return html`<span class=${failed ? "bad" : undefined}><${Name} name=${what} /></span>`;
}

/** Shows the object of an entry, if it is in a collection. @param {{ entry: Entry }} props */
function About({ entry: { objectId, collection } }) {
  if (!objectId || !collection) return null;
  return html`${" "}<${ObjectLink} id=${objectId} collection=${collection} />`;
}

/**
 * Shows the button for the causes of an entry, back to the call, act or setting that began it.
 *
 * @param {{ entry: Entry }} props
 */
function Why({ entry }) {
  const [isOpen, setOpen] = useState(false);
  const [causes, setCauses] = useState(/** @type {Cause[]} */ ([]));
  const toggle = () => {
    setOpen(!isOpen);
    if (causes.length === 0) void perform(async () => setCauses(await causesOf(entry)));
  };
  return html`<button class="quiet" aria-expanded=${String(isOpen)} onClick=${toggle}>why?</button> ${
      isOpen &&
      html`<ol class="why inset">
        ${causes.map(
          ({ cause, number, entries }) =>
            html`<li key=${number}>
              <p>
                ${"because of "}<b>${cause}</b>
                <span class="soft">${` #${number} `}</span>
                ${entries[0] && html`<${When} at=${entries[0].at} />`}
              </p>
              <ul>
                ${entries.map((one) => html`<li><${What} entry=${one} /><${About} entry=${one} /></li>`)}
              </ul>
            </li>`,
        )}
      </ol>`
    }`;
}

/** Returns the causes of an entry, the nearest first. @param {Entry} entry */
async function causesOf({ cause, entry, causedBy }) {
  /** @type {Cause[]} */
  const chain = [{ cause, number: entry, entries: [] }];
  let number = causedBy;
  while (number !== null && chain.length < CAUSES_MAX) {
    const { data: entries } = await api.ask("GET /sandbox/timeline", {
      since: number,
      until: number,
    });
    chain.push({ cause: entries[0]?.cause ?? "a command without an entry", number, entries });
    number = entries[0]?.causedBy ?? null;
  }
  return chain;
}
