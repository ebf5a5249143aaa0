import { api, app, closeNotice, go, perform, start, update } from "./app.js";
import { advanceTarget } from "./time.js";
import { Dialog, Empty, Heading } from "./components.js";
import { formatAddress } from "./address.js";
import { html, render, useEffect, useRef } from "../../../html/preact.js";
import { KeyboardHelp, listenToKeys } from "./keyboard.js";
import { Navigation, viewOf } from "./views.js";
import { TopBar } from "./top-bar.js";

/** @import { Loaded, Notice, Shown } from "./page-data.ts" */

function Page() {
  const { shown, outage, notices } = app;
  const hasTwoPanes = shown?.view.One !== undefined;
  return html`<div
    class="page"
    data-place=${shown && formatAddress(shown.address)}
    data-panes=${hasTwoPanes ? "two" : "one"}
    data-selected=${shown?.one === undefined ? undefined : true}
  >
    <button class="skip" onClick=${() => document.getElementById("list")?.focus()}>
      Skip to the content
    </button>
    <${TopBar} />
    ${outage && html`<p id="outage" role="alert">${outage}</p>`}
    <${Navigation} />
    <main id="list" tabindex="-1">
      ${
        shown === undefined
          ? html`<${Empty}>Loading…<//>`
          : html`<${Pane} ...${shown.list} title=${shown.view.title} content=${shown.view.List} />`
      }
    </main>
    <aside id="detail" aria-label="Selected entry">${hasTwoPanes && html`<${Detail} ...${shown} />`}</aside>
    <div id="notices" role="status" aria-live="polite">
      ${notices.map((notice) => html`<${NoticeBox} key=${notice.id} ...${notice} />`)}
    </div>
    <${OpenDialog} />
  </div>`;
}

/** What was loaded, or why it was not. @param {Loaded & { title: string, content: any }} props */
function Pane({ data, error, title, content: Content }) {
  if (error === undefined) return html`<${Content} data=${data} />`;
  return html`<section><${Heading} title=${title} /><${Empty}>${error}<//></section>`;
}

/** The selected entry. A narrow page shows it in place of the list, with a link back. @param {Shown} props */
function Detail({ view, address, one }) {
  const { id } = address;
  const back = useRef(/** @type {any} */ (null));
  const before = useRef(id);
  useEffect(() => {
    // Where the entry replaces the list, what had the focus is gone: the row of the list, or the link back to it.
    const row = formatAddress({ ...address, id: before.current });
    const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#list [data-row]")]);
    if (before.current === id || isLive(document.activeElement)) return;
    if (id === undefined) rows.find((one) => one.getAttribute("href") === row)?.focus();
    else back.current?.focus();
  });
  useEffect(() => {
    before.current = id;
  }, [id]);
  if (one === undefined || id === undefined) return null;
  return html`<a class="back" ref=${back} href=${formatAddress({ ...address, id: undefined })}
      >← ${view.title}</a
    >
    <${Pane} key=${`${address.view} ${id}`} ...${one} title=${id} content=${view.One} />`;
}

/** Whether an element has the focus and is shown. @param {Element | null} element */
function isLive(element) {
  return element !== null && element !== document.body && element.checkVisibility();
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
const root = /** @type {HTMLElement} */ (document.getElementById("app"));
await start({ viewOf, paint: () => render(html`<${Page} />`, root) });
