import type { StoredRecord } from "../engine/collection.ts";
import { foundValue } from "../api/found-value.ts";
import { LongWork } from "../process/long-work.ts";
import { refuse } from "./endpoint.ts";

/** The part of a list that a query asks for. */
interface PageQuery {
  /** Words that an entry must contain. */
  readonly q?: string;
  /** The id of an entry: the page ends before it. */
  readonly before?: string;
}

/** One page of a list. */
export interface ListPage<Shape> {
  readonly data: Iterable<Shape>;
  /** The id of the oldest entry of the page, for `before`. Undefined if no older entry exists. */
  readonly older?: string;
}

/**
 * Returns the newest `last` entries of a list that contain each word of `q`, in their order. A search reads the text
 * of each entry, in turns, until the page is full. Refuses an id in `before` that the list does not have.
 */
export async function pageOf<Entry extends StoredRecord, Shape>(
  entries: readonly Entry[],
  { q = "", before, last = Infinity }: PageQuery & { readonly last?: number | undefined },
  {
    shapeOf,
    textOf = shapeOf,
  }: Record<"shapeOf", (entry: Entry) => Shape> & { textOf?: (entry: Entry) => unknown },
): Promise<ListPage<Shape>> {
  const end = before === undefined ? entries.length : entries.findLastIndex(({ id }) => id === before);
  if (end < 0)
    refuse(
      "before",
      `The list has no entry ${foundValue(before)}. Take the value of older from its last page.`,
    );
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const found =
    words.length === 0
      ? entries.slice(0, end)
      : await newestWith(entries.slice(0, end), searchFor(q), last, textOf);
  const page = found.slice(Math.max(0, found.length - last));
  const [oldest] = page;
  return {
    data: page.values().map(shapeOf),
    ...(oldest !== undefined && found.length > page.length && { older: oldest.id }),
  };
}

/** Returns the test whether the JSON of a value contains each word of a search, in any case. */
export function searchFor(q: string): (value: unknown) => boolean {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return (value) => {
    const text = JSON.stringify(value).toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

/** Finds the newest entries that match: one more than `last`, to know whether older ones exist. */
async function newestWith<Entry>(
  entries: readonly Entry[],
  isMatch: (value: unknown) => boolean,
  last: number,
  textOf: (entry: Entry) => unknown,
): Promise<Entry[]> {
  const work = new LongWork();
  const found: Entry[] = [];
  for (const entry of entries.toReversed()) {
    if (found.length > last) break;
    if (isMatch(textOf(entry))) found.push(entry);
    if (work.isDue) await work.nextTurn();
  }
  return found.reverse();
}
