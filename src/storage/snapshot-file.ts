import type { Adapter } from "lowdb";
import type { Change } from "../engine/store.ts";
import type { JournalEntry } from "../engine/journal.ts";
import type { SavedWorld, SavedWorlds } from "../worlds/saved-world.ts";
import type { SimulationImage } from "../engine/simulation.ts";
import type { StoredRecord } from "../engine/collection.ts";
import { damagedFile, StorageMistake, unusableFile } from "./storage.ts";
import { BEGINNING, hasChainedLines, nextLine, readLines, replaceFile } from "./chained-lines.ts";
import { open } from "node:fs/promises";

/** The format of the file. 2: timers belong to records, and the timeline is data. 3: lines are chained. */
const FORMAT = 3;
const FORMAT_BEFORE = 2;
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
  /** Whether it has the format before this one, and so have its journals. */
  isOutdated = false;

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
      const isChained = await hasChainedLines(file);
      return await this.#readLines(readLines(file, { isChained }));
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
    this.isOutdated = false;
  }

  async #readLines(lines: ReturnType<typeof readLines>): Promise<Snapshot> {
    const unpacking = new Unpacking();
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
    this.isOutdated = format === FORMAT_BEFORE;
    if (format === FORMAT || this.isOutdated) return { generation, made };
    throw new StorageMistake(
      `Failed to read ${this.#path}: it has format ${format ?? "unknown"}, and this version reads formats ${FORMAT_BEFORE} and ${FORMAT}. Use the version that wrote it, or name another file.`,
    );
  }

  #take(unpacking: Unpacking, line: PackedLine, number: number): void {
    try {
      unpacking.take(line);
    } catch (error) {
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

/** Consecutive numbers, as `[first, count]`. */
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
type PackedLine =
  | { readonly record: StoredRecord }
  | { readonly entry: Omit<JournalEntry, "changes"> & { readonly changes: readonly PackedChange[] } }
  | { readonly world: PackedWorld };

/**
 * Worlds as lines. Worlds, their snapshots and their journals share most of their records, so each record and
 * each entry is written once and later named by its number: a snapshot of a world takes a few numbers.
 */
function* pack({ worlds }: SavedWorlds): Generator<PackedLine> {
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

/** Builds worlds from the lines of {@link pack}; they share the same records as before. */
class Unpacking {
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
  if (value === undefined) throw new Error(`number ${number} is used before it is written`);
  return value;
}
