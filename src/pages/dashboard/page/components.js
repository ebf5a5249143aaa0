import { app, filter, focusPane, notify, useWorldTime } from "./app.js";
import { brasilia, span } from "./time.js";
import {
  Badge as StatusBadge,
  Command as CommandText,
  Empty,
  Facts,
  Name,
  Table,
  toneOf,
} from "../../html/components.js";
import { formatAddress } from "./address.js";
import { html, useEffect, useRef, useState } from "../../html/preact.js";
import { shortId } from "./text.js";

/** @import { ComponentChildren as Children } from "preact" */

export { Empty, Facts, Name, Table };

/**
 * Shows a status in the colour of its tone. Objects of two collections may end in the same status, well and badly.
 *
 * @param {{ status: string, collection?: string | null | undefined }} props `collection` is that of the object
 */
export function Badge({ status, collection }) {
  return html`<${StatusBadge} status=${status} tone=${toneIn(collection, status)} />`;
}

/**
 * Returns the tone of a status of the objects of a collection.
 *
 * @param {string | null | undefined} collection
 * @param {string} status
 */
export function toneIn(collection, status) {
  const own = app.collections.filter((one) => one.collection === collection);
  return toneOf(status, own.length === 0 ? app.collections : own);
}

/**
 * Shows an instant in Brasília's time. Its title is the UTC of the platform API.
 *
 * @param {{ at: string | null | undefined, dated?: boolean, isZoned?: boolean }} props `dated` adds the day, and
 *   `isZoned` the time in UTC
 */
export function When({ at, dated = true, isZoned = false }) {
  if (!at || Number.isNaN(Date.parse(at))) return html`<span class="soft">—</span>`;
  const { shortDate, time } = brasilia(at);
  const shown = html`<time datetime=${at} title=${at}>${dated ? `${shortDate} ${time}` : time}</time>`;
  if (!isZoned) return shown;
  return html`${shown}${" "}<span class="soft"
      >in Brasília, ${new Date(at).toISOString().slice(11, 19)} UTC</span
    >`;
}

/** Shows the time until an instant, which counts down. @param {{ at: string }} props */
export function Until({ at }) {
  const now = useWorldTime();
  return html`<span title=${at}>${now === undefined ? "" : span(Date.parse(at) - now)}</span>`;
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notify("Copied.");
  } catch {
    notify("Failed to copy: the browser does not allow it here. Select the text instead.", { tone: "bad" });
  }
}

/** @param {{ text: string, label?: string }} props */
export function CopyButton({ text, label = "Copy" }) {
  return html`<button class="quiet" title="Copy to the clipboard" onClick=${() => copy(text)}>
    ${label}
  </button>`;
}

/** Shows a text that is copied by a click. @param {{ text: string }} props */
export function Copyable({ text }) {
  return html`<button class="bare copyable" title="Copy" onClick=${() => copy(text)}>${text}</button>`;
}

/** Shows a command with a button that copies it. @param {{ text: string }} props */
export function Command({ text }) {
  return html`<${CommandText} text=${text}><${CopyButton} text=${text} /><//>`;
}

/**
 * Shows a link to an object. If its collection is unknown, `#/find/` searches for it.
 *
 * @param {{ id: string, collection?: string | null | undefined, label?: string }} props
 */
export function ObjectLink({ id, collection, label = app.names.get(id) ?? shortId(id) }) {
  const href = formatAddress({ view: collection ?? "find", id });
  return html`<a class="id" href=${href} title=${id}><bdi>${label}</bdi></a>`;
}

/**
 * Shows an object's name in a list: the partner's name for it, or a short id.
 *
 * @param {{ id: string }} props
 */
export function ObjectName({ id }) {
  const name = app.names.get(id);
  return html`<span title=${id}
    >${name === undefined ? html`<code>${shortId(id)}</code>` : html`<bdi>${name}</bdi>`}</span
  >`;
}

/** Matches if the page shows one pane: the selected entry in place of the list. */
export const NARROW = matchMedia("(max-width: 700px)");

/**
 * Shows the heading of a pane, with its actions. The heading of the only pane is the heading of the page.
 *
 * @param {{ title: string, isMain?: boolean, children?: Children }} props `isMain` is the heading of the page
 */
export function Heading({ title, isMain = false, children }) {
  return html`<header class="spread">
    <${isMain || NARROW.matches ? "h1" : "h2"} tabindex="-1" data-heading><${Name} name=${title} /><//>
    <div class="side">${children}</div>
  </header>`;
}

