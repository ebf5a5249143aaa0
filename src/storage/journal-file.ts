import type { Change } from "../engine/store.ts";
import type { FileHandle } from "node:fs/promises";
import type { StoredRecord } from "../engine/collection.ts";
import type { WorldEvent } from "../worlds/saved-world.ts";
import { crc32 } from "node:zlib";
import { damagedFile, unusableFile } from "./storage.ts";
import { dirname } from "node:path";
import { open, rm } from "node:fs/promises";

/**
 * The journal of one generation: what happened since the snapshot with its number. Each line is one write, so only
 * the last line can be incomplete, and no answer that depends on it was sent.
 */
export class JournalFile {
  readonly path: string;
  /** The number of the snapshot that it continues. */
  readonly generation: number;
  readonly #file: FileHandle;
  #bytes = 0;
  /** Whether a failed write may have left something after the last valid line. */
  #isRagged = false;

  private constructor(path: string, generation: number, file: FileHandle) {
    this.path = path;
    this.generation = generation;
    this.#file = file;
  }

  /** Creates an empty journal. */
  static async create(path: string, generation: number): Promise<JournalFile> {
    const file = await open(path, "w+");
    await syncFolder(dirname(path));
    return new JournalFile(path, generation, file);
  }

  /**
   * Opens a journal to continue it, and gives its events to `take` first. An incomplete last line is left out, and
   * removed before the next append. Refuses a journal that is damaged anywhere else.
   */
  static async open(
    path: string,
    { generation, take }: { readonly generation: number; readonly take: (event: WorldEvent) => void },
  ): Promise<JournalFile> {
    const file = await open(path, "r+").catch((error: NodeJS.ErrnoException) => {
      throw unusableFile(path, error);
    });
    try {
      const journal = new JournalFile(path, generation, file);
      await journal.#read(take);
      const { size } = await file.stat();
      journal.#isRagged = size > journal.#bytes;
      return journal;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The length of the valid part of the file. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether its last line is incomplete. */
  get isRagged(): boolean {
    return this.#isRagged;
  }

  /** Stores events: when it resolves, they are on the disk. When it rejects, none of them counts. */
  async append(events: readonly WorldEvent[]): Promise<void> {
    await this.cut();
    const line = Buffer.from(formatLine(writtenEvents(events)));
    try {
      for (let written = 0; written < line.length;) {
        const { bytesWritten } = await this.#file.write(
          line,
          written,
          line.length - written,
          this.#bytes + written,
        );
        written += bytesWritten;
      }
      await this.#file.datasync();
    } catch (error) {
      this.#isRagged = true;
      throw error;
    }
    this.#bytes += line.length;
  }

  /** Gives the stored events to `take` again. */
  async reread(take: (event: WorldEvent) => void): Promise<void> {
    await this.#read(take, this.#bytes);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
  }

  /** Removes what a failed write left behind. */
  async cut(): Promise<void> {
    if (!this.#isRagged) return;
    await this.#file.truncate(this.#bytes);
    await this.#file.datasync();
    this.#isRagged = false;
  }

  async #read(take: (event: WorldEvent) => void, bytesMax = Infinity): Promise<void> {
    let number = 0;
    for await (const { value, isSound, isWhole, end } of readLines(this.#file)) {
      if (end > bytesMax || !isWhole) return;
      number++;
      if (!isSound) throw damagedFile(this.path, `line ${number} is damaged`);
      try {
        for (const event of readEvents(value)) take(event);
      } catch (error) {
        throw damagedFile(
          this.path,
          `line ${number} does not continue the one before it: ${(error as Error).message}`,
        );
      }
      this.#bytes = end;
    }
  }
}

/** A change in the file: the new record, or the id of a deleted one. */
type WrittenChange = readonly [collection: string, putOrDeleted: StoredRecord | string];

/** Events as a line of the journal contains them, without the previous records: the lines before have them. */
function writtenEvents(events: readonly WorldEvent[]): unknown[] {
  return events.map((event) => {
    if (event.kind === "forked") return { ...event, renewed: event.renewed?.map(writtenChange) };
    if (event.kind !== "committed") return event;
    const { entry } = event;
    return { ...event, entry: { ...entry, changes: entry.changes.map(writtenChange) } };
  });
}

/** The events of a line of the journal. */
function readEvents(line: unknown): WorldEvent[] {
  if (!Array.isArray(line)) throw new Error("it is no list of events");
  return line.map((written: WorldEvent) => {
    if (written.kind === "forked" && written.renewed !== undefined)
      return { ...written, renewed: written.renewed.map(readChange) };
    if (written.kind !== "committed") return written;
    const { entry } = written;
    return { ...written, entry: { ...entry, changes: entry.changes.map(readChange) } };
  });
}

function writtenChange({ collection, id, after }: Change): WrittenChange {
  return [collection, after ?? id];
}

function readChange(change: unknown): Change {
  const [collection, record] = change as WrittenChange;
  return typeof record === "string"
    ? { collection, id: record }
    : { collection, id: record.id, after: record };
}

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 0x0a;
const CHECKSUM_CHARACTERS = 8;

/** One line of a file: its value, or undefined where its checksum is wrong. */
interface Line {
  readonly value: unknown;
  readonly isSound: boolean;
  /** Whether it ends with a newline; only the last line of a file can lack it. */
  readonly isWhole: boolean;
  /** The offset of the next line. */
  readonly end: number;
}

/** A value as a line: the CRC-32 of its JSON, and the JSON. It shows whether the line was written completely. */
export function formatLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${crc32(json).toString(16).padStart(CHECKSUM_CHARACTERS, "0")} ${json}\n`;
}

/** The lines of a file; no more than a chunk and a line is in memory. */
export async function* readLines(file: FileHandle): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  let end = 0;
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const chunk = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let begin = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, begin)) {
      end += at + 1 - begin;
      yield { ...parse(chunk.subarray(begin, at)), isWhole: true, end };
      begin = at + 1;
    }
    rest = chunk.subarray(begin);
  }
  if (rest.length > 0) yield { ...parse(rest), isWhole: false, end: end + rest.length };
}

function parse(bytes: Buffer): Pick<Line, "value" | "isSound"> {
  const json = bytes.subarray(CHECKSUM_CHARACTERS + 1);
  const checksum = Number.parseInt(bytes.toString("latin1", 0, CHECKSUM_CHARACTERS), 16);
  if (bytes[CHECKSUM_CHARACTERS] !== 0x20 || crc32(json) !== checksum)
    return { value: undefined, isSound: false };
  try {
    return { value: JSON.parse(json.toString("utf8")) as unknown, isSound: true };
  } catch {
    return { value: undefined, isSound: false };
  }
}

/** Flushes the names in a folder to the disk, where the operating system can. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // Some operating systems cannot open a folder.
  }
}
