import type { AccountBooks, BooksQuery } from "../../simulator/api/generated/shapes.ts";
import {
  accountsOf,
  type BookedCollection,
  bookedCollections,
  companyBooks,
} from "../../simulator/worlds/company-books.ts";
import { companies } from "../../simulator/platform/companies/company.ts";
import { type Endpoint, refuse } from "./endpoint.ts";
import { suggestion } from "../../simulator/engine/suggestion.ts";
import type { World } from "../../simulator/worlds/world.ts";

export const bookEndpoints = {
  showBooks: {
    method: "GET",
    path: "/sandbox/books",
    tag: "State",
    summary: "Show the amounts that a company received, refunded and paid out, by the ledger",
    description:
      "The totals are for the company of the token, or without a token for the first company. `account` selects one account. [books.md](books.md) defines each total. `history=true` adds the movements and announcements of each total. `of` adds the objects of the named collections.",
    query: "BooksQuery",
    response: "AccountBooks",
    showsOutcomes: true,
    answer: ({ world, companyId, query }) => booksOf(world, companyId, query),
  } satisfies Endpoint<never, "BooksQuery">,
};

function booksOf(
  world: World,
  companyId: string | null,
  { account, history, of = "" }: BooksQuery,
): AccountBooks {
  const shown = world.shown();
  const company = companyId ?? Array.from(shown.records.all(companies))[0]?.id ?? "";
  const own = accountsOf(shown.records, company).map(({ id }) => id);
  if (account !== undefined && !own.includes(account))
    refuse(
      "account",
      `The company ${company} has no account "${account.slice(0, 60)}". ${suggestion(account, own)}`,
    );
  const collections = of === "" ? [] : of.split(",").map(collectionNamed);
  return companyBooks(shown, { company, account, withHistory: history === "true", collections });
}

function collectionNamed(name: string): BookedCollection {
  return (
    bookedCollections.find((one) => one === name) ??
    refuse("of", `There are no books of "${name.slice(0, 60)}". There are: ${bookedCollections.join(", ")}.`)
  );
}
