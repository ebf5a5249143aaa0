import type { EventOfWorld } from "../../simulator/worlds/saved-world.ts";
import { BEGINNING, type Position, nextLine, readLines, replaceFile, writeAt } from "./chained-lines.ts";
import { damagedFile, unusableFile } from "./storage.ts";
import { type FileHandle, open, readFile, rm } from "node:fs/promises";
import { FileMistakes } from "../../base/failures.ts";
import { readEvent, writtenEvent } from "./written-events.ts";

/**
 * The journal of one generation: its head, and the events since the snapshot with its number. Each line is one write,
 * so only the last line can be incomplete after a crash.
 */
export class JournalFile {
  readonly path: string;
  readonly generation: number;
  readonly #file: FileHandle;
  /** The end of the valid part of the file. */
  end = BEGINNING;
  /** True if its last line is incomplete, for example after a failed write. */
  isRagged = false;

  private constructor(path: string, { generation, file }: { generation: number; file: FileHandle }) {
    this.path = path;
    this.generation = generation;
    this.#file = file;
  }

  /** Creates a journal with its head. */
  static async create(path: string, generation: number): Promise<JournalFile> {
    const { line, end } = nextLine(headOf(generation), BEGINNING);
    await replaceFile(path, (file) => file.writeFile(line));
    const file = await open(path, "r+");
    const journal = new JournalFile(path, { generation, file });
    journal.end = end;
    return journal;
  }

  /**
   * Opens a journal to continue it, and gives its events to `take` first. An incomplete last line is left out, and
   * removed before the next append. Refuses a journal that is damaged anywhere else.
   */
  static async open(
    path: string,
    { generation, take }: { readonly generation: number; readonly take: (event: EventOfWorld) => void },
  ): Promise<JournalFile> {
    const file = await open(path, "r+").catch((error: NodeJS.ErrnoException) => {
      throw unusableFile(path, error);
    });
    try {
      const journal = new JournalFile(path, { generation, file });
      await journal.#read(take);
      const { size } = await file.stat();
      if (journal.end.lines === 0) throw damagedFile(path, size === 0 ? "it is empty" : "line 1 is damaged");
      journal.isRagged = size > journal.end.bytes;
      return journal;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Stores events. When it resolves, they are on the disk. When it rejects, no event is stored. */
  async append(events: readonly EventOfWorld[]): Promise<void> {
    await this.cut();
    const { line, end } = nextLine(events.map(writtenEvent), this.end);
    try {
      await writeAt(this.#file, line, this.end.bytes);
      await this.#file.datasync();
    } catch (error) {
      this.isRagged = true;
      throw error;
    }
    this.end = end;
  }

  /** Reads the stored events again, and passes them to `take`. */
  async reread(take: (event: EventOfWorld) => void): Promise<void> {
    await this.#read(take, this.end.bytes);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
  }

  /** Removes the remains of a failed write. */
  async cut(): Promise<void> {
    if (!this.isRagged) return;
    await this.#file.truncate(this.end.bytes);
    await this.#file.datasync();
    this.isRagged = false;
  }

  async #read(take: (event: EventOfWorld) => void, bytesMax = Infinity): Promise<void> {
    for await (const { value, isSound, isWhole, end } of readLines(this.#file)) {
      if (end.bytes > bytesMax || !isWhole) return;
      if (!isSound) throw damagedFile(this.path, `line ${end.lines} is damaged, or is not the one after it`);
      try {
        if (end.lines === 1) this.#takeHead(value as ReturnType<typeof headOf>);
        else for (const event of readEvents(value)) take(event);
      } catch (error) {
        if (error instanceof FileMistakes) throw error;
        const reason = (error as Error).message;
        throw damagedFile(this.path, `line ${end.lines} does not continue those before it: ${reason}`);
      }
      this.end = end;
    }
  }

  #takeHead({ journal }: ReturnType<typeof headOf>): void {
    if (journal !== this.generation)
      throw new Error(`it begins journal ${journal}, and this is journal ${this.generation}`);
  }
}

/** Returns the first line of a journal: the number of the snapshot that it continues. */
function headOf(generation: number) {
  return { journal: generation };
}

/** The end position of the journal at the last clean stop. */
export interface CleanEnd extends Position {
  readonly generation: number;
}

/** Records a clean stop of the sandbox, with the end position of its journal. */
export async function writeCleanEnd(path: string, end: CleanEnd): Promise<void> {
  await replaceFile(path, (file) => file.writeFile(nextLine(end, BEGINNING).line));
}

/** Reads the end position of the journal at the last clean stop. Undefined after a crash. Refuses a damaged file. */
export async function readCleanEnd(path: string): Promise<CleanEnd | undefined> {
  let content: Buffer;
  try {
    content = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unusableFile(path, error as Error);
  }
  try {
    const end = JSON.parse(content.toString("utf8").replace(/^1 \w{8} /, "")) as CleanEnd;
    if (nextLine(end, BEGINNING).line.equals(content)) return end;
  } catch {
    // The content is not JSON.
  }
  throw damagedFile(path, "it is damaged");
}

/** Returns true if a journal was begun, but its snapshot was not completed. */
export async function isUnusedJournal(path: string, generation: number): Promise<boolean> {
  const content = await readFile(path);
  return content.length === 0 || nextLine(headOf(generation), BEGINNING).line.equals(content);
}

/** Reads the events of a line of the journal. */
function readEvents(line: unknown): EventOfWorld[] {
  if (!Array.isArray(line)) throw new Error("it is not a list of events");
  return (line as EventOfWorld[]).map(readEvent);
}
