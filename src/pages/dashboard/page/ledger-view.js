import { api, app, learnNames, pageQuery } from "./app.js";
import { amountText, matches } from "./text.js";
import { Badge, Empty, ListView, ObjectLink, Pages, Row, When } from "./components.js";
import { html } from "../../html/preact.js";

/** @import { AccountAmount as Posting, LedgerEntry as Movement } from "../../../simulator/api/generated/shapes.ts" */

/** The balance of every account, and every movement between two of them. @type {import("./page-data.ts").View} */
export const ledgerView = {
  title: "Ledger",
  async load() {
    await learnNames(app.collections.map(({ collection }) => collection));
    return api.ask("GET /sandbox/ledger", pageQuery());
  },
  List,
};

/** @param {{ data: { balanced: boolean, accounts: readonly Posting[], entries: readonly Movement[], older?: string } }} props */
function List({ data: { balanced, accounts, entries, older } }) {
  const { q = "" } = app.address.query;
  const balances = accounts.filter(({ value, account }) => Number(value) !== 0 && matches(q, account));
  return html`<${ListView}
    title="Ledger"
    side=${html`<${Badge} status=${balanced ? "balanced" : "unbalanced"} />`}
    search="accounts and entries"
    above=${html`<h3>Balances <span class="soft">other than zero</span></h3>
      ${balances.length === 0 && html`<${Empty}>Every balance is zero.<//>`}
      ${balances.map((one) => html`<div class="row" key=${one.account}><${PostingLine} ...${one} /></div>`)}
      <h3>Entries <span class="soft">the newest first</span></h3>
      <${Pages} shown=${entries.length} older=${older} />`}
    rows=${entries.toReversed().map((entry) => html`<${MovementRow} key=${entry.id} ...${entry} />`)}
    none="No money has moved."
  />`;
}

/** @param {Movement} props */
function MovementRow({ at, memo, objectId, postings }) {
  const about = html`<span class="soft">
    ${objectId && html`<${ObjectLink} id=${objectId} />`}${" "}<${When} at=${at} />
  </span>`;
  return html`<${Row} title=${memo} badge=${about}>
    ${postings.map((posting) => html`<${PostingLine} ...${posting} />`)}
  <//>`;
}

/** Shows an account, named by its kind and the object whose money it is, and an amount. @param {Posting} props */
function PostingLine({ account, value, currency }) {
  const [kind = "", id] = account.split(":", 2);
  const link =
    kind === "available"
      ? html`<${ObjectLink} id=${id} collection="accounts" />`
      : html`<${ObjectLink} id=${id} />`;
  return html`<div class="line">
    <span class="wrap">${kind} ${id !== undefined && link}</span>
    <span class="number">${amountText(value, currency)}</span>
  </div>`;
}
