import type { ClockState } from "../../worlds/clock.ts";
import type { CoverageCounts } from "../../worlds/coverage.ts";
import type { JournalEntry, JournalNote } from "../../engine/journal.ts";
import type { OpenedAttempt } from "../../webhooks/opened-attempt.ts";
import type { SavedWorld, WorldNews, WorldSettings } from "../../worlds/saved-world.ts";
import type { SimulationImage } from "../../engine/simulation.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { asciiJson } from "../../engine/json.ts";
import { promisify } from "node:util";
import { requireMemory } from "../storage.ts";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { zstdCompress, zstdDecompress } from "node:zlib";

/** Consecutive numbers, as `[first, count]`. */
export type NumberRun = readonly [first: number, count: number];

/** The rows of `entries` that make up a journal, oldest first, and those of each snapshot. */
export interface JournalRows {
  readonly journal: readonly NumberRun[];
  readonly snapshots: ReadonlyMap<string, readonly NumberRun[]>;
}

/** A state whose records and entries are named by numbers. */
interface PackedImage {
  readonly seed: number;
  readonly now: number;
  readonly dropped: number;
  readonly rows: readonly NumberRun[];
  readonly store: readonly (readonly [collection: string, records: readonly NumberRun[]])[];
}

/** What a world is besides its records. */
interface PackedWorld {
  readonly name: string;
  readonly settings: WorldSettings;
  readonly clock: ClockState;
  readonly tokenExpiries: readonly (readonly [string, number])[];
  readonly opened: SavedWorld["opened"];
  readonly image: PackedImage;
  readonly snapshots: readonly (readonly [string, PackedImage])[];
}

interface PackedObservations {
  readonly coverage: CoverageCounts;
  readonly ended: readonly OpenedAttempt[];
  readonly own: readonly NumberRun[];
  readonly ofSnapshots: readonly (readonly [snapshot: string, notes: readonly NumberRun[]])[];
}

/** Records, and notes, that are turned into text before other requests get their turn. */
const RECORDS_PER_TURN = 500;
const NOTES_PER_TURN = 50;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/**
 * A world without the entries of its journal, which have rows of their own. It is compressed; a record that the
 * world shares with its snapshots is contained once. The world may go on meanwhile: an image never changes.
 */
export async function packWorld(
  saved: SavedWorld,
  rows: JournalRows,
): Promise<{ readonly body: Buffer; readonly records: number }> {
  const { name, settings, clock, tokenExpiries, image, snapshots, opened } = saved;
  const numbers = new Map<StoredRecord, number>();
  const packImage = (
    { seed, now, store, journal }: SimulationImage,
    of: readonly NumberRun[],
  ): PackedImage => ({
    seed,
    now,
    dropped: journal.dropped,
    rows: newest(of, journal.entries.length),
    store: Array.from(store, ([collection, records]) => [
      collection,
      runsOf(
        Array.from(records.values(), (record) => {
          const number = numbers.get(record) ?? numbers.size;
          numbers.set(record, number);
          return number;
        }),
      ),
    ]),
  });
  const world: PackedWorld = {
    name,
    settings,
    clock,
    tokenExpiries: [...tokenExpiries],
    opened,
    image: packImage(image, rows.journal),
    snapshots: Array.from(snapshots, ([id, snapshot]) => [
      id,
      packImage(snapshot, assertDefined(rows.snapshots.get(id), `the entries of the snapshot ${id}`)),
    ]),
  };
  const body = await packed(JSON.stringify(world), [...numbers.keys()], RECORDS_PER_TURN);
  return { body, records: numbers.size };
}

/** Restores what `packWorld` made; `entry` gives the journal's entries by their rows. */
export async function unpackWorld(
  id: string,
  body: Buffer,
  entry: (row: number, number: number) => JournalEntry,
): Promise<{ readonly saved: SavedWorld; readonly rows: JournalRows; readonly records: number }> {
  const [head, records] = await unpacked<PackedWorld, StoredRecord>(`the world ${id}`, body);
  const { image, snapshots, tokenExpiries, opened = [], ...world } = head;
  // What the world and its snapshots have in common is in memory once, as while it was running.
  const tableOf = once((collection: string, runs: readonly NumberRun[]) => {
    requireMemory(`the world ${id}`);
    const table = new Map<string, StoredRecord>();
    for (const number of numbersOf(runs)) {
      const record = assertDefined(records[number], `the record ${number} of ${collection}`);
      table.set(record.id, record);
    }
    return table;
  });
  const entriesOf = once((rows: readonly NumberRun[], dropped: number) =>
    numbersOf(rows).map((row, index) => entry(row, dropped + index + 1)),
  );
  const unpackImage = ({ seed, now, dropped, rows, store }: PackedImage): SimulationImage => ({
    seed,
    now,
    store: new Map(store.map(([collection, runs]) => [collection, tableOf(collection, runs)])),
    journal: { dropped, entries: entriesOf(rows, dropped) },
  });
  return {
    records: records.length,
    saved: {
      id,
      ...world,
      tokenExpiries: new Map(tokenExpiries),
      opened,
      image: unpackImage(image),
      snapshots: new Map(snapshots.map(([name, snapshot]) => [name, unpackImage(snapshot)])),
    },
    rows: {
      journal: image.rows,
      snapshots: new Map(snapshots.map(([name, snapshot]) => [name, snapshot.rows])),
    },
  };
}