/** The columns of a list, one for each part of a row. @typedef {readonly [title: string, badge: string, left: string, right: string, at: string]} Columns */

/**
 * Shows the rows of a list as a table. A wide list has a line with the names of its columns. Elsewhere a row is a block,
 * and only a screen reader names the columns.
 *
 * @param {{ label: string, columns?: Columns, children?: Children }} props `label` names the table
 */
export function Rows({ label, columns = ["what", "status", "about", "", "time"], children }) {
  return html`<div class="rows" role="table" aria-label=${label}>
    <div class="row heads" role="row">
      ${columns.map((name) => html`<span role="columnheader">${name}</span>`)}
    </div>
    ${children}
  </div>`;
}

/**
 * Shows a row of `Rows`: its title and a badge, and below the other facts, at the left and at the right, and its time.
 * The title of a row with an address is a link, which covers the row.
 *
 * @param {{ title: Children, badge?: Children, left?: Children, right?: Children, at?: string | undefined, href?: string, isCurrent?: boolean, children?: Children }} props
 */
export function Row({ title, badge, left, right, at, href, isCurrent = false, children }) {
  const name = typeof title === "string" ? html`<${Name} name=${title} />` : title;
  const clicked = () => {
    app.walkedTo = undefined;
    if (isCurrent) focusPane("detail");
  };
  const link =
    href &&
    html`<a href=${href} data-row aria-current=${isCurrent ? "true" : undefined} onClick=${clicked}
      >${name}</a
    >`;
  return html`<div class="row ${href && "entry"}" role="row">
    <span class="line"> <b role="cell">${link || name}</b><span role="cell">${badge}</span> </span>
    <span class="line soft">
      <span role="cell">${left}${children}</span><span role="cell">${right}</span
      ><span class="at" role="cell">${at && html`<${When} at=${at} />`}</span>
    </span>
  </div>`;
}

/** The text for webhooks without a URL, with the fix. */
export const NOWHERE = html`nowhere: no URL is set. Set one under${" "}
  <a href=${formatAddress({ view: "world" })}>World and keys</a>, or start with <code>--webhook-url</code>`;

/**
 * Shows a view that is a list: its title and introduction, the search and the filters that `search` names, and its
 * rows. `none` says what would fill an empty list. `above` is shown between the filters and the rows.
 *
 * @param {object} props
 * @param {string} props.title
 * @param {Children} [props.side] next to the title
 * @param {Children} [props.intro]
 * @param {string} [props.search] what is searched
 * @param {readonly (readonly [name: string, label: string, choices: readonly string[]])[]} [props.filters]
 * @param {Children} [props.moreFilters]
 * @param {Children} [props.tally]
 * @param {Children} [props.above]
 * @param {Columns} [props.columns] if each row is a `Row`
 * @param {readonly Children[]} props.rows
 * @param {Children} props.none
 */
export function ListView({
  title,
  side,
  intro,
  search,
  filters = [],
  moreFilters,
  tally,
  above,
  columns,
  rows,
  none,
}) {
  const shown = columns ? html`<${Rows} label=${title} columns=${columns}>${rows}<//>` : rows;
  return html`<section>
      <${Heading} title=${title} isMain>${side}<//>
      ${intro && html`<p class="soft">${intro}</p>`}
      ${
        search &&
        html`<div class="flow filters">
          <${SearchField} what=${search} />
          ${filters.slice(0, 1).map(choiceField)}
          ${
            (filters.length > 1 || moreFilters) &&
            html`<details open=${filters.slice(1).some(([name]) => app.address.query?.[name])}>
              <summary>Filter</summary>
              <div class="flow filters">${filters.slice(1).map(choiceField)}${moreFilters}</div>
            </details>`
          }
        </div>`
      }
      ${tally}
    </section>
    ${above && html`<section>${above}</section>`}
    <section>${rows.length === 0 ? html`<${Empty}>${none}<//>` : shown}</section>`;
}

/**
 * Shows a section that opens by a click.
 *
 * @param {{ label: string, hint: Children, title?: string, children?: Children }} props
 */
export function Disclosure({ label, hint, title, children }) {
  return html`<details class="card">
    <summary title=${title}><span>${label}</span><span class="soft">${hint}</span></summary>
    ${children}
  </details>`;
}

/** Says that faults of the sandbox changed a call or a delivery. @param {{ names: readonly string[] }} props */
export function Faults({ names }) {
  return names.length === 0
    ? null
    : html`<i class="injected" title=${names.join(", ")}>${" (by a fault)"}</i>`;
}

