import type { ControlRequest } from "./control.ts";
import { closest } from "fastest-levenshtein";
import { collections } from "../../platform/catalog.ts";
import { newestAsked } from "./newest.ts";
import { refuseUnknown } from "./control.ts";

/** `GET /sandbox/resources`: every collection with how many objects it has. */
export function listCollections({ world: { records } }: ControlRequest): object {
  const data = Array.from(collections, ([collection, objects]) => ({
    collection,
    count: objects.count(records),
  }));
  return { data };
}

/** `GET /sandbox/resources/{collection}`, of which `last` keeps the newest, and, with an id, the object itself. */
export function showResources({ world, params, query }: ControlRequest): object {
  const { collection = "", id } = params;
  const objects = collections.get(collection);
  if (objects === undefined) {
    const names = [...collections.keys()];
    refuseUnknown(
      `There is no collection "${collection.slice(0, 60)}". Did you mean ${closest(collection, names)}?`,
    );
  }
  const { records } = world;
  if (id === undefined) return { data: objects.list(records, newestAsked(query)) };
  return objects.get(records, id) ?? refuseUnknown(`There is no object "${id}" in ${collection}.`);
}