/** A function that returns the same value for the same arguments. */
function once<Given extends readonly unknown[], T>(make: (...given: Given) => T): (...given: Given) => T {
  const made = new Map<string, T>();
  return (...given) => {
    const key = JSON.stringify(given);
    const value = made.get(key) ?? make(...given);
    made.set(key, value);
    return value;
  };
}

export type ObservedWorld = SavedWorld & { readonly coverage: CoverageCounts };

/** What a world knows of itself besides its events, and the row up to which it knows it. */
export interface Observations {
  readonly number: number;
  readonly coverage: CoverageCounts;
  /** The notes of its journal, and those of each snapshot. */
  readonly notes: readonly JournalNote[];
  readonly ofSnapshots: ReadonlyMap<string, readonly JournalNote[]>;
  /** The attempts whose outcome is known, and not yet part of the world. */
  readonly ended: readonly OpenedAttempt[];
}

/** Turns what no event contains into bytes; the world may go on meanwhile. */
export async function packObservations({
  coverage,
  image,
  snapshots,
  opened = [],
}: ObservedWorld): Promise<Buffer> {
  const numbers = new Map<JournalNote, number>();
  const numbersOfNotes = ({ journal }: SimulationImage): NumberRun[] =>
    runsOf(
      (journal.notes ?? []).map((note) => {
        const number = numbers.get(note) ?? numbers.size;
        numbers.set(note, number);
        return number;
      }),
    );
  const own = numbersOfNotes(image);
  const ofSnapshots = Array.from(snapshots, ([id, snapshot]) => [id, numbersOfNotes(snapshot)] as const);
  const ended = opened.filter(({ endedAttempts }) => endedAttempts !== undefined);
  const head: PackedObservations = { coverage, ended, own, ofSnapshots };
  return packed(JSON.stringify(head), [...numbers.keys()], NOTES_PER_TURN);
}

export async function unpackObservations(id: string, number: number, body: Buffer): Promise<Observations> {
  const [head, notes] = await unpacked<PackedObservations, JournalNote>(`the world ${id}`, body);
  const ofRuns = (runs: readonly NumberRun[]): JournalNote[] =>
    numbersOf(runs).map((at) => assertDefined(notes[at], `the note ${at}`));
  const { coverage, ended, own, ofSnapshots } = head;
  const bySnapshot = new Map(ofSnapshots.map(([id, runs]) => [id, ofRuns(runs)]));
  return { number, coverage, ended, notes: ofRuns(own), ofSnapshots: bySnapshot };
}

/** A text and a list, each part of which is written in a turn of its own; in ASCII, which is read in half the time. */
async function packed(head: string, all: readonly unknown[], perTurn: number): Promise<Buffer> {
  const pieces = [asciiJson(head)];
  for (let at = 0; at < all.length; at += perTurn) {
    pieces.push(asciiJson(JSON.stringify(all.slice(at, at + perTurn))));
    await yieldToEventLoop();
  }
  return compress(pieces.join("\n"));
}

async function unpacked<Head, Item>(what: string, body: Buffer): Promise<[Head, Item[]]> {
  const bytes = await decompress(body);
  const items: Item[] = [];
  const end = lineEnd(bytes, 0);
  const head = JSON.parse(bytes.toString("latin1", 0, end)) as Head;
  for (let from = end + 1; from < bytes.length;) {
    requireMemory(what);
    const to = lineEnd(bytes, from);
    for (const item of JSON.parse(bytes.toString("latin1", from, to)) as Item[]) items.push(item);
    from = to + 1;
  }
  return [head, items];
}

function lineEnd(bytes: Buffer, from: number): number {
  const end = bytes.indexOf("\n", from);
  return end === -1 ? bytes.length : end;
}

/** The rows of a journal and of its snapshots after an event, which has the row `number`. */
export function rowsAfter(
  { journal, snapshots }: JournalRows,
  number: number,
  event: WorldNews,
): JournalRows {
  if (event.kind === "committed") return { journal: withNumber(journal, number), snapshots };
  if (event.kind === "begun") return { journal: [], snapshots };
  if (event.kind === "restored") return { journal: snapshots.get(event.snapshot) ?? [], snapshots };
  if (event.kind === "snapshot")
    return { journal, snapshots: new Map([...snapshots, [event.snapshot, journal]]) };
  if (event.kind === "snapshot-removed")
    return { journal, snapshots: new Map([...snapshots].filter(([name]) => name !== event.snapshot)) };
  return { journal, snapshots };
}

/** The runs with one more number at the end. */
function withNumber(runs: readonly NumberRun[], number: number): NumberRun[] {
  const last = runs.at(-1);
  if (last !== undefined && last[0] + last[1] === number)
    return [...runs.slice(0, -1), [last[0], last[1] + 1]];
  return [...runs, [number, 1]];
}

/** The last `count` numbers of runs. */
function newest(runs: readonly NumberRun[], count: number): NumberRun[] {
  const kept: NumberRun[] = [];
  let missing = count;
  for (const [first, length] of runs.toReversed()) {
    if (missing <= 0) break;
    const taken = Math.min(missing, length);
    kept.unshift([first + length - taken, taken]);
    missing -= taken;
  }
  return kept;
}

function runsOf(numbers: readonly number[]): NumberRun[] {
  const found: [number, number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last !== undefined && number === last[0] + last[1]) last[1]++;
    else found.push([number, 1]);
  }
  return found;
}

export function numbersOf(runs: readonly NumberRun[]): number[] {
  return runs.flatMap(([first, count]) => Array.from({ length: count }, (_, index) => first + index));
}
