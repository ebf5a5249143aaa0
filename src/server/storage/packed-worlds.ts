import type { Change } from "../../simulator/engine/store.ts";
import type { JournalEntry, JournalNote } from "../../simulator/engine/journal.ts";
import type { SavedWorld } from "../../simulator/worlds/saved-world.ts";
import type { SimulationImage } from "../../simulator/engine/simulation.ts";
import type { StoredRecord } from "../../simulator/engine/collection.ts";
import { patched, patchOf, type RecordPatch } from "./record-patch.ts";
import { requireMemory } from "./storage.ts";
import { shared } from "../../simulator/engine/json.ts";

/** Consecutive numbers, as `[first, count]`. */
export type NumberRun = readonly [first: number, count: number];

type Table = ReadonlyMap<string, StoredRecord>;

/** `[collection, id, before, after]`. The last two are numbers of records, or -1 without a record. */
type PackedChange = readonly [collection: string, id: string, before: number, after: number];

/** A state with its tables by number. */
interface PackedImage {
  readonly seed: number;
  readonly now: number;
  readonly dropped: number;
  /** The number of its journal, or the rows in the storage that hold the entries of its journal. */
  readonly journal: number | readonly NumberRun[];
  readonly store: readonly (readonly [collection: string, table: number])[];
  /** The moves of the clock. */
  readonly moves: readonly NumberRun[];
}

type PackedWorld = Omit<SavedWorld, "image" | "snapshots" | "tokenExpiries" | "coverage"> & {
  readonly image: PackedImage;
  readonly snapshots: readonly (readonly [string, PackedImage])[];
  readonly tokenExpiries: readonly (readonly [string, number])[];
};

/** A part of packed worlds: JSON. */
export type PackedLine =
  | { readonly record: StoredRecord }
  /** A record as the patch of the record with this number. */
  | { readonly of: number; readonly patch: RecordPatch }
  | { readonly entry: Omit<JournalEntry, "changes"> & { readonly changes: readonly PackedChange[] } }
  | { readonly move: JournalNote }
  | { readonly table: readonly NumberRun[] }
  | { readonly journal: readonly NumberRun[] }
  | { readonly world: PackedWorld };

/** Numbers things from 0 in the order of their adding. */
export class Numbering<T> {
  readonly #numbers = new Map<T, number>();

