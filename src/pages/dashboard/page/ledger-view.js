import { api, app, learnNames, pageQuery } from "./app.js";
import { amountText, matches } from "./text.js";
import { Badge, Empty, ListView, ObjectLink, Pages, Table, When } from "./components.js";
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

/** @param {{ data: { balanced: boolean, accounts: readonly Posting[], entries: readonly Movement[], older?: string, total: number } }} props */
function List({ data: { balanced, accounts, entries, older, total } }) {
  const { q = "" } = app.address.query;
  const balances = accounts.filter(({ value, account }) => Number(value) !== 0 && matches(q, account));
  const table = html`<${Table}
    label="Entries"
    columns=${["time", "what", "object", "accounts and amounts"]}
    rows=${entries.toReversed().map(movementCells)}
  />`;
  return html`<${ListView}
    title="Ledger"
    side=${html`<${Badge} status=${balanced ? "balanced" : "unbalanced"} />`}
    search="accounts and entries"
    above=${html`<h3>Balances <span class="soft">other than zero</span></h3>
      ${
        balances.length === 0
          ? html`<${Empty}>Every balance is zero.<//>`
          : html`<${Table}
              label="Balances"
              columns=${["account", { title: "balance", number: true }]}
              rows=${balances.map(({ account, value, currency }) => [
                html`<${AccountName} account=${account} />`,
                amountText(value, currency),
              ])}
            />`
      }
      <h3>Entries <span class="soft">the newest first</span></h3>
      <${Pages} shown=${entries.length} all=${total} older=${older} />`}
    rows=${entries.length === 0 ? [] : [table]}
    none="No money has moved."
  />`;
}

/** Returns the cells of a movement. @param {Movement} movement */
function movementCells({ at, memo, objectId, postings }) {
  return [
    html`<${When} at=${at} />`,
    memo,
    objectId && html`<${ObjectLink} id=${objectId} />`,
    html`<ul>
      ${postings.map(
        ({ account, value, currency }) =>
          html`<li class="line">
            <${AccountName} account=${account} />
            <span class="number">${amountText(value, currency)}</span>
          </li>`,
      )}
    </ul>`,
  ];
}

/** Shows an account, named by its kind and the object whose money it is. @param {{ account: string }} props */
function AccountName({ account }) {
  const [kind = "", id] = account.split(":", 2);
  if (id === undefined) return kind;
  const collection = kind === "available" ? "accounts" : undefined;
  return html`<span class="wrap">${kind} <${ObjectLink} id=${id} collection=${collection} /></span>`;
}
