import type { Adapter } from "lowdb";
import type { Change } from "../engine/store.ts";
import type { JournalEntry, JournalNote } from "../engine/journal.ts";
import type { SavedWorld, SavedWorlds } from "../worlds/saved-world.ts";
import type { SimulationImage } from "../engine/simulation.ts";
import type { StoredRecord } from "../engine/collection.ts";
import { damagedFile, requireMemory, StorageMistake, unusableFile } from "./storage.ts";
import { BEGINNING, nextLine, readLines, replaceFile } from "./chained-lines.ts";
import { open } from "node:fs/promises";
import { shared } from "../engine/json.ts";

/** The format of the file. Those before it were only written by versions that were never released. */
const FORMAT = 4;
const CHUNK_BYTES = 1 << 20;

/** The contents of a snapshot: the worlds, and the number of the journal that continues from there. */
export interface Snapshot extends SavedWorlds {
  readonly generation: number;
}

export const NOTHING_SAVED: Snapshot = { generation: 0, made: 0, worlds: [] };

/**
 * The lowdb adapter of a snapshot: one JSON value on each line, and the lines in one chain. A new snapshot is written
 * next to the old one, flushed, and renamed, so there is a complete one at every moment.
 */
export class SnapshotFile implements Adapter<Snapshot> {
  readonly #path: string;
  /** The size of the snapshot. */
  bytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<Snapshot | null> {
    const file = await open(this.#path, "r").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw unusableFile(this.#path, error);
    });
    if (file === undefined) return null;
    try {
      this.bytes = (await file.stat()).size;
      return await this.#readLines(readLines(file));
    } finally {
      await file.close();
    }
  }

  async write({ generation, made, worlds }: Snapshot): Promise<void> {
    let end = BEGINNING;
    await replaceFile(this.#path, async (file) => {
      let chunk: Buffer[] = [];
      let flushed = 0;
      const flush = async (): Promise<void> => {
        await file.writeFile(Buffer.concat(chunk));
        chunk = [];
        flushed = end.bytes;
      };
      const add = (value: unknown): void => {
        const next = nextLine(value, end);
        chunk.push(next.line);
        end = next.end;
      };
      add({ sandbank: { format: FORMAT }, generation, made });
      for (const line of pack({ made, worlds })) {
        add(line);
        if (end.bytes - flushed > CHUNK_BYTES) await flush();
      }
      add({ end: end.lines - 1 });
      await flush();
    });
    this.bytes = end.bytes;
  }

  async #readLines(lines: ReturnType<typeof readLines>): Promise<Snapshot> {
    const unpacking = new Unpacking(this.#path);
    let head: { readonly generation: number; readonly made: number } | undefined;
    let number = 0;
    let hasEnded = false;
    for await (const { value, isSound, isWhole } of lines) {
      number++;
      if (!isSound && number === 1)
        throw damagedFile(this.#path, "it is no data file of sandbank, or its first line is damaged");
      if (!isSound || !isWhole || hasEnded) throw damagedFile(this.#path, `line ${number} is damaged`);
      if (head === undefined) {
        head = this.#readHead(value);
      } else if (hasKey(value, "end")) {
        hasEnded = value.end === number - 2;
        if (!hasEnded) throw damagedFile(this.#path, "lines are missing");
      } else {
        this.#take(unpacking, value as PackedLine, number);
      }
    }
    if (head === undefined) throw damagedFile(this.#path, "it is empty");
    if (!hasEnded) throw damagedFile(this.#path, `it ends after line ${number}`);
    return { ...head, worlds: unpacking.worlds };
  }

  #readHead(value: unknown): { generation: number; made: number } {
    const { sandbank, generation, made } = value as {
      sandbank?: { format?: number };
      generation: number;
      made: number;
    };
    const format = sandbank?.format;
    if (format === FORMAT) return { generation, made };
    throw new StorageMistake(
      `Failed to read ${this.#path}: it has format ${format ?? "unknown"}, and this version reads format ${FORMAT}. Use the version that wrote it, or name another file.`,
    );
  }

  #take(unpacking: Unpacking, line: PackedLine, number: number): void {
    try {
      unpacking.take(line);
    } catch (error) {
      if (error instanceof StorageMistake) throw error;
      throw damagedFile(
        this.#path,
        `line ${number} does not continue those before it: ${(error as Error).message}`,
      );
    }
  }
}

function hasKey<K extends string>(value: unknown, key: K): value is Record<K, unknown> {
  return typeof value === "object" && value !== null && key in value;
}

/** Numbers, each of which is followed by how many consecutive ones begin with it. */
type Runs = readonly number[];

type Table = ReadonlyMap<string, StoredRecord>;

/** `[collection, id, before, after]`, the last two by number; -1 if there is none. */
type PackedChange = readonly [collection: string, id: string, before: number, after: number];

/** A state, with its journal and its tables by number. */
interface PackedImage {
  readonly seed: number;
  readonly now: number;
  readonly dropped: number;
  readonly journal: number;
  readonly store: readonly (readonly [collection: string, table: number])[];
  /** The moves of the clock. */
  readonly moves?: Runs;
}

type PackedWorld = Omit<SavedWorld, "image" | "snapshots" | "tokenExpiries"> & {
  readonly image: PackedImage;
  readonly snapshots: readonly (readonly [string, PackedImage])[];
  readonly tokenExpiries: readonly (readonly [string, number])[];
};

/** One line of a snapshot file between its head and its end. */
type PackedLine =
  | { readonly record: StoredRecord }
  | { readonly entry: Omit<JournalEntry, "changes"> & { readonly changes: readonly PackedChange[] } }
  | { readonly move: JournalNote }
  | { readonly table: Runs }
  | { readonly journal: Runs }
  | { readonly world: PackedWorld };

/**
 * Worlds as lines. Worlds, their snapshots and their journals share most of what they contain, so each record, entry,
 * table and journal is written once and later named by its number: a snapshot of a world takes a few numbers.
 */
function* pack({ worlds }: SavedWorlds): Generator<PackedLine> {
  const records = new Map<StoredRecord, number>();
  const entries = new Map<JournalEntry, number>();
  const moves = new Map<JournalNote, number>();
  const tables = new Map<Table, number>();
  const journals = new Map<readonly JournalEntry[], number>();

  function* packRecord(record: StoredRecord | undefined): Generator<PackedLine> {
    if (record === undefined || records.has(record)) return;
    records.set(record, records.size);
    yield { record };
  }

  function* packEntry(entry: JournalEntry): Generator<PackedLine> {
    if (entries.has(entry)) return;
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

  function* packTable(table: Table): Generator<PackedLine, number> {
    if (!tables.has(table)) {
      for (const record of table.values()) yield* packRecord(record);
      yield { table: runs(table.values(), records) };
    }
    return numberOf(table, tables);
  }

  function* packJournal(journal: readonly JournalEntry[]): Generator<PackedLine, number> {
    if (!journals.has(journal)) {
      for (const entry of journal) yield* packEntry(entry);
      yield { journal: runs(journal, entries) };
    }
    return numberOf(journal, journals);
  }

  function* packImage({ seed, now, store, journal }: SimulationImage): Generator<PackedLine, PackedImage> {
    const packed = yield* packJournal(journal.entries);
    const packedTables: [string, number][] = [];
    for (const [name, table] of store) packedTables.push([name, yield* packTable(table)]);
    const noted = (journal.notes ?? []).filter(({ cause }) => cause.input?.kind === "move");
    for (const move of noted) {
      if (moves.has(move)) continue;
      moves.set(move, moves.size);
      yield { move };
    }
    const image = { seed, now, dropped: journal.dropped, journal: packed, store: packedTables };
    return { ...image, moves: runs(noted, moves) };
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

/** Builds worlds from the lines of {@link pack}; they share the same memory as before. */
class Unpacking {
  readonly #records: StoredRecord[] = [];
  readonly #entries: JournalEntry[] = [];
  readonly #moves: JournalNote[] = [];
  readonly #tables: Table[] = [];
  readonly #journals: (readonly JournalEntry[])[] = [];
  readonly worlds: SavedWorld[] = [];
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  take(line: PackedLine): void {
    requireMemory(this.#path);
    if ("record" in line) {
      this.#records.push(line.record);
    } else if ("entry" in line) {
      const changes = line.entry.changes.map(([collection, id, before, after]): Change => {
        if (before >= 0 && after >= 0) shared(at(this.#records, after), at(this.#records, before));
        return {
          collection,
          id,
          ...(before >= 0 && { before: at(this.#records, before) }),
          ...(after >= 0 && { after: at(this.#records, after) }),
        };
      });
      this.#entries.push({ ...line.entry, changes });
    } else if ("move" in line) {
      this.#moves.push(line.move);
    } else if ("table" in line) {
      this.#tables.push(this.#table(line.table));
    } else if ("journal" in line) {
      this.#journals.push(Array.from(numbers(line.journal), (number) => at(this.#entries, number)));
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

  #image({ seed, now, dropped, journal, store, moves = [] }: PackedImage): SimulationImage {
    const tables = store.map(([name, table]) => [name, at(this.#tables, table)] as const);
    const notes = Array.from(numbers(moves), (number) => at(this.#moves, number));
    const entries = at(this.#journals, journal);
    return { seed, now, store: new Map(tables), journal: { dropped, entries, notes } };
  }

  #table(packed: Runs): Table {
    requireMemory(this.#path);
    const table = new Map<string, StoredRecord>();
    for (const number of numbers(packed)) {
      const record = at(this.#records, number);
      table.set(record.id, record);
    }
    return table;
  }
}

/** The number of an item; the next one if it has none. */
function numberOf<T>(item: T, numbered: Map<T, number>): number {
  const number = numbered.get(item) ?? numbered.size;
  numbered.set(item, number);
  return number;
}

function runs<T>(items: Iterable<T>, numbered: ReadonlyMap<T, number>): Runs {
  const found: number[] = [];
  let next = -1;
  for (const item of items) {
    const number = numbered.get(item)!;
    if (number === next) found[found.length - 1]!++;
    else found.push(number, 1);
    next = number + 1;
  }
  return found;
}

function* numbers(packed: Runs): Generator<number> {
  for (let index = 0; index < packed.length; index += 2)
    for (let offset = 0; offset < packed[index + 1]!; offset++) yield packed[index]! + offset;
}

function at<T>(list: readonly T[], number: number): T {
  const value = list[number];
  if (value === undefined) throw new Error(`number ${number} is used before it is written`);
  return value;
}
