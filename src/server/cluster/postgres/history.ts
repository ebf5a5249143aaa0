import { assertDefined } from "../../../simulator/engine/assertion.ts";
import { INPUT_SIZE, type JournalEntry } from "../../../simulator/engine/journal.ts";
import { patched, patchOf, type RecordPatch } from "../../storage/record-patch.ts";
import type { Change } from "../../../simulator/engine/store.ts";
import type { StoredRecord } from "../../../simulator/engine/collection.ts";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompressSync } from "node:zlib";

/** The server that owns a world, and the epoch of its ownership: a write in a former epoch is refused. */
export interface Ownership {
  readonly id: string;
  readonly server: string;
  readonly epoch: number;
}

/** Entries in one row of `history`. */
const ENTRIES_PER_CHUNK = 500;

const compress = promisify(zstdCompress);

/** A row of `history`: entries that had their own rows in `entries` before. Some may be missing. */
export interface Chunk {
  /** The first and the last row. */
  readonly first: number;
  readonly last: number;
  /** The number and the size of the input of each row, as JSON. */
  readonly index: string;
  readonly body: Buffer;
}

/** An entry with the row that it has, or had, in `entries`. */
export type EntryRow = readonly [row: number, entry: JournalEntry];

/** Makes rows of some hundred entries each, because most of an entry is also in the entries before it. */
export async function packHistory(entries: readonly EntryRow[]): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for (let at = 0; at < entries.length; at += ENTRIES_PER_CHUNK) {
    const part = entries.slice(at, at + ENTRIES_PER_CHUNK);
    const sizes = part.map(([row, entry]) => [row, entry[INPUT_SIZE] ?? entry.cause.input?.size ?? 0]);
    const body = await compress(linesOf(part.map(([, entry]) => entry)).join("\n"));
    chunks.push({ first: part[0]![0], last: part.at(-1)![0], index: JSON.stringify(sizes), body });
  }
  return chunks;
}

/** A change in a chunk. A changed record may be the difference to its version in an earlier line of the chunk. */
interface ChunkChange extends Change {
  readonly of?: number;
  readonly patch?: RecordPatch;
}

/** Writes the lines of a chunk. A record that changes often, such as a resent webhook, takes the space of its changes. */
function linesOf(entries: readonly JournalEntry[]): string[] {
  const last = new Map<string, { readonly line: number; readonly record: StoredRecord }>();
  return entries.map(({ number, at, cause, timeline, changes }, line) => {
    const written = changes.map((change): ChunkChange => {
      const { collection, id, before, after } = change;
      const key = `${collection} ${id}`;
      const known = last.get(key);
      if (after === undefined) last.delete(key);
      else last.set(key, { line, record: after });
      // An entry may change a record twice.
      const isKnown = known !== undefined && known.record === before && known.line < line;
      const patch = isKnown && after !== undefined ? patchOf(known.record, after) : undefined;
      return patch === undefined ? change : { collection, id, of: known!.line, patch };
    });
    return JSON.stringify({ kind: "committed", entry: { number, at, cause, timeline, changes: written } });
  });
}

/** A chunk that is being read: its lines, and the changes of the lines that were read. */
interface ReadChunk {
  readonly body: Buffer;
  readonly lines: readonly string[];
  readonly changes: Map<number, readonly Change[]>;
}

/** The chunk that was read last: who reads a history reads one entry after another. */
let lastRead: ReadChunk | undefined;

function chunkOf(body: Buffer): ReadChunk {
  if (lastRead?.body !== body)
    lastRead = { body, lines: zstdDecompressSync(body).toString("utf8").split("\n"), changes: new Map() };
  return lastRead;
}

function lineOf({ lines }: ReadChunk, index: number): string {
  return assertDefined(lines[index], `the line ${index} of a chunk`);
}