/** The time that a button waits for the second click. */
const CONFIRM_MS = 4000;

/**
 * Shows a button for a change that cannot be undone. The first click asks, the second click confirms.
 *
 * @param {{ label: string, question: string, confirmed: () => void }} props
 */
export function ConfirmButton({ label, question, confirmed }) {
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    if (!isAsking) return undefined;
    const timer = setTimeout(() => setAsking(false), CONFIRM_MS);
    return () => clearTimeout(timer);
  }, [isAsking]);
  const clicked = () => {
    setAsking(!isAsking);
    if (isAsking) confirmed();
  };
  return html`<button class=${isAsking ? "asking" : undefined} onClick=${clicked}>
    ${isAsking ? question : label}
  </button>`;
}

/** @param {readonly [name: string, label: string, choices: readonly string[]]} filter */
function choiceField([name, label, choices]) {
  return html`<${ChoiceField} key=${name} name=${name} label=${label} choices=${choices} />`;
}

/** Shows the search of a list. Its text is in the address. @param {{ what: string }} props */
function SearchField({ what }) {
  const { address } = app;
  return html`<input
    type="search"
    data-search
    placeholder="Search ${what}  /"
    aria-label="Search ${what}"
    value=${address.query["q"] ?? ""}
    onInput=${(/** @type {any} */ { target }) => filter({ q: target.value })}
  />`;
}

/**
 * Shows a choice that filters a list. The chosen value is in the address, under `name`.
 *
 * @param {{ name: string, label: string, choices: readonly string[] }} props
 */
function ChoiceField({ name, label, choices }) {
  const { address } = app;
  const chosen = address.query[name] ?? "";
  return html`<select
    aria-label=${label}
    onChange=${(/** @type {any} */ { target }) => filter({ [name]: target.value })}
  >
    <option value="" selected=${chosen === ""}>${label}</option>
    ${choices.map((choice) => html`<option value=${choice} selected=${choice === chosen}>${choice}</option>`)}
  </select>`;
}

/** Counts the matches of a search, unless all match. @param {{ found: number, all: number }} props */
export function Tally({ found, all }) {
  return found === all ? null : html`<p class="soft small">${found} of ${all}</p>`;
}

/**
 * Says which part of a list is shown, with links to the newest and to the older entries. The sandbox searches and
 * pages; `query` names the parameter that takes the value of `older`.
 *
 * @param {{ shown: number, all?: number | undefined, older: string | number | undefined, query?: string }} props
 *   `all` is the number of entries without a search, if it is known
 */
export function Pages({ shown, all, older, query = "before" }) {
  const { address } = app;
  const { [query]: place = "", ...others } = address.query ?? {};
  const isFirst = place === "";
  const isSearch = Object.values(others).some((value) => value !== "");
  if (isFirst && older === undefined && !isSearch) return null;
  const page = (/** @type {string} */ value) =>
    formatAddress({ view: address.view, query: { ...others, [query]: value } });
  const isWhole = isFirst && older === undefined;
  const which = isWhole ? "" : isFirst ? "the newest " : "older ";
  const whole = all === undefined || (isSearch && !isWhole) ? "" : ` of ${all}`;
  return html`<p class="soft small flow">
    <span>${isSearch ? "Found" : "Showing"} ${which}${shown}${whole}.</span>
    ${!isFirst && html`<a href=${page("")}>Newest</a>`}
    ${older !== undefined && html`<a href=${page(String(older))}>Older</a>`}
  </p>`;
}

/**
 * Shows a dialog. It closes by its button, with the text from its field named `typed`, or by Esc.
 *
 * @param {{ title: string, submit: string, closed: (typed: string | undefined) => void, children?: Children }} props
 */
export function Dialog({ title, submit, closed, children }) {
  const dialog = useRef(/** @type {any} */ (null));
  /** @type {{ current: string | undefined }} */
  const typed = useRef(undefined);
  useEffect(() => dialog.current.showModal(), []);
  const submitted = (/** @type {any} */ { currentTarget }) => {
    typed.current = currentTarget.elements.typed?.value;
  };
  return html`<dialog ref=${dialog} onClose=${() => closed(typed.current)}>
    <form method="dialog" onSubmit=${submitted}>
      <h2>${title}</h2>
      ${children}
      <button class="primary">${submit}</button>
    </form>
  </dialog>`;
}
