// @ts-check
import { api, app, SHOWN_MAX } from "./app.js";
import { amountText, matches } from "./text.js";
import { Empty, Heading, ObjectLink, SearchField, When } from "./components.js";
import { html } from "./preact.js";

/** @typedef {{ account: string, value: string, currency: string }} Posting an amount on an account of the ledger */
/** @typedef {{ id: string, at: string, memo: string, objectId: string | null, postings: Posting[] }} Movement */

/** The balance of every account, and every movement between two of them. @type {import("./app.js").View} */
export const ledgerView = { title: "Ledger", load: () => api.get("/ledger"), List };

/** @param {{ data: { balanced: boolean, accounts: readonly Posting[], entries: readonly Movement[] } }} props */
function List({ data: { balanced, accounts, entries } }) {
  const { q = "" } = app.address.query;
  const balances = accounts.filter(({ value, account }) => Number(value) !== 0 && matches(q, account));
  const found = entries.filter((entry) => matches(q, entry)).reverse();
  return html`<section>
      <${Heading} title="Ledger">
        <span class="badge ${balanced ? "good" : "bad"}">${balanced ? "balanced" : "does not balance"}</span>
      <//>
      <div class="filters"><${SearchField} what="accounts and entries" /></div>
    </section>
    <section>
      <h3>Balances <span class="soft">other than zero</span></h3>
      ${
        balances.length === 0
          ? html`<${Empty}>Every balance is zero.<//>`
          : balances.map((balance) => html`<${PostingLine} key=${balance.account} isRow ...${balance} />`)
      }
    </section>
    <section>
      <h3>
        Entries
        <span class="soft">
          ${found.length > SHOWN_MAX ? `the newest ${SHOWN_MAX} of ${found.length}` : "the newest first"}
        </span>
      </h3>
      ${
        found.length === 0
          ? html`<${Empty}>No money has moved.<//>`
          : found.slice(0, SHOWN_MAX).map((entry) => html`<${MovementRow} key=${entry.id} ...${entry} />`)
      }
    </section>`;
}

/** @param {Movement} props */
function MovementRow({ at, memo, objectId, postings }) {
  return html`<div class="row">
    <span class="line">
      <b>${memo}</b>
      <span class="soft"
        >${objectId && html`<${ObjectLink} id=${objectId} />`}${" "}<${When} at=${at}
      /></span>
    </span>
    ${postings.map((posting) => html`<${PostingLine} ...${posting} />`)}
  </div>`;
}

/** An account and an amount. @param {Posting & { isRow?: boolean }} props */
function PostingLine({ account, value, currency, isRow = false }) {
  return html`<div class=${isRow ? "row line" : "line"}>
    <${Account} name=${account} /><span class="number">${amountText(value, currency)}</span>
  </div>`;
}

/** An account of the ledger: its kind, then the object whose money it is. @param {{ name: string }} props */
function Account({ name }) {
  const [kind = "", id] = name.split(":", 2);
  if (id === undefined) return html`<span>${kind}</span>`;
  const link =
    kind === "available"
      ? html`<${ObjectLink} id=${id} collection="accounts" label=${id} />`
      : html`<${ObjectLink} id=${id} />`;
  return html`<span class="wrap">${`${kind} `}${link}</span>`;
}
