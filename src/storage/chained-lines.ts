import { crc32 } from "node:zlib";
import { dirname } from "node:path";
import type { BigIntStats } from "node:fs";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";

/** If a file of lines ends: how many they are, their bytes, and the checksum over all of them. */
export interface Position {
  readonly lines: number;
  readonly bytes: number;
  readonly checksum: number;
}

/** The position before the first line. */
export const BEGINNING: Position = { lines: 0, bytes: 0, checksum: 0 };

/**
 * A value as the line after `position`: its number, the CRC-32 over its JSON and that of every line before it, and the
 * JSON. So a line that is changed, missing, moved or repeated is found, of whatever kind it is.
 */
export function nextLine(
  value: unknown,
  position: Position,
): { readonly line: Buffer; readonly end: Position } {
  const json = Buffer.from(JSON.stringify(value));
  const end = endOf(json, position);
  return { line: Buffer.concat([Buffer.from(prefix(end)), json, Buffer.of(NEWLINE)]), end };
}

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1 << 20;

/** The position behind a line with this JSON. */
function endOf(json: Buffer, position: Position): Position {
  const lines = position.lines + 1;
  const checksum = crc32(json, position.checksum);
  const bytes = position.bytes + prefix({ lines, checksum }).length + json.length + 1;
  return { lines, bytes, checksum };
}

/** Returns the beginning of a line for the position behind it. */
function prefix({ lines, checksum }: Omit<Position, "bytes">): string {
  return `${lines} ${checksum.toString(16).padStart(8, "0")} `;
}

/** A line that was read. */
export interface Line {
  /** Its value, or undefined if it is not the line that was written there. */
  readonly value: unknown;
  readonly isSound: boolean;
  /** Whether it ends with a newline; only the last line of a file can lack it. */
  readonly isWhole: boolean;
  /** The position behind it. */
  readonly end: Position;
}

/** The lines of a file; at most a chunk and a line are in memory. Nothing after an invalid line can be read. */
export async function* readLines(file: FileHandle): AsyncGenerator<Line> {
  const { size } = await file.stat();
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size + 1));
  let rest: Buffer = Buffer.alloc(0);
  let position = BEGINNING;
  for (let offset = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
    if (bytesRead === 0) break;
    offset += bytesRead;
    const chunk = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let begin = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, begin)) {
      const line = { ...readLine(chunk.subarray(begin, at), position), isWhole: true };
      yield line;
      position = line.end;
      begin = at + 1;
    }
    rest = chunk.subarray(begin);
  }
  if (rest.length > 0) yield { ...readLine(rest, position), isWhole: false };
}

function readLine(bytes: Buffer, position: Position): Omit<Line, "isWhole"> {
  const { length } = prefix({ lines: position.lines + 1, checksum: 0 });
  const json = bytes.subarray(length);
  const end = endOf(json, position);
  if (bytes.toString("latin1", 0, length) !== prefix(end)) return { value: undefined, isSound: false, end };
  try {
    return { value: JSON.parse(json.toString("utf8")) as unknown, isSound: true, end };
  } catch {
    return { value: undefined, isSound: false, end };
  }
}

/** A file operation reported an error, and whether it took effect could not be found out. */
export class UnknownOutcome extends Error {}

/**
 * Writes a file as a whole: if the process ends before, the old file is still there. Throws an UnknownOutcome if it
 * cannot find out which of the two is there.
 */
export async function replaceFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, "w");
  try {
    await write(file);
    await file.sync();
    const written = await file.stat({ bigint: true });
    await file.close();
    await renameFile(temporary, path, written);
    await syncFolder(dirname(path));
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Renames a file. A file system may report an error although it did that, so the file at the new place is looked at. */
async function renameFile(from: string, to: string, { dev, ino }: BigIntStats): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    const { message } = error as Error;
    const found = await stat(to, { bigint: true }).catch((failure: NodeJS.ErrnoException) => {
      if (failure.code === "ENOENT") return undefined;
      throw new UnknownOutcome(`${message}. ${failure.message}`);
    });
    if (found?.ino !== ino || found.dev !== dev) throw error;
  }
}

/** Removes a file, and is done when that is on the disk. */
export async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
  } catch (error) {
    const isGone = await stat(path).then(
      () => false,
      ({ code }: NodeJS.ErrnoException) => code === "ENOENT",
    );
    if (!isGone) throw error;
  }
  await syncFolder(dirname(path));
}

/** Flushes the names in a folder to the disk, if the operating system allows it. */
async function syncFolder(folder: string): Promise<void> {
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
