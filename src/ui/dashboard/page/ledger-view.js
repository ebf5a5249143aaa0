// @ts-check
import { amountText, matches, shortId } from "./words.js";
import { el } from "./dom.js";
import { heading, nothing, objectLink, table, when } from "./pieces.js";
import { searchField } from "./list-pieces.js";
import { SHOWN_MAX } from "./view.js";

/** @typedef {import("./view.js").Context} Context */

/** The books: what every account holds, and every movement between two of them. @type {import("./view.js").View} */
export const ledgerView = { title: "Ledger", list: sections };

/** @param {Context} context */
async function sections(context) {
  const { balanced, accounts, entries } = await context.api.get("/ledger");
  const { q = "" } = context.address.query;
  const filled = accounts.filter(
    (/** @type {any} */ { value, account }) => Number(value) !== 0 && matches(q, account),
  );
  const found = entries.filter((/** @type {any} */ entry) => matches(q, entry)).reverse();
  return [
    {
      key: "ledger.head",
      data: [balanced, context.address.query],
      build: () => [
        heading(
          "Ledger",
          el(balanced ? "span.badge.good" : "span.badge.bad", {}, balanced ? "balanced" : "does not balance"),
        ),
        el("div.filters", {}, searchField(context, "accounts and entries")),
      ],
    },
    {
      key: "ledger.accounts",
      data: filled,
      build: () => [
        el("h3", {}, "Balances ", el("span.soft", {}, "of accounts that hold something")),
        filled.length === 0
          ? nothing("No account holds anything.")
          : table(
              ["account", { title: "balance", number: true }],
              filled.map((/** @type {any} */ { account, value, currency }) => [
                accountView(account),
                amountText(value, currency),
              ]),
            ),
      ],
    },
    {
      key: "ledger.entries",
      data: found,
      build: () => [
        el(
          "h3",
          {},
          "Entries ",
          el(
            "span.soft",
            {},
            found.length > SHOWN_MAX ? `the newest ${SHOWN_MAX} of ${found.length}` : "the newest first",
          ),
        ),
        found.length === 0
          ? nothing("No money has moved.")
          : table(["at", "what", "about", "from and to"], found.slice(0, SHOWN_MAX).map(entryRow)),
      ],
    },
  ];
}

/** @param {any} entry */
function entryRow({ at, memo, objectId, postings }) {
  const sides = postings.map((/** @type {any} */ { account, value, currency }) =>
    el("div.posting", {}, accountView(account), el("span.number", {}, amountText(value, currency))),
  );
  return [when(at), memo, objectId === null ? "" : objectLink(objectId), el("div", {}, ...sides)];
}

/**
 * An account of the books; what comes after its kind is the object whose money it is.
 *
 * @param {string} account
 */
function accountView(account) {
  const [kind = "", id] = account.split(":", 2);
  if (id === undefined) return el("span", {}, kind);
  const link = kind === "available" ? objectLink(id, "accounts") : objectLink(id);
  link.textContent = kind === "available" ? id : shortId(id);
  return el("span", {}, `${kind} `, link);
}
