import type { Assumption } from "../../platform/assumptions/assumption.ts";
import { assumedValues } from "../../platform/assumptions/assumptions.ts";
import { assumptions, catalog, collections, lifecycles } from "../../platform/catalog.ts";
import { effectNames } from "../../platform/faults/effects.ts";
import { orders } from "../../platform/orders/order.ts";
import { subscriptions } from "../../platform/subscriptions/subscription.ts";
import { events } from "../../api/events.ts";
import { formatInstant } from "../../engine/instant.ts";
import { inbox } from "../../platform/pix-key-claims/claim.ts";
import { listAssumptions } from "../../platform/assumptions/listing.ts";
import { jsonAnswer } from "../answer.ts";
import {
  type ControlAnswer,
  type ControlRequest,
  type ControlRoutes,
  refuse,
  refuseUnknown,
  wholeNumber,
  withOutcomes,
} from "./control.ts";
import { ledgerShape } from "./answer-shapes.ts";
import { suggestion } from "../../engine/suggestion.ts";
import { type Coverage, transitionName } from "../../worlds/coverage.ts";

/** What can be read of a world. */
export const stateRoutes: ControlRoutes = {
  "GET /resources": { summary: "List the collections", answer: listCollections },
  "GET /resources/:collection": { summary: "List the objects of a collection", answer: showCurrentResources },
  "GET /resources/:collection/:id": { summary: "Show an object", answer: showCurrentResources },
  "GET /ledger": { summary: "Show the ledger", answer: ({ world }) => ledgerShape(world) },
  "GET /inbox": { summary: "List the confirmation codes sent by e-mail and SMS", answer: showInbox },
  "GET /assumptions": {
    summary: "List the assumptions with their values in this world",
    answer: showAssumptions,
  },
  "GET /coverage": { summary: "Show what this world has exercised", answer: withOutcomes(showCoverage) },
};

function listCollections({ world: { records } }: ControlRequest): object {
  const data = catalog.flatMap(({ name, noun, origin, scenario, lifecycles: tables }) => {
    const objects = collections.get(name);
    if (objects === undefined) return [];
    const statuses = objects.statuses(records);
    const count = Object.values(statuses).reduce((sum, ofStatus) => sum + ofStatus, 0);
    const ends: object = Object.assign({}, ...tables.map((table) => table.ends));
    return [{ collection: name, count, statuses, noun, ends, origin, scenario }];
  });
  return { data };
}

/** Webhook events show the outcomes of attempts; no other collection does. */
function showCurrentResources(request: ControlRequest): ControlAnswer | Promise<ControlAnswer> {
  const isAboutWebhooks = request.params["collection"] === "webhook-events";
  return isAboutWebhooks ? withOutcomes(showResources)(request) : showResources(request);
}

/**
 * A collection, of which `status` selects and `last` takes the newest, or with an id the object itself. The page on
 * which its payer acts is named in the header `link`.
 */
function showResources({ world, params, query, inbound, c }: ControlRequest): object {
  const { collection = "", id } = params;
  const { last, status } = query;
  const objects = collections.get(collection);
  if (objects === undefined) {
    const names = [...collections.keys()];
    refuseUnknown(`There is no collection "${collection.slice(0, 60)}". ${suggestion(collection, names)}`);
  }
  const { records } = world;
  if (id === undefined) {
    const wanted = {
      ...(status !== undefined && { status: statusOf(collection, status) }),
      ...(last !== undefined && { newest: wholeNumber("last", last) }),
    };
    return { data: objects.list(records, wanted) };
  }
  const object =
    objects.get(records, id) ?? refuseUnknown(`There is no object "${id.slice(0, 60)}" in ${collection}.`);
  const page = payerPagePath(collection, id, world.id);
  if (page === undefined) return object;
  const link = `<${new URL(page, c.req.url).href}>; rel="payer-page"`;
  return jsonAnswer(world, 200, object, { link }, inbound);
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

function showInbox({ world }: ControlRequest): object {
  const data = [...world.records.all(inbox)].values().map(({ channel, to, code, validationId, sentAt }) => ({
    channel,
    to,
    code,
    validationId,
    sentAt: formatInstant(sentAt),
  }));
  return { data };
}

function showAssumptions({ world }: ControlRequest): object {
  return { data: listAssumptions(assumedValues(world.records)) };
}

/** Everything that coverage counts, by name. */
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

/**
 * How often this world has used each transition, event, error code, assumption and effect of faults since its start;
 * those it has not used have the count 0.
 */
function showCoverage({ world }: ControlRequest): object {
  const areas = Object.entries(COVERABLE).map(([area, names]) => {
    const counted = world.coverage[area as keyof CountedAreas];
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

/**
 * The path of the page on which a payer acts on an object, with its world; undefined for a collection without such
 * pages.
 */
function payerPagePath(collection: string, id: string, worldId: string): string | undefined {
  if (collection === orders.name) return `/pay/${worldId}/${id}`;
  if (collection !== subscriptions.name) return undefined;
  return `/pay/subscriptions/${id}${worldId === "default" ? "" : `?world=${worldId}`}`;
}
