import type { Database } from "./database.ts";

import { assertDefined } from "../../engine/assertion.ts";
import { INPUT_SIZE, type JournalEntry } from "../../engine/journal.ts";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompressSync } from "node:zlib";

/** The server that owns a world, and the epoch of its ownership: a write in a former epoch is refused. */
export interface Ownership {
  readonly id: string;
  readonly server: string;
  readonly epoch: number;
}

/** Rows of `entries` that become one row of `history`. */
export const ROWS_PER_CHUNK = 500;

const compress = promisify(zstdCompress);

/** A row of `entries`. */
export interface EntryRow {
  readonly number: number;
  /** The event as JSON. */
  readonly body: string;
  /** How many characters the input of its entry has. */
  readonly inputSize: number;
}

/** A row of `history`: rows of `entries` in the order of their numbers, of which some may be missing. */
export interface Chunk {
  /** The number and the size of the input of each row, as JSON. */
  readonly index: string;
  readonly body: Buffer;
}

/** Makes one row of many: most of an event is in the ones before it too. */
export async function packChunk(rows: readonly EntryRow[]): Promise<Chunk> {
  return {
    index: JSON.stringify(rows.map(({ number, inputSize }) => [number, inputSize])),
    body: await compress(rows.map(({ body }) => body).join("\n")),
  };
}

/** The chunk that was read last: who reads a history reads one entry after another. */
let lastRead: { readonly body: Buffer; readonly lines: readonly string[] } | undefined;

function lineOf(body: Buffer, index: number): string {
  if (lastRead?.body !== body)
    lastRead = { body, lines: zstdDecompressSync(body).toString("utf8").split("\n") };
  return assertDefined(lastRead.lines[index], `the line ${index} of a chunk`);
}

/** An event as it is stored: a line of a chunk, or a text of its own. */
interface StoredEvent {
  readonly inputSize: number | undefined;
  readonly body: Buffer | string;
  readonly line: number;
}

function textOf({ body, line }: StoredEvent): string {
  return typeof body === "string" ? body : lineOf(body, line);
}

/** What is stored of the events of a world. Most of it is never read. */
export class StoredEvents {
  readonly #world: string;
  /** By their rows. */
  readonly #events = new Map<number, StoredEvent>();
  readonly #entries = new Map<number, JournalEntry>();

  constructor(
    world: string,
    stored: {
      readonly chunks: readonly Chunk[];
      readonly rows: readonly Pick<EntryRow, "number" | "body">[];
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

  /** The event of a row as JSON. */
  text(row: number): string {
    return textOf(this.#event(row));
  }

  /** The entry of a row, which is read when something needs it. The journal and its snapshots share it. */
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
    return (this.#read ??= (JSON.parse(textOf(this.#event)) as { entry: JournalEntry }).entry);
  }
}

function inputSizeIn(body: string): number {
  const event = JSON.parse(body) as { readonly entry?: JournalEntry };
  return event.entry?.cause.input?.size ?? 0;
}

/** Moves rows up to `head` from `entries` to `history`, some hundred at a time, while the server has the world. */
export async function moveToHistory(
  database: Database,
  { id, server, epoch }: Ownership,
  head: number,
): Promise<void> {
  const { schema } = database;
  for (;;) {
    const { rows } = await database.query<Pick<EntryRow, "number" | "body">>(
      "entries to move",
      `SELECT number, body FROM ${schema}.entries WHERE world = $1 AND number <= $2 ORDER BY number LIMIT $3`,
      [id, head, ROWS_PER_CHUNK],
    );
    const [first, last] = [rows[0]?.number, rows.at(-1)?.number];
    if (first === undefined || last === undefined) return;
    const { index, body } = await packChunk(
      rows.map((row) => ({ ...row, inputSize: inputSizeIn(row.body) })),
    );
    const { rowCount } = await database.query(
      "move to history",
      `WITH owned AS (
          SELECT id FROM ${schema}.worlds WHERE id = $1 AND owner = $2 AND epoch = $3 FOR UPDATE),
          moved AS (INSERT INTO ${schema}.history (world, first, last, index, body)
          SELECT owned.id, $4::bigint, $5::bigint, $6, $7::bytea FROM owned ON CONFLICT DO NOTHING)
          DELETE FROM ${schema}.entries USING owned WHERE world = owned.id AND number BETWEEN $4 AND $5`,
      [id, server, epoch, first, last, index, body],
    );
    if (rowCount === 0) return;
  }
}
