import type { Records } from "../../simulator/engine/store.ts";
import type { Assumption } from "../../simulator/platform/assumptions/assumption.ts";
import { Coverage } from "../../simulator/worlds/coverage.ts";
import { transitionName } from "../../simulator/engine/lifecycle.ts";
import { type Endpoint, refuse, refuseUnknown, Reply, pathParameter } from "./endpoint.ts";
import type { World } from "../../simulator/worlds/world.ts";
import { amountShape } from "../../simulator/platform/shape.ts";
import { assumptions, catalog, collections, lifecycles } from "../../simulator/platform/catalog.ts";
import type { AccountAmount, LedgerEntry } from "../../simulator/api/generated/shapes.ts";
import {
  type LedgerEntry as Entry,
  balances,
  isBalanced,
  ledgerEntries,
} from "../../simulator/platform/ledger/ledger.ts";
import { pageOf } from "./list-page.ts";
import { effectNames } from "../../simulator/platform/faults/effects.ts";
import { events } from "../../simulator/api/events.ts";
import { formatInstant } from "../../simulator/engine/instant.ts";
import { inbox } from "../../simulator/platform/pix-key-claims/claim.ts";
import { orders } from "../../simulator/platform/orders/order.ts";
import type { Simulation } from "../../simulator/engine/simulation.ts";
import { subscriptions } from "../../simulator/platform/subscriptions/subscription.ts";
import { suggestion } from "../../simulator/engine/suggestion.ts";

/** The readable state of a world. */
export const stateEndpoints = {
  listCollections: {
    method: "GET",
    path: "/sandbox/resources",
    tag: "State",
    summary: "List the collections with the number of their objects, in total and by status",
    response: "CollectionList",
    answer: ({ world: { records } }) => ({
      data: catalog.flatMap(({ name, noun, origin, scenario, lifecycles: tables }) => {
        const objects = collections.get(name);
        if (objects === undefined) return [];
        const statuses = objects.statuses(records);
        const count = Object.values(statuses).reduce((sum, ofStatus) => sum + ofStatus, 0);
        const ends: object = Object.assign({}, ...tables.map((table) => table.ends));
        return [{ collection: name, count, statuses, noun, ends, origin, scenario }];
      }),
    }),
  } satisfies Endpoint,
  listObjects: {
    method: "GET",
    path: "/sandbox/resources/{collection}",
    tag: "State",
    summary: "List the objects of a collection, newest last",
    description: "Each object has its shape of the platform API.",
    parameters: { collection: pathParameter("The collection.", "accounts") },
    query: "ResourcesQuery",
    response: "ObjectList",
    errors: ["NOT_FOUND"],
    tool: { name: "resources", fields: ["collection"] },
    answer: async ({ world, params: { collection = "" }, query: { status, wait, ...page } }) => {
      const { records } = await worldFor(world, collection, wait);
      const objects = collectionOf(collection);
      const wanted = status === undefined ? undefined : statusOf(collection, status);
      return pageOf(
        objects.newestFirst(records, wanted),
        { last: Infinity, ...page },
        {
          shapeOf: (record) => objects.view(record, records),
        },
      );
    },
  } satisfies Endpoint<never, "ResourcesQuery">,
  showObject: {
    method: "GET",
    path: "/sandbox/resources/{collection}/{id}",
    tag: "State",
    summary: "Show an object",
    description: 'The header `link` names the page of its payer (`rel="payer-page"`).',
    parameters: {
      collection: pathParameter("The collection.", "accounts"),
      id: pathParameter("The object.", "11111111-1111-4111-8111-111111111111"),
    },
    query: "WaitQuery",
    response: "AnyObject",
    errors: ["NOT_FOUND"],
    tool: { name: "resources", fields: ["collection", "id"] },
    answer: async ({ world, params: { collection = "", id = "" }, query: { wait }, url, inbound }) => {
      const { records } = await worldFor(world, collection, wait);
      const object =
        collectionOf(collection).get(records, id) ??
        refuseUnknown(`There is no object "${id.slice(0, 60)}" in ${collection}.`);
      const page = payerPagePath(collection, id, world.id);
      if (page === undefined) return object;
      return new Reply(object, {
        headers: { link: `<${new URL(page, inbound?.head.origin ?? url).href}>; rel="payer-page"` },
      });
    },
  } satisfies Endpoint<never, "WaitQuery">,
  showLedger: {
    method: "GET",
    path: "/sandbox/ledger",
    tag: "State",
    summary: "Show the ledger",
    description:
      "The answer has every account with its amount, and the newest 1,000 entries, unless `last` asks for another number. If there are further entries, an account without money is listed only if an entry of this page names it.",
    query: "LedgerQuery",
    response: "Ledger",
    answer: async ({ world: { records }, query }) => {
      const { data, older } = await pageOf(records.newestFirst(ledgerEntries), query, {
        shapeOf: entryShape,
      });
      const balanced = isBalanced(records);
      const total = records.count(ledgerEntries);
      if (older === undefined && query.before === undefined)
        return { balanced, accounts: accountsOf(records), entries: data, total };
      const entries = [...data];
      return { balanced, accounts: accountsOf(records, entries), entries, older, total };
    },
  } satisfies Endpoint<never, "LedgerQuery">,
  showInbox: {
    method: "GET",
    path: "/sandbox/inbox",
    tag: "State",
    summary: "List the confirmation codes sent by e-mail and SMS",
    response: "Inbox",
    answer: ({ world }) => ({
      data: [...world.records.all(inbox)].values().map(({ channel, to, code, validationId, sentAt }) => ({
        channel,
        to,
        code,
        validationId,
        sentAt: formatInstant(sentAt),
      })),
    }),
  } satisfies Endpoint,
  showCoverage: {
    method: "GET",
    path: "/sandbox/coverage",
    tag: "State",
    summary: "Show the coverage of this world",
    description:
      "Counts each used transition, event, error code, assumption and effect of faults since its start. Unused names have the count 0.",
    query: "WaitQuery",
    response: "Coverage",
    showsOutcomes: true,
    answer: ({ world }) => coverageOf(world),
  } satisfies Endpoint<never, "WaitQuery">,
};

