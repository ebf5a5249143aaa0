import type { Adapter } from "lowdb";
import type { SavedWorlds } from "../../simulator/worlds/saved-world.ts";
import { damagedFile, unusableFile } from "./storage.ts";
import { BEGINNING, nextLine, readLines, replaceFile } from "./chained-lines.ts";
import { open } from "node:fs/promises";
import { type PackedLine, packWorlds, Unpacking } from "./packed-worlds.ts";
import { FileMistakes } from "../../base/failures.ts";

/**
 * The format of the file, raised with each change of its content or of the content of its journal. Only unreleased
 * versions wrote earlier formats.
 */
export const FORMAT = 5;
const CHUNK_BYTES = 1 << 20;

/** The contents of a snapshot: the worlds, and the number of the journal that continues from there. */
export interface Snapshot extends SavedWorlds {
  readonly generation: number;
}

export const NOTHING_SAVED: Snapshot = { generation: 0, made: 0, worlds: [] };

/**
 * The lowdb adapter of a snapshot: one JSON value on each line, and the lines in one chain. A new snapshot is written
 * next to the old one, flushed, and renamed, so a complete snapshot exists at every moment.
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
      for (const line of packWorlds(worlds)) {
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
        throw damagedFile(this.#path, "it is not a data file of sandbank, or its first line is damaged");
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
    throw new FileMistakes(
      `Failed to read ${this.#path}: it has format ${format ?? "unknown"}, and this version reads format ${FORMAT}. Use the version that wrote it, or name another file.`,
    );
  }

  #take(unpacking: Unpacking, line: PackedLine, number: number): void {
    try {
      unpacking.take(line);
    } catch (error) {
      if (error instanceof FileMistakes) throw error;
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
