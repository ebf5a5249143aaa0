import type { ControlRequest } from "./control.ts";
import { suggestion } from "../../engine/suggestion.ts";
import { isCollectionName, resources } from "../../platform/resources.ts";
import { newestAsked } from "./newest.ts";
import { refuseUnknown } from "./control.ts";

/** `GET /sandbox/resources`: every collection with how many objects it has. */
export function listCollections({ world: { records } }: ControlRequest): object {
  const data = Object.entries(resources).map(([collection, { count }]) => ({
    collection,
    count: count(records),
  }));
  return { data };
}

/** `GET /sandbox/resources/{collection}`, of which `last` keeps the newest, and, with an id, the object itself. */
export function showResources({ world, params, query }: ControlRequest): object {
  const { collection = "", id } = params;
  if (!isCollectionName(collection)) {
    const names = Object.keys(resources);
    refuseUnknown(`There is no collection "${collection.slice(0, 60)}". ${suggestion(collection, names)}`);
  }
  const { records } = world;
  if (id === undefined) return { data: resources[collection].list(records, newestAsked(query)) };
  return (
    resources[collection].get(records, id) ?? refuseUnknown(`There is no object "${id}" in ${collection}.`)
  );
}
