import type { StoredRecord } from "../../simulator/engine/collection.ts";
import { foundValue } from "../../simulator/api/found-value.ts";
import { LongWork } from "../../base/long-work.ts";
import { refuse } from "./endpoint.ts";

/** The entries of a page if a query does not name another number. */
export const PAGE_DEFAULT = 1_000;

/**
 * Returns the newest `last` entries of a list that contain each word of `q`, oldest first. It reads the list from its
 * newest entry on, in turns, until the page is full. The page ends before the entry with the id `before`. Refuses an id
 * that the list does not have. `older` is the id of the oldest entry of the page, if an older entry exists.
 */
export async function pageOf<Entry extends StoredRecord, Shape>(
  newestFirst: Iterable<Entry>,
  {
    q = "",
    before,
    last = PAGE_DEFAULT,
  }: { readonly q?: string; readonly before?: string; readonly last?: number | undefined },
  {
    shapeOf,
    textOf = shapeOf,
  }: Record<"shapeOf", (entry: Entry) => Shape> & { textOf?: (entry: Entry) => unknown },
): Promise<{ readonly data: Iterable<Shape>; readonly older: string | undefined }> {
  const isMatch = q.trim() === "" ? () => true : searchFor(q);
  const work = new LongWork();
  const found: Entry[] = [];
  let isReached = before === undefined;
  for (const entry of newestFirst) {
    if (work.isDue) await work.nextTurn();
    if (found.length > last) break;
    if (!isReached) isReached = entry.id === before;
    else if (isMatch(q === "" ? undefined : textOf(entry))) found.push(entry);
  }
  if (!isReached)
    refuse(
      "before",
      `The list has no entry ${foundValue(before)}. Send the value of \`older\` from the page before.`,
    );
  const page = found.slice(0, last).reverse();
  const [oldest] = page;
  return {
    data: page.values().map(shapeOf),
    older: found.length > page.length ? oldest?.id : undefined,
  };
}

/** Returns the test whether the JSON of a value contains each word of a search, in any case. */
export function searchFor(q: string): (value: unknown) => boolean {
  // A search may repeat a word thousands of times.
  const words = new Set(q.toLowerCase().split(/\s+/).filter(Boolean));
  return (value) => {
    const text = JSON.stringify(value).toLowerCase();
    return words.values().every((word) => text.includes(word));
  };
}
