import { crc32 } from "node:zlib";
import { dirname } from "node:path";
import type { BigIntStats } from "node:fs";
import { nextPath } from "./side-files.ts";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";

/** The end of a file of lines: the number of lines, their bytes, and the checksum over all of them. */
export interface Position {
  readonly lines: number;
  readonly bytes: number;
  readonly checksum: number;
}

/** The position before the first line. */
export const BEGINNING: Position = { lines: 0, bytes: 0, checksum: 0 };

/**
 * Writes a value as the line after `position`: its number, a CRC-32 over its JSON and all JSON before it, and the JSON.
 * The checksum reveals a changed, missing, moved or repeated line.
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

/** Returns the position after a line with this JSON. */
function endOf(json: Buffer, position: Position): Position {
  const lines = position.lines + 1;
  const checksum = crc32(json, position.checksum);
  const bytes = position.bytes + prefix({ lines, checksum }).length + json.length + 1;
  return { lines, bytes, checksum };
}

/** Returns the beginning of a line for the position after it. */
function prefix({ lines, checksum }: Omit<Position, "bytes">): string {
  return `${lines} ${checksum.toString(16).padStart(8, "0")} `;
}

/** A line that was read. */
interface Line {
  /** Its value. Undefined if the line was damaged. */
  readonly value: unknown;
  readonly isSound: boolean;
  /** True if it ends with a newline. Only the last line of a file can be without it. */
  readonly isWhole: boolean;
  /** The position after the line. */
  readonly end: Position;
}

/** Reads the lines of a file, with at most a chunk and a line in memory. Lines after an invalid line cannot be read. */
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

/** Writes all bytes at a position. A file system may write a part of them before it reports an error. */
export async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const rest = bytes.length - written;
    written += (await file.write(bytes, written, rest, position + written)).bytesWritten;
  }
}

/** A file operation reported an error, and it is unknown if the operation took effect. */
export class UnknownOutcome extends Error {}

/**
 * Replaces a file as a whole. If the process ends earlier, the old file stays. Throws an UnknownOutcome if it is
 * unknown which of the two files is there.
 */
export async function replaceFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const temporary = nextPath(path);
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

/** Renames a file. A file system may report an error after a rename, so the file at the new place is checked. */
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

/** Removes a file. Resolves when the removal is on the disk. */
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
