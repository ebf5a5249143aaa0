import type { Adapter } from "lowdb";
import type { SavedWorlds } from "../worlds/saved-world.ts";
import type { PackedLine } from "./packing.ts";
import { damaged, DataMistake, notUsable } from "./data-mistake.ts";
import { dirname } from "node:path";
import { formatLine, readLines } from "./lines.ts";
import { open, rename, rm } from "node:fs/promises";
import { pack, Unpacking } from "./packing.ts";

/** How the file is laid out; a number this program does not know is refused. */
const FORMAT = 1;
const CHUNK_CHARACTERS = 1 << 20;

/** What a snapshot holds: the worlds, and the number of the journal that goes on from there. */
export interface Snapshot extends SavedWorlds {
  readonly generation: number;
}

export const NOTHING_SAVED: Snapshot = { generation: 0, made: 0, worlds: [] };

/**
 * Where lowdb keeps a snapshot: one JSON value with a checksum on each line. A new one is written beside the old,
 * brought to the disk, and put in its place in one step, so at every moment there is a whole one.
 */
export class SnapshotFile implements Adapter<Snapshot> {
  readonly #path: string;
  /** How large the snapshot is. */
  bytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<Snapshot | null> {
    const file = await open(this.#path, "r").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw notUsable(this.#path, error);
    });
    if (file === undefined) return null;
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw new DataMistake(`Failed to read ${this.#path}: it is no file. Name one.`);
      this.bytes = stat.size;
      return await this.#readLines(readLines(file));
    } finally {
      await file.close();
    }
  }

  async write({ generation, made, worlds }: Snapshot): Promise<void> {
    const beside = `${this.#path}.new`;
    const file = await open(beside, "w");
    try {
      let count = 0;
      let bytes = 0;
      let chunk = formatLine({ sandbank: { format: FORMAT }, generation, made });
      const flush = async (): Promise<void> => {
        await file.writeFile(chunk);
        bytes += Buffer.byteLength(chunk);
        chunk = "";
      };
      for (const line of pack({ made, worlds })) {
        chunk += formatLine(line);
        count++;
        if (chunk.length > CHUNK_CHARACTERS) await flush();
      }
      chunk += formatLine({ end: count });
      await flush();
      await file.sync();
      await file.close();
      await rename(beside, this.#path);
      await syncFolder(dirname(this.#path));
      this.bytes = bytes;
    } catch (error) {
      await file.close().catch(() => undefined);
      await rm(beside, { force: true });
      throw error;
    }
  }

  async #readLines(lines: ReturnType<typeof readLines>): Promise<Snapshot> {
    const unpacking = new Unpacking();
    let head: { readonly generation: number; readonly made: number } | undefined;
    let number = 0;
    let hasEnded = false;
    for await (const { value, isSound, isWhole } of lines) {
      number++;
      if (!isSound && number === 1)
        throw damaged(this.#path, "it is no data file of sandbank, or its first line is damaged");
      if (!isSound || !isWhole || hasEnded) throw damaged(this.#path, `line ${number} is damaged`);
      if (head === undefined) {
        head = this.#readHead(value);
      } else if (hasKey(value, "end")) {
        hasEnded = value.end === number - 2;
        if (!hasEnded) throw damaged(this.#path, "lines are missing");
      } else {
        this.#take(unpacking, value as PackedLine, number);
      }
    }
    if (head === undefined) throw damaged(this.#path, "it is empty");
    if (!hasEnded) throw damaged(this.#path, `it breaks off after line ${number}`);
    return { ...head, worlds: unpacking.worlds };
  }

  #readHead(value: unknown): { generation: number; made: number } {
    const { sandbank, generation, made } = value as {
      sandbank?: { format?: number };
      generation: number;
      made: number;
    };
    if (sandbank?.format === FORMAT) return { generation, made };
    throw new DataMistake(
      `Failed to read ${this.#path}: it is written in format ${sandbank?.format ?? "unknown"}, and this version reads format ${FORMAT}. Start the version that wrote it, or name another file.`,
    );
  }

  #take(unpacking: Unpacking, line: PackedLine, number: number): void {
    try {
      unpacking.take(line);
    } catch (error) {
      throw damaged(this.#path, `line ${number} does not follow: ${(error as Error).message}`);
    }
  }
}

/** Brings a folder's list of names to the disk, where the system can. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // Some systems open no folders; there a rename is as safe as it gets.
  }
}

function hasKey<K extends string>(value: unknown, key: K): value is Record<K, unknown> {
  return typeof value === "object" && value !== null && key in value;
}
