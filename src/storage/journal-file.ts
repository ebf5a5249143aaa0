import type { FileHandle } from "node:fs/promises";
import type { WorldEvent } from "../worlds/saved-world.ts";
import { damaged, notUsable } from "./data-mistake.ts";
import { dirname } from "node:path";
import { formatLine, readLines } from "./lines.ts";
import { open, rm } from "node:fs/promises";
import { readEvents, writtenEvents } from "./event-lines.ts";
import { syncFolder } from "./snapshot-file.ts";

/**
 * The journal of one generation: what happened since the snapshot with its number. Each line is what one write
 * brought to the disk, so a write that was cut off can only be the last line, and nobody was told of it.
 */
export class JournalFile {
  readonly path: string;
  /** The number of the snapshot it goes on from. */
  readonly generation: number;
  readonly #file: FileHandle;
  #bytes = 0;
  /** Something may stand behind the last sound line: a write failed there. */
  #isRagged = false;

  private constructor(path: string, generation: number, file: FileHandle) {
    this.path = path;
    this.generation = generation;
    this.#file = file;
  }

  /** Begins an empty journal. */
  static async create(path: string, generation: number): Promise<JournalFile> {
    const file = await open(path, "w+");
    await syncFolder(dirname(path));
    return new JournalFile(path, generation, file);
  }

  /**
   * Opens a journal to go on with, and gives its events to `take` first. The remains of a write that was cut off
   * are left out, and cut off before the next append. Refuses a journal that is damaged anywhere else.
   */
  static async open(
    path: string,
    { generation, take }: { readonly generation: number; readonly take: (event: WorldEvent) => void },
  ): Promise<JournalFile> {
    const file = await open(path, "r+").catch((error: NodeJS.ErrnoException) => {
      throw notUsable(path, error);
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

  /** How much of the file is sound. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a write was cut off at its end. */
  get isRagged(): boolean {
    return this.#isRagged;
  }

  /** Brings events to the disk: when it resolves, they are there. When it rejects, none of them counts. */
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

  /** Gives the events that count, once more. */
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

  /** Cuts off what a failed write left behind. */
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
      if (!isSound) throw damaged(this.path, `line ${number} is damaged`);
      try {
        for (const event of readEvents(value)) take(event);
      } catch (error) {
        throw damaged(
          this.path,
          `line ${number} does not follow on the one before it: ${(error as Error).message}`,
        );
      }
      this.#bytes = end;
    }
  }
}
