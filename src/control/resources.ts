import type { ControlRequest } from "./control.ts";
import { closest } from "fastest-levenshtein";
import { isCollectionName, resources } from "../platform/resources.ts";
import { refuseUnknown } from "./control.ts";

/** `GET /sandbox/resources/{collection}` and, with an id, the object itself. */
export function showResources({ world, params }: ControlRequest): object {
  const { collection = "", id } = params;
  if (!isCollectionName(collection)) {
    const names = Object.keys(resources);
    refuseUnknown(
      `There is no collection "${collection.slice(0, 60)}". Did you mean ${closest(collection, names)}?`,
    );
  }
  const { records } = world;
  if (id === undefined) return { data: resources[collection].list(records) };
  return (
    resources[collection].get(records, id) ?? refuseUnknown(`There is no object "${id}" in ${collection}.`)
  );
}
