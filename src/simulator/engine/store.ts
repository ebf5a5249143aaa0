import type { Collection, StoredRecord } from "./collection.ts";
import { assert, assertDefined } from "./assertion.ts";
import { type Condition, type Facet, Facets } from "./facets.ts";

const NO_CHANGES: readonly Change[] = [];

type KeyOf = (record: never) => string | undefined;

/** One record written or deleted; `before` and `after` are the stored, frozen records themselves. */
export interface Change {
  readonly collection: string;
  readonly id: string;
  readonly before?: StoredRecord;
  readonly after?: StoredRecord;
}

/** All records of a store. Records never change, and the first store that writes to a table copies it. */
export type StoreImage = ReadonlyMap<string, ReadonlyMap<string, StoredRecord>>;

/** The records, to read: of a store, of a simulation between two commands, or in a command. */
export type Records = Pick<Store, "get" | "all" | "find">;

/** The state of a world: immutable records in collections, and the changes of the command that is running. */
export class Store {
  readonly #tables = new Map<string, Table>();
  #changes: Change[] = [];
  #writtenBytes = 0;

  static fromImage(image: StoreImage): Store {
    const store = new Store();
    for (const [name, records] of image) store.#tables.set(name, Table.sharing(records));
    return store;
  }

  /** The records of an image as they were before these changes, which are in order. */
  static beforeChanges(image: StoreImage, changes: readonly Change[]): Store {
    const store = Store.fromImage(image);
    store.#undo(changes);
    return store;
  }

  get<R extends StoredRecord, I extends string>(of: Collection<R, I>, id: string): R | undefined {
    return this.#table(of.name).records.get(id) as R | undefined;
  }

  /**
   * Returns all records of a collection, in the order of their first put. Records that are put during the iteration
   * are included.
   */
  all<R extends StoredRecord, I extends string>(of: Collection<R, I>): Iterable<R> {
    const table = this.#table(of.name);
    return (table.isShared ? this.#allOfShared(of.name, table) : table.records.values()) as Iterable<R>;
  }

  /** Iterates like a map, even if the first change on the way replaces the shared table by a copy. */
  *#allOfShared(name: string, table: Table): Iterable<StoredRecord> {
    for (const record of table.records.values()) {
      const present = this.#table(name);
      const found = present === table ? record : present.records.get(record.id);
      if (found !== undefined) yield found;
    }
    const present = this.#table(name);
    if (present === table) return;
    for (const record of present.records.values()) if (!table.records.has(record.id)) yield record;
  }

  count<R extends StoredRecord, I extends string>(of: Collection<R, I>): number {
    return this.#table(of.name).records.size;
  }

  /**
   * Yields the records that meet all conditions, the last put first. Other records take no time. With `isBefore`, the
   * records begin with the last one for which it is true. It must be false for all records after that one.
   */
  newestFirst<R extends StoredRecord, I extends string>(
    of: Collection<R, I>,
    conditions: readonly Condition<R>[] = [],
    isBefore?: (record: R) => boolean,
  ): Iterable<R> {
    return this.#table(of.name).facets.newestFirst(conditions, isBefore);
  }

  /** Returns the number of records with each word of a facet, in the order of the first record of each word. */
  counts<R extends StoredRecord, I extends string>(
    of: Collection<R, I>,
    facet: Facet<R>,
  ): Map<string, number> {
    return this.#table(of.name).facets.counts(facet);
  }

  /** Returns the records with a key of an index, in the order of their first put. */
  find<R extends StoredRecord, I extends string>(of: Collection<R, I>, index: I, key: string): R[] {
    const table = this.#table(of.name);
    const ids = table.idsUnder(index, of.indexes[index], key);
    return ids.map((id) => assertDefined(table.records.get(id), `${of.name} ${id}`) as R);
  }

  /** The first of the records with a key of an index. */
  first<R extends StoredRecord, I extends string>(
    of: Collection<R, I>,
    index: I,
    key: string,
  ): R | undefined {
    const table = this.#table(of.name);
    const [id] = table.idsUnder(index, of.indexes[index], key);
    return id === undefined ? undefined : (table.records.get(id) as R);
  }

  /** About how many bytes were written since this was asked last. */
  takeWrittenBytes(): number {
    const bytes = this.#writtenBytes;
    this.#writtenBytes = 0;
    return bytes;
  }

  /** About how many bytes all records take, estimated by the first of each collection. */
  estimateBytes(): number {
    return Array.from(this.#tables.values(), ({ records }) => {
      const some = [...records.values().take(ESTIMATED_BY)];
      const bytes = some.reduce((sum, record) => sum + bytesOf(record), 0);
      return some.length === 0 ? 0 : (bytes / some.length) * records.size;
    }).reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Writes a record, new or instead of the one with its id, and freezes it. `before` is that one, if it is known. */
  put<R extends StoredRecord, I extends string>(
    of: Collection<R, I>,
    record: R,
    before: R | undefined = this.get(of, record.id),
  ): R {
    this.#writtenBytes += freezeDeeply(record, before);
    this.#write(of.name, record.id, before, record);
    return record;
  }

  delete<R extends StoredRecord, I extends string>(of: Collection<R, I>, id: string): void {
    this.#write(of.name, id, this.get(of, id), undefined);
  }

  /**
   * Ends the running command and returns its changes in order. The list is copied, because a list that grew has
   * unused capacity.
   */
  takeChanges(): readonly Change[] {
    if (this.#changes.length === 0) return NO_CHANGES;
    const changes = this.#changes.slice();
    this.#changes = [];
    return changes;
  }

  /** Undoes the changes of the running command. */
  undo(): void {
    this.#undo(this.#changes);
    this.#changes = [];
    this.#writtenBytes = 0;
  }

  #undo(changes: readonly Change[]): void {
    for (const { collection, id, before, after } of changes.toReversed())
      this.#ownTable(collection).set(id, after, before);
  }

