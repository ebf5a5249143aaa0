import type { CoverageCounts } from "../../../simulator/worlds/coverage.ts";
import type { JournalEntry, JournalNote } from "../../../simulator/engine/journal.ts";
import type { SavedWorld, WorldEvent } from "../../../simulator/worlds/saved-world.ts";
import type { SimulationImage } from "../../../simulator/engine/simulation.ts";
import { assertDefined } from "../../../simulator/engine/assertion.ts";
import { asciiJson } from "../../../simulator/engine/json.ts";
import type { EntryRow } from "./history.ts";
import { LongWork } from "../../../base/long-work.ts";
import { promisify } from "node:util";
import {
  Numbering,
  numbersOf,
  type NumberRun,
  type PackedLine,
  packWorlds,
  Unpacking,
} from "../../storage/packed-worlds.ts";
import { requireMemory } from "../../storage/storage.ts";
import { zstdCompress, zstdDecompress } from "node:zlib";

/** The rows of `entries` that make up a journal, oldest first, and those of each snapshot. */
export interface JournalRows {
  readonly journal: readonly NumberRun[];
  readonly snapshots: ReadonlyMap<string, readonly NumberRun[]>;
}

interface PackedObservations {
  readonly coverage: CoverageCounts;
  readonly own: readonly NumberRun[];
  readonly ofSnapshots: readonly (readonly [snapshot: string, notes: readonly NumberRun[]])[];
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/**
 * Packs a world without notes and without the entries of its journal, which have their own rows. The result is
 * compressed. The world may change during the packing: an image never does.
 */
export async function packWorld(
  saved: SavedWorld,
  { journal, snapshots }: JournalRows,
): Promise<{ readonly body: Buffer; readonly records: number }> {
  const rows = new Map<SimulationImage, readonly NumberRun[]>();
  const bare = (image: SimulationImage, of: readonly NumberRun[]): SimulationImage => {
    const { dropped, entries } = image.journal;
    const one = { ...image, journal: { dropped, entries } };
    rows.set(one, newest(of, entries.length));
    return one;
  };
  const rowsOf = (id: string): readonly NumberRun[] =>
    assertDefined(snapshots.get(id), `the entries of the snapshot ${id}`);
  const world: SavedWorld = {
    ...saved,
    image: bare(saved.image, journal),
    snapshots: new Map(Array.from(saved.snapshots, ([id, image]) => [id, bare(image, rowsOf(id))])),
  };
  let records = 0;
  const lines = packWorlds([world], (image) => assertDefined(rows.get(image), "the rows of an image")).map(
    (line) => {
      if ("record" in line) records++;
      return line;
    },
  );
  const body = await packed(lines);
  return { body, records };
}

/** Restores the output of `packWorld`. `entry` reads the journal's entries by their rows. */
export async function unpackWorld(
  id: string,
  body: Buffer,
  entry: (row: number, number: number) => JournalEntry,
): Promise<{ readonly saved: SavedWorld; readonly rows: JournalRows; readonly records: number }> {
  const rows: (readonly NumberRun[])[] = [];
  // Parts that the world and its snapshots share are in memory once, as while the world was running.
  const journals = new Map<string, readonly JournalEntry[]>();
  const unpacking = new Unpacking(`the world ${id}`, (runs, dropped) => {
    rows.push(runs);
    const key = JSON.stringify([runs, dropped]);
    const entries = journals.get(key) ?? numbersOf(runs).map((row, at) => entry(row, dropped + at + 1));
    journals.set(key, entries);
    return entries;
  });
  for (const line of linesOf(await decompress(body))) unpacking.take(line as PackedLine);
  const [saved] = unpacking.worlds;
  const [journal = [], ...ofSnapshots] = rows;
  const { snapshots } = assertDefined(saved, `the state of the world ${id}`);
  const names = [...snapshots.keys()];
  return {
    saved: assertDefined(saved, `the state of the world ${id}`),
    rows: { journal, snapshots: new Map(names.map((name, at) => [name, ofSnapshots[at] ?? []])) },
    records: unpacking.records,
  };
}

/** The knowledge about a world that its events lack, and the last row that it covers. */
interface Observations {
  readonly number: number;
  readonly coverage: CoverageCounts;
  /** The notes of its journal, and those of each snapshot. */
  readonly notes: readonly JournalNote[];
  readonly ofSnapshots: ReadonlyMap<string, readonly JournalNote[]>;
}

/** Packs the data that no event contains. The world may change during the packing. */
export async function packObservations({ coverage, image, snapshots }: SavedWorld): Promise<Buffer> {
  const numbers = new Numbering<JournalNote>();
  const runsOf = ({ journal: { notes = [] } }: SimulationImage): readonly NumberRun[] => {
    for (const note of notes) numbers.add(note);
    return numbers.runsOf(notes);
  };
  const head: PackedObservations = {
    coverage: assertDefined(coverage, "the coverage of a world"),
    own: runsOf(image),
    ofSnapshots: Array.from(snapshots, ([id, snapshot]) => [id, runsOf(snapshot)] as const),
  };
  return packed([head, ...numbers.all()].values());
}

export async function unpackObservations(id: string, number: number, body: Buffer): Promise<Observations> {
  const lines: unknown[] = [];
  for (const line of linesOf(await decompress(body))) {
    requireMemory(`the world ${id}`);
    lines.push(line);
  }
  const [head, ...notes] = lines as [PackedObservations, ...JournalNote[]];
  const ofRuns = (runs: readonly NumberRun[]): JournalNote[] =>
    numbersOf(runs).map((at) => assertDefined(notes[at], `the note ${at}`));
  const { coverage, own, ofSnapshots } = head;
  const bySnapshot = new Map(ofSnapshots.map(([name, runs]) => [name, ofRuns(runs)]));
  return { number, coverage, notes: ofRuns(own), ofSnapshots: bySnapshot };
}

/** Writes lines of JSON, in turns. They are in ASCII, which is read in half the time. */
async function packed(lines: Iterable<unknown>): Promise<Buffer> {
  const work = new LongWork();
  const texts: string[] = [];
  for (const line of lines) {
    texts.push(asciiJson(JSON.stringify(line)));
    if (work.isDue) await work.nextTurn();
  }
  return compress(texts.join("\n"));
}

function* linesOf(bytes: Buffer): Generator {
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf("\n", from);
    const to = end === -1 ? bytes.length : end;
    yield JSON.parse(bytes.toString("latin1", from, to));
    from = to + 1;
  }
}

