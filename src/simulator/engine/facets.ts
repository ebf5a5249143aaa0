import type { StoredRecord } from "./collection.ts";

/**
 * Returns the words of a record or a journal entry under one aspect, such as its status. Few words occur in a
 * collection.
 */
export type Facet<Thing> = (thing: Thing) => string | readonly string[];

/** A condition on a record: one of its words under a facet must fit. */
export interface Condition<R extends StoredRecord> {
  readonly facet: Facet<R>;
  readonly fits: (word: string) => boolean;
}

/** Returns true if a record meets a condition. */
export function meets<R extends StoredRecord>(record: R, { facet, fits }: Condition<R>): boolean {
  return wordList(facet(record)).some(fits);
}

type AnyFacet = Facet<never>;

/**
 * The order of the records of a table, and their words under the facets that reads have asked for. A record has a
 * place, the number of records before it. Each word has the set of its places, so a read finds the records with some
 * words without a look at the others.
 */
export class Facets {
  readonly #records: ReadonlyMap<string, StoredRecord>;
  readonly #ids: string[];
  /** The place of each id. Only a change of words needs it. */
  #places: Map<string, number> | undefined;
  readonly #sets = new Map<AnyFacet, Map<string, Places>>();

  constructor(records: ReadonlyMap<string, StoredRecord>) {
    this.#records = records;
    this.#ids = [...records.keys()];
  }

  /** Notes a change of a record. Returns false if a record before others was deleted: then the places are wrong. */
  set(id: string, before: StoredRecord | undefined, after: StoredRecord | undefined): boolean {
    if (before === undefined) {
      this.#places?.set(id, this.#ids.length);
      this.#ids.push(id);
    }
    if (after === undefined && this.#ids.at(-1) !== id) return false;
    const place = this.#places?.get(id);
    if (place !== undefined)
      for (const [facet, sets] of this.#sets) changeWords(sets, facet, place, before, after);
    if (after === undefined) {
      this.#ids.pop();
      this.#places?.delete(id);
    }
    return true;
  }

  /**
   * Yields the records that meet all conditions, the newest first. With `isBefore`, it yields only the first records of
   * the table, until `isBefore` is false.
   */
  *newestFirst<R extends StoredRecord>(
    conditions: readonly Condition<R>[],
    isBefore?: (record: R) => boolean,
  ): Generator<R> {
    const wanted = conditions.map(({ facet, fits }) =>
      [...this.#setsOf(facet as AnyFacet)].flatMap(([word, places]) => (fits(word) ? [places] : [])),
    );
    const end = isBefore === undefined ? this.#ids.length : this.#endOf(isBefore);
    for (let index = (end - 1) >> 5; index >= 0; index--) {
      let bits = wanted.reduce(
        (found, sets) => found & sets.reduce((some, set) => some | set.bits(index), 0),
        index === end >> 5 ? (1 << (end & 31)) - 1 : -1,
      );
      while (bits !== 0) {
        const bit = 31 - Math.clz32(bits);
        bits ^= 1 << bit;
        const record = this.#at(index * 32 + bit);
        if (record !== undefined) yield record as R;
      }
    }
  }

  /** Counts the first records of the table, until `isBefore` is false. */
  #endOf(isBefore: (record: never) => boolean): number {
    let [begin, end] = [0, this.#ids.length];
    while (begin < end) {
      const middle = (begin + end) >>> 1;
      if (isBefore(this.#at(middle) as never)) begin = middle + 1;
      else end = middle;
    }
    return end;
  }

  #at(place: number): StoredRecord | undefined {
    return this.#records.get(this.#ids[place] ?? "");
  }

  /** Returns the number of records with each word of a facet, in the order of the first record of each word. */
  counts<R extends StoredRecord>(facet: Facet<R>): Map<string, number> {
    const sets = [...this.#setsOf(facet as AnyFacet)].filter(([, { size }]) => size > 0);
    sets.sort(([, one], [, other]) => one.first - other.first);
    return new Map(sets.map(([word, { size }]) => [word, size]));
  }

  #setsOf(facet: AnyFacet): ReadonlyMap<string, Places> {
    let sets = this.#sets.get(facet);
    if (sets !== undefined) return sets;
    this.#places ??= new Map(this.#ids.map((id, place) => [id, place]));
    this.#sets.set(facet, (sets = new Map()));
    for (const [place, id] of this.#ids.entries())
      changeWords(sets, facet, place, undefined, this.#records.get(id));
    return sets;
  }
}

/** Notes a change of the record at a place. */
function changeWords(
  sets: Map<string, Places>,
  facet: AnyFacet,
  place: number,
  before: StoredRecord | undefined,
  after: StoredRecord | undefined,
): void {
  const wordsOf = (record: StoredRecord | undefined): readonly string[] =>
    record === undefined ? [] : wordList(facet(record as never));
  for (const word of wordsOf(before)) sets.get(word)?.delete(place);
  for (const word of wordsOf(after)) {
    let places = sets.get(word);
    if (places === undefined) sets.set(word, (places = new Places()));
    places.add(place);
  }
}

/** Returns the words of a facet as a list. */
export function wordList(words: string | readonly string[]): readonly string[] {
  return typeof words === "string" ? [words] : words;
}

/** A set of places, with one bit for each place. */
class Places {
  #bits = new Uint32Array(4);
  size = 0;

  /** The 32 places from 32 times the index on, as bits. */
  bits(index: number): number {
    return this.#bits[index] ?? 0;
  }

  /** The first place of the set. */
  get first(): number {
    const index = this.#bits.findIndex((bits) => bits !== 0);
    const bits = this.bits(index);
    return index * 32 + 31 - Math.clz32(bits & -bits);
  }

  add(place: number): void {
    const index = place >>> 5;
    if (index >= this.#bits.length) {
      const grown = new Uint32Array(Math.max(index + 1, this.#bits.length * 2));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    const before = this.bits(index);
    this.#bits[index] = before | (1 << (place & 31));
    if (this.bits(index) !== before) this.size++;
  }

  delete(place: number): void {
    const index = place >>> 5;
    const before = this.bits(index);
    if (index < this.#bits.length) this.#bits[index] = before & ~(1 << (place & 31));
    if (this.bits(index) !== before) this.size--;
  }
}