  /** Adds a thing. Returns false if it already has a number. */
  add(thing: T): boolean {
    if (this.#numbers.has(thing)) return false;
    this.#numbers.set(thing, this.#numbers.size);
    return true;
  }

  all(): T[] {
    return [...this.#numbers.keys()];
  }

  of(thing: T): number {
    const number = this.#numbers.get(thing);
    if (number === undefined) throw new Error("a number is used before it is given");
    return number;
  }

  /** Returns the numbers of things, as runs. */
  runsOf(things: Iterable<T>): NumberRun[] {
    const found: [number, number][] = [];
    for (const thing of things) {
      const number = this.of(thing);
      const last = found.at(-1);
      if (last !== undefined && number === last[0] + last[1]) last[1]++;
      else found.push([number, 1]);
    }
    return found;
  }
}

export function numbersOf(runs: readonly NumberRun[]): number[] {
  return runs.flatMap(([first, count]) => Array.from({ length: count }, (_, index) => first + index));
}

/**
 * Returns worlds as lines. Worlds, their snapshots and their journals share most of their content. So each record,
 * entry, table and journal is written once and later named by its number: a snapshot of a world takes a few numbers.
 * A storage that has separate rows for the entries of journals gives these rows by `rowsOf`.
 */
export function* packWorlds(
  worlds: readonly SavedWorld[],
  rowsOf?: (image: SimulationImage) => readonly NumberRun[],
): Generator<PackedLine> {
  const records = new Numbering<StoredRecord>();
  const entries = new Numbering<JournalEntry>();
  const moves = new Numbering<JournalNote>();
  const tables = new Numbering<Table>();
  const journals = new Numbering<readonly JournalEntry[]>();

  function* packRecord(record: StoredRecord | undefined, before?: StoredRecord): Generator<PackedLine> {
    if (record === undefined || !records.add(record)) return;
    const patch = before && patchOf(before, record);
    yield patch === undefined ? { record } : { of: records.of(before!), patch };
  }

  function* packEntry(entry: JournalEntry): Generator<PackedLine> {
    if (!entries.add(entry)) return;
    for (const { before, after } of entry.changes) {
      yield* packRecord(before);
      yield* packRecord(after, before);
    }
    const changes = entry.changes.map(({ collection, id, before, after }): PackedChange => [
      collection,
      id,
      before ? records.of(before) : -1,
      after ? records.of(after) : -1,
    ]);
    yield { entry: { ...entry, changes } };
  }

  function* packImage(image: SimulationImage): Generator<PackedLine, PackedImage> {
    const { seed, now, store, journal } = image;
    const rows = rowsOf?.(image);
    if (rows === undefined && journals.add(journal.entries)) {
      for (const entry of journal.entries) yield* packEntry(entry);
      yield { journal: entries.runsOf(journal.entries) };
    }
    for (const table of store.values()) {
      if (!tables.add(table)) continue;
      for (const record of table.values()) yield* packRecord(record);
      yield { table: records.runsOf(table.values()) };
    }
    const noted = (journal.notes ?? []).filter(({ cause }) => cause.input?.kind === "move");
    for (const move of noted) if (moves.add(move)) yield { move };
    return {
      seed,
      now,
      dropped: journal.dropped,
      journal: rows ?? journals.of(journal.entries),
      store: Array.from(store, ([name, table]) => [name, tables.of(table)]),
      moves: moves.runsOf(noted),
    };
  }

  for (const { image, snapshots, tokenExpiries, coverage: _coverage, ...world } of worlds) {
    const packed = yield* packImage(image);
    const packedSnapshots: [string, PackedImage][] = [];
    for (const [id, snapshot] of snapshots) packedSnapshots.push([id, yield* packImage(snapshot)]);
    yield {
      world: { ...world, image: packed, snapshots: packedSnapshots, tokenExpiries: [...tokenExpiries] },
    };
  }
}

/** Reads the entries of a journal that have their own rows. */
type ReadEntries = (rows: readonly NumberRun[], dropped: number) => readonly JournalEntry[];

/** Builds worlds from the lines of {@link packWorlds}; they share the same memory as before. */
export class Unpacking {
  readonly #what: string;
  readonly #entriesOf: ReadEntries;
  readonly #records: StoredRecord[] = [];
  readonly #entries: JournalEntry[] = [];
  readonly #moves: JournalNote[] = [];
  readonly #tables: Table[] = [];
  readonly #journals: (readonly JournalEntry[])[] = [];
  readonly worlds: SavedWorld[] = [];

  /** `what` names the loaded data in the refusal if memory runs out. */
  constructor(what: string, entriesOf: ReadEntries = () => []) {
    this.#what = what;
    this.#entriesOf = entriesOf;
  }

  /** The number of records. */
  get records(): number {
    return this.#records.length;
  }

  take(line: PackedLine): void {
    requireMemory(this.#what);
    if ("record" in line) this.#records.push(line.record);
    else if ("patch" in line) this.#records.push(patched(at(this.#records, line.of), line.patch));
    else if ("entry" in line)
      this.#entries.push({
        ...line.entry,
        changes: line.entry.changes.map((change) => this.#change(change)),
      });
    else if ("move" in line) this.#moves.push(line.move);
    else if ("table" in line)
      this.#tables.push(new Map(pick(this.#records, line.table).map((record) => [record.id, record])));
    else if ("journal" in line) this.#journals.push(pick(this.#entries, line.journal));
    else {
      const { image, snapshots, tokenExpiries, ...world } = line.world;
      this.worlds.push({
        ...world,
        image: this.#image(image),
        snapshots: new Map(snapshots.map(([id, snapshot]) => [id, this.#image(snapshot)])),
        tokenExpiries: new Map(tokenExpiries),
      });
    }
  }

  #change([collection, id, before, after]: PackedChange): Change {
    if (before >= 0 && after >= 0) shared(at(this.#records, after), at(this.#records, before));
    return {
      collection,
      id,
      ...(before >= 0 && { before: at(this.#records, before) }),
      ...(after >= 0 && { after: at(this.#records, after) }),
    };
  }

  #image({ seed, now, dropped, journal, store, moves }: PackedImage): SimulationImage {
    const entries =
      typeof journal === "number" ? at(this.#journals, journal) : this.#entriesOf(journal, dropped);
    const tables = store.map(([name, table]) => [name, at(this.#tables, table)] as const);
    return {
      seed,
      now,
      store: new Map(tables),
      journal: { dropped, entries, notes: pick(this.#moves, moves) },
    };
  }
}

function pick<T>(list: readonly T[], runs: readonly NumberRun[]): T[] {
  return numbersOf(runs).map((number) => at(list, number));
}

function at<T>(list: readonly T[], number: number): T {
  const value = list[number];
  if (value === undefined) throw new Error(`number ${number} is used before it is written`);
  return value;
}