/** Returns the collection with this name. Refuses an unknown name. */
function collectionOf(name: string) {
  const words = [...collections.keys()];
  return (
    collections.get(name) ??
    refuseUnknown(
      `There is no collection "${name.slice(0, 60)}". ${suggestion(name, words, { all: "GET /sandbox/resources" })}`,
    )
  );
}

/** Webhook events show the outcomes of attempts; no other collection does. */
async function worldFor(world: World, collection: string, wait: string | undefined): Promise<Simulation> {
  if (collection !== "webhook-events") return world.present.simulation;
  if (wait !== "false") await world.deliveries.answeredForRead();
  return world.shown();
}

/**
 * Returns the path of the page for the payer of an object, with its world. Undefined for a collection without such
 * pages.
 */
function payerPagePath(collection: string, id: string, worldId: string): string | undefined {
  if (collection === orders.name) return `/pay/${worldId}/${id}`;
  if (collection !== subscriptions.name) return undefined;
  return `/pay/subscriptions/${id}${worldId === "default" ? "" : `?world=${worldId}`}`;
}

/** A status of the objects of a collection. */
function statusOf(collection: string, status: string): string {
  const known: readonly string[] =
    catalog.find(({ name }) => name === collection)?.lifecycles[0]?.states ?? [];
  if (known.includes(status)) return status;
  return refuse(
    "status",
    `Objects of ${collection} have no status "${status.slice(0, 60)}". ${suggestion(status, known)}`,
  );
}

/** Returns the accounts with their amounts. With a page of the entries, empty accounts are only those of the page. */
function accountsOf(records: Records, page?: readonly LedgerEntry[]): AccountAmount[] {
  const named = new Set(page?.flatMap(({ postings }) => postings.map(({ account }) => account)));
  return Array.from(records.all(balances)).flatMap(({ account, amount }) =>
    page === undefined || amount.minor !== 0 || named.has(account) ? { account, ...amountShape(amount) } : [],
  );
}

function entryShape({ id, at, memo, objectId, postings }: Entry): LedgerEntry {
  return {
    id,
    at: formatInstant(at),
    memo,
    objectId,
    postings: postings.map(({ account, amount }) => ({ account, ...amountShape(amount) })),
  };
}

/** All names that coverage counts, by area. */
const COVERABLE: Readonly<Record<keyof CountedAreas, readonly string[]>> = {
  transitions: lifecycles
    .filter(({ isLogged }) => isLogged !== false)
    .flatMap(({ resource, transitions }) =>
      transitions.flatMap(({ from, action, to }) =>
        from.map((state) => transitionName(resource, { action, from: state, to })),
      ),
    ),
  events: Object.keys(events),
  errors: ["INVALID_REQUEST", "UNAUTHORIZED", "FORBIDDEN_ERROR", "NOT_FOUND", "INTERNAL_ERROR"],
  // A statement describes the sandbox; no command can consult it.
  assumptions: Object.entries<Assumption<unknown>>(assumptions)
    .filter(([, { type }]) => type.kind !== "statement")
    .map(([id]) => id),
  faults: effectNames(),
};

type CountedAreas = Pick<Coverage, "transitions" | "events" | "errors" | "assumptions" | "faults">;

function coverageOf(world: World): object {
  world.clock.catchUp();
  const coverage = new Coverage(world.coverage.counts());
  world.shown(coverage);
  const areas = Object.entries(COVERABLE).map(([area, names]) => {
    const counted = coverage[area as keyof CountedAreas];
    const rows = names.map((name) => ({ name, count: counted.get(name) ?? 0 }));
    return [area, { ...shareOf(rows), rows }] as const;
  });
  return { ...shareOf(areas.flatMap(([, { rows }]) => rows)), areas: Object.fromEntries(areas) };
}

function shareOf(rows: readonly { readonly count: number }[]): object {
  const covered = rows.filter(({ count }) => count > 0).length;
  const percent = rows.length === 0 ? 100 : Math.floor((1000 * covered) / rows.length) / 10;
  return { covered, total: rows.length, percent };
}
