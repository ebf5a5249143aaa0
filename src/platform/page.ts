import type { SortDirection } from "../api/generated/shapes.ts";

/** One page of a list, and whether anything comes after it. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasNext: boolean;
}

/** The first `limit` of the items that are left of a list. */
export function firstPage<Item>(left: readonly Item[], limit: number): Page<Item> {
  return { items: left.slice(0, limit), hasNext: left.length > limit };
}

/** A comparison turned to the direction that was asked for; it is written for asc. */
export function inDirection<Item>(
  sort: SortDirection,
  ascending: (left: Item, right: Item) => number,
): (left: Item, right: Item) => number {
  return sort === "asc" ? ascending : (left, right) => ascending(right, left);
}
