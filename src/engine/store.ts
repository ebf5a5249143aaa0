import type { Collection, StoredRecord } from "./collection.ts";
import { assert, assertDefined } from "./assertion.ts";

type KeyOf = (record: never) => string | undefined;

/** One record written or deleted; `before` and `after` are the stored, frozen records themselves. */
export interface Change {
  readonly collection: string;
  readonly id: string;
  readonly before?: StoredRecord;
  readonly after?: StoredRecord;
}

/** All records of a store, shared and not copied: records never change once they are stored. */
export type StoreImage = ReadonlyMap<string, ReadonlyMap<string, StoredRecord>>;

/**
 * The state of a world, as immutable records in collections. Every write is also in a list of changes, which is undone
 * in reverse order when a command is refused.
 */
export class Store {
  readonly #tables = new Map<string, Table>();
  #changes: Change[] = [];

  static fromImage(image: StoreImage): Store {
    const store = new Store();
    for (const [name, records] of image) store.#tables.set(name, new Table(new Map(records)));
    return store;
  }

  /** The records of an image as they were before these changes, which are in order. */
  static beforeChanges(image: StoreImage, changes: readonly Change[]): Store {
    const store = Store.fromImage(image);
    for (const { collection, id, before, after } of changes.toReversed()) {
      store.#table(collection).set(id, after, before);
    }
    return store;
  }

  get<R extends StoredRecord, I extends string>(of: Collection<R, I>, id: string): R | undefined {
    return this.#table(of.name).records.get(id) as R | undefined;
  }

  /** All records of a collection, in the order in which they were first put. */
  all<R extends StoredRecord, I extends string>(of: Collection<R, I>): Iterable<R> {
    return this.#table(of.name).records.values() as Iterable<R>;
  }

  count<R extends StoredRecord, I extends string>(of: Collection<R, I>): number {
    return this.#table(of.name).records.size;
  }

  /** The records with a key of an index, in the order in which they got it. */
  find<R extends StoredRecord, I extends string>(of: Collection<R, I>, index: I, key: string): R[] {
    const table = this.#table(of.name);
    const ids = table.index(index, of.indexes[index]).get(key);
    if (ids === undefined) return [];
    const record = (id: string): R => assertDefined(table.records.get(id), `${of.name} ${id}`) as R;
    return typeof ids === "string" ? [record(ids)] : Array.from(ids, record);
  }

  /** Writes a record, new or instead of the one with its id, and freezes it. */
  put<R extends StoredRecord, I extends string>(of: Collection<R, I>, record: R): R {
    this.#write(of.name, record.id, freezeDeeply(record));
    return record;
  }

  delete<R extends StoredRecord, I extends string>(of: Collection<R, I>, id: string): void {
    this.#write(of.name, id, undefined);
  }

  /** Ends the running command: what it changed, in order. */
  takeChanges(): readonly Change[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  /** Undoes the changes of the running command. */
  undo(): void {
    for (const { collection, id, before, after } of this.#changes.toReversed()) {
      this.#table(collection).set(id, after, before);
    }
    this.#changes = [];
  }

  /** The records as they are between two commands. */
  image(): StoreImage {
    assert(this.#changes.length === 0, "an image was requested while a command runs");
    return new Map(Array.from(this.#tables, ([name, table]) => [name, new Map(table.records)]));
  }

  #write(name: string, id: string, after: StoredRecord | undefined): void {
    const table = this.#table(name);
    const before = table.records.get(id);
    if (before === after) return;
    table.set(id, before, after);
    this.#changes.push(changeOf({ collection: name, id }, before, after));
  }

  #table(name: string): Table {
    let table = this.#tables.get(name);
    if (table === undefined) this.#tables.set(name, (table = new Table(new Map())));
    return table;
  }
}

function changeOf(
  { collection, id }: Pick<Change, "collection" | "id">,
  before: StoredRecord | undefined,
  after: StoredRecord | undefined,
): Change {
  if (before === undefined) return after === undefined ? { collection, id } : { collection, id, after };
  return after === undefined ? { collection, id, before } : { collection, id, before, after };
}

/** The ids with one key of an index: most keys have only one, and a set of one takes ten times its memory. */
type Ids = string | Set<string>;

/** The records of one collection with its indexes, each of which is built at its first use. */
class Table {
  readonly records: Map<string, StoredRecord>;
  readonly #indexes = new Map<string, { readonly keyOf: KeyOf; readonly ids: Map<string, Ids> }>();

  constructor(records: Map<string, StoredRecord>) {
    this.records = records;
  }

  index(name: string, keyOf: KeyOf): ReadonlyMap<string, string | ReadonlySet<string>> {
    let index = this.#indexes.get(name);
    if (index === undefined) {
      this.#indexes.set(name, (index = { keyOf, ids: new Map() }));
      for (const record of this.records.values()) enter(index.ids, keyOf(record as never), record.id);
    }
    return index.ids;
  }

  set(id: string, before: StoredRecord | undefined, after: StoredRecord | undefined): void {
    if (after === undefined) this.records.delete(id);
    else this.records.set(id, after);
    for (const { keyOf, ids } of this.#indexes.values()) {
      const left = before && keyOf(before as never);
      const entered = after && keyOf(after as never);
      if (left === entered) continue;
      leave(ids, left, id);
      enter(ids, entered, id);
    }
  }
}

function enter(ids: Map<string, Ids>, key: string | undefined, id: string): void {
  if (key === undefined) return;
  const under = ids.get(key);
  if (under === undefined) ids.set(key, id);
  else if (typeof under !== "string") under.add(id);
  else if (under !== id) ids.set(key, new Set([under, id]));
}

function leave(ids: Map<string, Ids>, key: string | undefined, id: string): void {
  if (key === undefined) return;
  const under = ids.get(key);
  if (under === id) ids.delete(key);
  if (under === undefined || typeof under === "string") return;
  under.delete(id);
  if (under.size === 0) ids.delete(key);
}

function freezeDeeply<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (const item of value) freezeDeeply(item);
  else for (const name in value) freezeDeeply(value[name]);
  return Object.freeze(value);
}