/** Returns the rows of a journal and of its snapshots after an event, which has the row `number`. */
export function rowsAfter(
  { journal, snapshots }: JournalRows,
  number: number,
  event: WorldEvent,
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

/** Returns the runs with one more number at the end. */
function withNumber(runs: readonly NumberRun[], number: number): NumberRun[] {
  const last = runs.at(-1);
  if (last !== undefined && last[0] + last[1] === number)
    return [...runs.slice(0, -1), [last[0], last[1] + 1]];
  return [...runs, [number, 1]];
}

/** Returns the entries of a world and its snapshots that have rows after `row`, in the order of these. */
export function entriesAfter(
  row: number,
  { image, snapshots }: SavedWorld,
  rows: JournalRows,
): readonly EntryRow[] {
  const found = new Map<number, JournalEntry>();
  const add = ({ journal: { entries } }: SimulationImage, runs: readonly NumberRun[]): void => {
    for (const [index, number] of numbersOf(newest(runs, entries.length)).entries())
      if (number > row) found.set(number, assertDefined(entries[index], `the entry ${number}`));
  };
  add(image, rows.journal);
  for (const [name, snapshot] of snapshots) add(snapshot, rows.snapshots.get(name) ?? []);
  return [...found].toSorted(([one], [other]) => one - other);
}

/** Returns the last `count` numbers of runs. */
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
