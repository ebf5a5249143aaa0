import { api, app, closeNotice, focusPane, go, perform, start, update } from "./app.js";
import { advanceTarget } from "./time.js";
import { Dialog, Empty, Heading, NARROW } from "./components.js";
import { BY_TOKEN, namedWorld, worldName, worldPage } from "./worlds.js";
import { formatAddress } from "./address.js";
import { html, render, useEffect, useRef } from "../../html/preact.js";
import { KeyboardHelp, listenToKeys } from "./keyboard.js";
import { Navigation, viewOf } from "./views.js";
import { TopBar } from "./top-bar.js";

/** @import { Loaded, Notice, Shown } from "./page-data.ts" */

function Page() {
  const { shown, address, outage, notices, isBusy, hasEnded } = app;
  useEffect(() => void (document.title = titleOfPage()));
  if (hasEnded) return html`<${EndedWorld} />`;
  const hasTwoPanes = shown?.view.One !== undefined;
  const isLoading = shown !== undefined && formatAddress(shown.address) !== formatAddress(address);
  return html`<div
    class="page"
    data-place=${shown && formatAddress(shown.address)}
    data-panes=${hasTwoPanes ? "two" : "one"}
    data-selected=${shown?.one === undefined ? undefined : true}
    aria-busy=${isBusy ? "true" : undefined}
  >
    <button class="skip" onClick=${() => document.getElementById("list")?.focus()}>
      Skip to the content
    </button>
    <${TopBar} />
    <div class="progress" role="status" hidden=${!isBusy && !isLoading}>
      <span class="unseen">${isBusy ? "Working…" : "Loading…"}</span>
    </div>
    ${outage && html`<p id="outage" role="alert">${outage}</p>`}
    <${Navigation} />
    <main aria-busy=${isLoading ? "true" : undefined}>
      <div id="list" tabindex="-1">
        ${
          shown === undefined
            ? html`<${Empty}>Loading…<//>`
            : html`<${Pane} ...${shown.list} title=${shown.view.title} content=${shown.view.List} />`
        }
      </div>
      <section id="detail" aria-label="Selected entry">
        ${hasTwoPanes && html`<${Detail} ...${shown} />`}
      </section>
    </main>
    <div id="notices" role="status" aria-live="polite">
      ${notices.map((notice) => html`<${NoticeBox} key=${notice.id} ...${notice} />`)}
    </div>
    <${OpenDialog} />
  </div>`;
}

/** Returns the title of the page: the selected entry, and the view. */
function titleOfPage() {
  if (app.hasEnded) return "The world has ended · sandbank";
  const entry = document.querySelector("#detail [data-heading]")?.textContent;
  return [entry, app.shown?.view.title, "sandbank"].filter(Boolean).join(" · ");
}

/** Shows the page of a world that does not exist. It shows no data of other worlds. */
function EndedWorld() {
  const named = namedWorld() ?? "default";
  const title =
    named === BY_TOKEN
      ? "No world has the token of this tab"
      : `The world ${named} has ended, or never existed`;
  return html`<div class="ended" data-ended>
    <header id="bar"><a class="brand" href="/">sandbank</a></header>
    <main id="list" tabindex="-1">
      <h1>${title}</h1>
      <p>
        A world ends when somebody removes it, or when a sandbox without a data file stops. Choose another
        one:
      </p>
      <ul class="points">
        ${app.worlds.map((world) => html`<li key=${world.id}><a href=${worldPage(world.id)}>${worldName(world)}</a></li>`)}
      </ul>
    </main>
    <${OpenDialog} />
  </div>`;
}

/** Shows the loaded data, or the reason why loading failed. @param {Loaded & { title: string, content: any }} props */
function Pane({ data, error, title, content: Content }) {
  if (error === undefined) return html`<${Content} data=${data} />`;
  return html`<section><${Heading} title=${title} /><${Empty}>${error}<//></section>`;
}

/**
 * Shows the selected entry. A narrow page shows it in place of the list, with a link back. The focus follows: to the
 * heading of an entry that is opened, and back to its row when it is closed.
 *
 * @param {Shown} props
 */
function Detail({ view, address, one }) {
  const { id } = address;
  const before = useRef(id);
  useEffect(() => {
    if (before.current === id) return;
    if (id === undefined) rowOf({ ...address, id: before.current })?.focus();
    else if (app.walkedTo === undefined) focusPane("detail");
    if (app.walkedTo === id) app.walkedTo = undefined;
    before.current = id;
  });
  if (one === undefined || id === undefined) return null;
  return html`<a class="back" href=${formatAddress({ ...address, id: undefined })}>← ${view.title}</a>
    <${Pane} key=${`${address.view} ${id}`} ...${one} title=${id} content=${view.One} />`;
}

/** Returns the row of an entry in the list. @param {import("./page-data.ts").Address} address */
function rowOf(address) {
  const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#list [data-row]")]);
  return rows.find((row) => row.getAttribute("href") === formatAddress(address));
}

/** @param {Notice} props */
function NoticeBox({ id, message, tone, link }) {
  return html`<div class="card notice ${tone}">
    <p>${message}${link && html`${" "}<a href=${link.href}>${link.text}</a>`}</p>
    <button class="bare" aria-label="Close" title="Close" onClick=${() => closeNotice(id)}>✕</button>
  </div>`;
}

function OpenDialog() {
  const { dialog } = app;
  if (dialog === undefined) return null;
  const close = () => update({ dialog: undefined });
  if (dialog === "keys") return html`<${KeyboardHelp} closed=${close} />`;
  const closed = (/** @type {string | undefined} */ token) => {
    close();
    dialog(token);
  };
  return html`<${Dialog} title="Admin token" submit="Continue" closed=${closed}>
    <p class="soft">This sandbox was started with --admin-token. The token stays in this tab.</p>
    <input type="password" name="typed" required autocomplete="off" aria-label="Admin token" />
  <//>`;
}

listenToKeys({
  close: () => app.address.id !== undefined && go({ ...app.address, id: undefined }),
  next: () =>
    void perform(async () => void (await api.ask("POST /sandbox/clock/advance", advanceTarget("next")))),
  help: () => update({ dialog: "keys" }),
});
NARROW.addEventListener("change", () => update({}));
const root = /** @type {HTMLElement} */ (document.getElementById("app"));
await start({ viewOf, paint: () => render(html`<${Page} />`, root) });