  /** Makes a change that a storage contains; returns it with the record that was there before. */
  apply({ collection, id, after }: Change): Change {
    const before = this.#table(collection).records.get(id);
    this.#ownTable(collection).set(id, before, after);
    return changeOf({ collection, id }, before, after);
  }

  /** The records as they are between two commands. */
  image(): StoreImage {
    assert(this.#changes.length === 0, "an image was requested while a command runs");
    return new Map(Array.from(this.#tables, ([name, table]) => [name, table.share()]));
  }

  #write(name: string, id: string, before: StoredRecord | undefined, after: StoredRecord | undefined): void {
    if (before === after) return;
    this.#ownTable(name).set(id, before, after);
    this.#changes.push(changeOf({ collection: name, id }, before, after));
  }

  #table(name: string): Table {
    let table = this.#tables.get(name);
    if (table === undefined) this.#tables.set(name, (table = new Table(new Map())));
    return table;
  }

  /** The table to write to: the first change after an image replaces a table that the image shares. */
  #ownTable(name: string): Table {
    let table = this.#table(name);
    if (table.isShared) this.#tables.set(name, (table = new Table(new Map(table.records))));
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

interface Index {
  readonly keyOf: KeyOf;
  /** The ids of the records with each key. */
  readonly ids: Map<string, string[]>;
  /** Keys that a record got later than others that were put after it: their ids are put in order when they are read. */
  readonly unordered: Set<string>;
}

/** The tables of images, by their records: stores that continue from one image share them until they write. */
const sharedTables = new WeakMap<ReadonlyMap<string, StoredRecord>, Table>();

/** The records of one collection with its indexes and facets, which are built at their first use. */
class Table {
  readonly records: Map<string, StoredRecord>;
  readonly #indexes = new Map<string, Index>();
  #facets: Facets | undefined;
  #isShared = false;

  constructor(records: Map<string, StoredRecord>) {
    this.records = records;
  }

  /** The table of an image, whose records never change. */
  static sharing(records: ReadonlyMap<string, StoredRecord>): Table {
    const table = sharedTables.get(records) ?? new Table(records as Map<string, StoredRecord>);
    table.share();
    return table;
  }

  /** Whether an image has it too: then it must not change. */
  get isShared(): boolean {
    return this.#isShared;
  }

  share(): ReadonlyMap<string, StoredRecord> {
    this.#isShared = true;
    sharedTables.set(this.records, this);
    return this.records;
  }

  get facets(): Facets {
    return (this.#facets ??= new Facets(this.records));
  }

  /** The ids of the records with a key of an index, in the order of the records. */
  idsUnder(name: string, keyOf: KeyOf, key: string): readonly string[] {
    const { ids, unordered } = this.#index(name, keyOf);
    const found = ids.get(key);
    if (found === undefined || !unordered.delete(key) || found.length === 1) return found ?? [];
    const wanted = new Set(found);
    const ordered = this.records
      .keys()
      .filter((id) => wanted.has(id))
      .toArray();
    ids.set(key, ordered);
    return ordered;
  }

  #index(name: string, keyOf: KeyOf): Index {
    let index = this.#indexes.get(name);
    if (index === undefined) {
      this.#indexes.set(name, (index = { keyOf, ids: new Map(), unordered: new Set() }));
      for (const record of this.records.values()) enter(index, keyOf(record as never), record.id);
    }
    return index;
  }

  set(id: string, before: StoredRecord | undefined, after: StoredRecord | undefined): void {
    if (after === undefined) this.records.delete(id);
    else this.records.set(id, after);
    if (this.#facets?.set(id, before, after) === false) this.#facets = undefined;
    for (const index of this.#indexes.values()) {
      const left = before && index.keyOf(before as never);
      const entered = after && index.keyOf(after as never);
      if (left === entered) continue;
      leave(index, left, id);
      enter(index, entered, id);
      if (before !== undefined && entered !== undefined) index.unordered.add(entered);
    }
  }
}

function enter({ ids }: Index, key: string | undefined, id: string): void {
  if (key === undefined) return;
  const present = ids.get(key);
  if (present === undefined) ids.set(key, [id]);
  else present.push(id);
}

function leave({ ids }: Index, key: string | undefined, id: string): void {
  const present = key === undefined ? undefined : ids.get(key);
  if (key === undefined || present === undefined) return;
  present.splice(present.lastIndexOf(id), 1);
  if (present.length === 0) ids.delete(key);
}

/** The approximate bytes of a field without its text. */
const FIELD_BYTES = 10;

/** Records of a collection by which the size of the others is estimated. */
const ESTIMATED_BY = 16;

/** Freezes a value and returns its approximate bytes. A text that the former value has too counts no bytes. */
function freezeDeeply(value: unknown, former?: unknown): number {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return 0;
  let bytes = FIELD_BYTES;
  if (Array.isArray(value)) for (const item of value) bytes += FIELD_BYTES + freezeField(item, undefined);
  else {
    const fields = value as Record<string, unknown>;
    const before = former as Record<string, unknown> | undefined;
    for (const name in fields) bytes += FIELD_BYTES + freezeField(fields[name], before?.[name]);
  }
  Object.freeze(value);
  return bytes;
}

function freezeField(field: unknown, former: unknown): number {
  return typeof field === "string" ? (field === former ? 0 : field.length) : freezeDeeply(field);
}

/** About how many bytes a frozen value takes. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, field) => sum + FIELD_BYTES + bytesOf(field), FIELD_BYTES);
}
