/**
 * Finds the baseline's counterpart of each item of a run, by the first identity that only one item there has. The name
 * comes before the position, because a system may repeat its work in another order. An item without an identity has the
 * value undefined.
 */
export function counterparts<Item>(
  items: readonly Item[],
  known: readonly Item[],
  identities: readonly ((item: Item) => string | undefined)[],
): Map<Item, Item> {
  const found = new Map<Item, Item | undefined>(items.map((item) => [item, undefined]));
  const taken = new Set<Item>();
  for (const identity of identities) {
    const groups = Map.groupBy(known, identity);
    for (const item of items) {
      const key = identity(item);
      const [own, ...others] = (key === undefined ? undefined : groups.get(key)) ?? [];
      if (found.get(item) !== undefined || own === undefined || others.length > 0 || taken.has(own)) continue;
      found.set(item, own);
      taken.add(own);
    }
  }
  return new Map(Array.from(found).flatMap(([item, own]) => (own === undefined ? [] : [[item, own]])));
}

/** Counts occurrences in a run by object, so that each occurrence can be found again in any other run. */
export class Occurrences {
  readonly #objects = new Map<string, Set<string>>();
  readonly #counts = new Map<string, number>();

  /** Returns the position of an object among the objects of its group, and the number of its occurrences. */
  next(group: string, object: string, name: string): { objectNumber: number; occurrence: number } {
    const known = this.#objects.get(group) ?? new Set();
    this.#objects.set(group, known.add(object));
    const key = JSON.stringify([name, object]);
    const occurrence = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, occurrence);
    return { objectNumber: [...known].indexOf(object) + 1, occurrence };
  }
}
