import type { Change } from "../engine/store.ts";
import type { JournalEntry } from "../engine/journal.ts";
import type { SavedWorld, SavedWorlds } from "../worlds/saved-world.ts";
import type { SimulationImage } from "../engine/simulation.ts";
import type { StoredRecord } from "../engine/collection.ts";

/** Numbers that follow one another, as `[first, count]`. */
type Run = readonly [first: number, count: number];

/** `[collection, id, before, after]`, the last two by number; -1 where there is none. */
type PackedChange = readonly [collection: string, id: string, before: number, after: number];

interface PackedImage {
  readonly seed: number;
  readonly now: number;
  readonly dropped: number;
  readonly entries: readonly Run[];
  readonly store: readonly (readonly [collection: string, records: readonly Run[]])[];
}

type PackedWorld = Omit<SavedWorld, "image" | "snapshots" | "tokenExpiries"> & {
  readonly image: PackedImage;
  readonly snapshots: readonly (readonly [string, PackedImage])[];
  readonly tokenExpiries: readonly (readonly [string, number])[];
};

/** One line of a snapshot file between its head and its end. */
export type PackedLine =
  | { readonly record: StoredRecord }
  | { readonly entry: Omit<JournalEntry, "changes"> & { readonly changes: readonly PackedChange[] } }
  | { readonly world: PackedWorld };

/**
 * Worlds as lines. Worlds, their snapshots and their journals share most of their records, so each record and
 * each entry is written once and named by its number from then on: a snapshot of a world costs a few numbers.
 */
export function* pack({ worlds }: SavedWorlds): Generator<PackedLine> {
  const records = new Map<StoredRecord, number>();
  const entries = new Map<JournalEntry, number>();

  function* packRecord(record: StoredRecord | undefined): Generator<PackedLine> {
    if (record === undefined || records.has(record)) return;
    records.set(record, records.size);
    yield { record };
  }

  function* packImage({ seed, now, store, journal }: SimulationImage): Generator<PackedLine, PackedImage> {
    for (const entry of journal.entries) {
      if (entries.has(entry)) continue;
      entries.set(entry, entries.size);
      for (const { before, after } of entry.changes) {
        yield* packRecord(before);
        yield* packRecord(after);
      }
      const changes = entry.changes.map(({ collection, id, before, after }): PackedChange => [
        collection,
        id,
        before ? records.get(before)! : -1,
        after ? records.get(after)! : -1,
      ]);
      yield { entry: { ...entry, changes } };
    }
    const tables: (readonly [string, Run[]])[] = [];
    for (const [name, table] of store) {
      for (const record of table.values()) yield* packRecord(record);
      tables.push([name, runs(Array.from(table.values(), (record) => records.get(record)!))]);
    }
    const numbers = journal.entries.map((entry) => entries.get(entry)!);
    return { seed, now, dropped: journal.dropped, entries: runs(numbers), store: tables };
  }

  for (const { image, snapshots, tokenExpiries, ...world } of worlds) {
    const packed = yield* packImage(image);
    const packedSnapshots: (readonly [string, PackedImage])[] = [];
    for (const [id, snapshot] of snapshots) packedSnapshots.push([id, yield* packImage(snapshot)]);
    yield {
      world: { ...world, image: packed, snapshots: packedSnapshots, tokenExpiries: [...tokenExpiries] },
    };
  }
}

/** Builds worlds back up from the lines that {@link pack} wrote, sharing what they shared. */
export class Unpacking {
  readonly #records: StoredRecord[] = [];
  readonly #entries: JournalEntry[] = [];
  readonly worlds: SavedWorld[] = [];

  take(line: PackedLine): void {
    if ("record" in line) {
      this.#records.push(line.record);
    } else if ("entry" in line) {
      const changes = line.entry.changes.map(([collection, id, before, after]): Change => ({
        collection,
        id,
        ...(before >= 0 && { before: at(this.#records, before) }),
        ...(after >= 0 && { after: at(this.#records, after) }),
      }));
      this.#entries.push({ ...line.entry, changes });
    } else {
      const { image, snapshots, tokenExpiries, ...world } = line.world;
      this.worlds.push({
        ...world,
        image: this.#image(image),
        snapshots: new Map(snapshots.map(([id, snapshot]) => [id, this.#image(snapshot)])),
        tokenExpiries: new Map(tokenExpiries),
      });
    }
  }

  #image({ seed, now, dropped, entries, store }: PackedImage): SimulationImage {
    const tables = store.map(([name, records]): [string, Map<string, StoredRecord>] => [
      name,
      new Map(numbers(records).map((number) => [at(this.#records, number).id, at(this.#records, number)])),
    ]);
    const journal = { dropped, entries: numbers(entries).map((number) => at(this.#entries, number)) };
    return { seed, now, store: new Map(tables), journal };
  }
}

function runs(all: readonly number[]): Run[] {
  const found: [number, number][] = [];
  for (const number of all) {
    const last = found.at(-1);
    if (last !== undefined && number === last[0] + last[1]) last[1]++;
    else found.push([number, 1]);
  }
  return found;
}

function numbers(all: readonly Run[]): number[] {
  return all.flatMap(([first, count]) => Array.from({ length: count }, (_, index) => first + index));
}

function at<T>(list: readonly T[], number: number): T {
  const value = list[number];
  if (value === undefined) throw new Error(`number ${number} is named before it was written`);
  return value;
}