/** Returns the changes of a line with whole records. */
function changesIn(chunk: ReadChunk, line: number): readonly Change[] {
  const known = chunk.changes.get(line);
  if (known !== undefined) return known;
  // The lines of a record's versions, newest first. Their count may be higher than the depth of calls.
  const open = new Set([line]);
  for (const at of open)
    for (const { of } of entryIn(lineOf(chunk, at)).changes as readonly ChunkChange[])
      if (of !== undefined && !chunk.changes.has(of)) open.add(of);
  for (const at of [...open].toSorted((one, other) => one - other)) {
    const changes = entryIn(lineOf(chunk, at)).changes.map((change: ChunkChange): Change => {
      const { collection, id, of, patch } = change;
      if (of === undefined || patch === undefined) return change;
      const earlier = chunk.changes
        .get(of)
        ?.findLast((one) => one.collection === collection && one.id === id);
      const before = assertDefined(earlier?.after, `${collection} ${id} in the line ${of} of a chunk`);
      return { collection, id, before, after: patched(before, patch) };
    });
    chunk.changes.set(at, changes);
  }
  return chunk.changes.get(line)!;
}

function entryIn(text: string): JournalEntry {
  return (JSON.parse(text) as { entry: JournalEntry }).entry;
}

/** An event in its stored form: a line of a chunk, or a separate text. */
interface StoredEvent {
  readonly inputSize: number | undefined;
  readonly body: Buffer | string;
  readonly line: number;
}

function textOf({ body, line }: StoredEvent): string {
  return typeof body === "string" ? body : lineOf(chunkOf(body), line);
}

/** Reads an event of a chunk, or of a row that has whole records. */
function entryOf(event: StoredEvent): JournalEntry {
  const { body, line } = event;
  const entry = entryIn(textOf(event));
  return typeof body === "string" ? entry : { ...entry, changes: changesIn(chunkOf(body), line) };
}

/** The stored events of a world. Most of them are never read. */
export class StoredEvents {
  readonly #world: string;
  /** The events by their rows. */
  readonly #events = new Map<number, StoredEvent>();
  readonly #entries = new Map<number, JournalEntry>();

  constructor(
    world: string,
    stored: {
      readonly chunks: readonly Pick<Chunk, "index" | "body">[];
      readonly rows: readonly { readonly number: number; readonly body: string }[];
    },
  ) {
    this.#world = world;
    for (const { index, body } of stored.chunks) {
      for (const [line, [number, inputSize]] of (JSON.parse(index) as [number, number][]).entries())
        this.#events.set(number, { inputSize, body, line });
    }
    for (const { number, body } of stored.rows)
      this.#events.set(number, { inputSize: undefined, body, line: 0 });
  }

  /** Returns the event of a row as JSON. */
  text(row: number): string {
    return textOf(this.#event(row));
  }

  /** Returns the entry of a row. It is read on demand. The journal and its snapshots share it. */
  entry(row: number, number: number): JournalEntry {
    const entry = this.#entries.get(row) ?? new StoredEntry(number, this.#event(row));
    this.#entries.set(row, entry);
    return entry;
  }

  #event(row: number): StoredEvent {
    return assertDefined(this.#events.get(row), `the entry ${row} of the world ${this.#world}`);
  }
}

/** Its fields are getters, which no spreading of an object copies. */
class StoredEntry implements JournalEntry {
  readonly number: number;
  readonly #event: StoredEvent;
  #read: JournalEntry | undefined;

  constructor(number: number, event: StoredEvent) {
    this.number = number;
    this.#event = event;
  }

  get [INPUT_SIZE](): number {
    return this.#event.inputSize ?? this.cause.input?.size ?? 0;
  }

  get at(): JournalEntry["at"] {
    return this.#entry.at;
  }

  get cause(): JournalEntry["cause"] {
    return this.#entry.cause;
  }

  get timeline(): JournalEntry["timeline"] {
    return this.#entry.timeline;
  }

  get changes(): JournalEntry["changes"] {
    return this.#entry.changes;
  }

  toJSON(): JournalEntry {
    const { number, at, cause, timeline, changes } = this;
    return { number, at, cause, timeline, changes };
  }

  get #entry(): JournalEntry {
    return (this.#read ??= entryOf(this.#event));
  }
}
