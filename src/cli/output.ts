import { note } from "./standard-streams.ts";
import { existsSync, statSync } from "node:fs";
import { appendFile, mkdir, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { CommandFailure, FileMistakes } from "../base/failures.ts";
import { isContained } from "../base/container.ts";
import { visible } from "../base/visible-text.ts";
import type { Deadline, Wall } from "../base/wall.ts";
import { isEarlierReport } from "./earlier-report.ts";
import { keepUnderFreeName, readUserFile, replaceBytes, replaceUserFile } from "../base/user-file.ts";

/**
 * Writes the result of a command to a file, whose folder is created, or to standard output. Replaces an earlier report
 * of the same form. Other content of the file is kept under another name.
 */
export async function writeOutput(text: string, file?: string, { isAdded = false } = {}): Promise<void> {
  if (file === undefined) process.stdout.write(text);
  else if (isAdded || !isOrdinary(file)) await writing(file, () => appendFile(file, text));
  else await writing(file, () => replaceReport(file, text));
}

/**
 * Writes a file that other programs may write too. `merge` joins their content with the text. If it returns nothing,
 * their content is kept in another file.
 */
export async function writeMerged(
  text: string,
  file: string,
  merge: (found: string, text: string) => string | undefined,
): Promise<void> {
  if (!existsSync(file) || !isOrdinary(file)) return writeOutput(text, file);
  await writing(file, () => {
    const found = readUserFile(file);
    const merged = found.isText ? merge(found.text, text) : undefined;
    if (merged !== undefined) return replaceUserFile(found, merged);
    keepAside(file);
    replaceBytes(file, Buffer.from(text), found.bytes);
  });
}

/** Returns true for the path of a file that can be replaced. A pipe, a device or an open file cannot be. */
function isOrdinary(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return !/^\/(?:dev|proc)\//.test(resolve(file)) && (stats === undefined || stats.isFile());
}

function replaceReport(file: string, text: string): void {
  if (!existsSync(file)) return replaceBytes(file, Buffer.from(text), undefined);
  const { text: found, bytes } = readUserFile(file);
  if (found !== text && !isEarlierReport(found, text)) keepAside(file);
  replaceBytes(file, Buffer.from(text), bytes);
}

/** Gives the content of a file a second name, which is free, and prints it. */
export function keepAside(file: string): void {
  const name = keepUnderFreeName(file);
  note(`Kept the earlier content of ${file} as ${name}.\n`);
}

/** Fails if `writeOutput` would fail. This happens before a command works for minutes. */
export async function requireWritable(file: string | undefined): Promise<void> {
  if (file === undefined) return;
  const isNew = !existsSync(file);
  // The reader of a pipe would take the end of the check for the end of the report.
  if (!isNew && statSync(file).isFIFO()) return;
  await writing(file, () => appendFile(file, ""));
  if (isNew) await rm(file);
}

/** The failure of a file that cannot be written: exit code 2, because nothing was judged. */
export function unwritable(
  file: string,
  { code, message }: NodeJS.ErrnoException,
  advice = "Name another file.",
): FileMistakes {
  const isClosed = (code === "EACCES" || code === "EROFS") && isContained();
  const fix = isClosed
    ? 'In a container, mount a folder and write there: -v "$PWD:/work" -w /work --user "$(id -u)".'
    : advice;
  return new FileMistakes(`Failed to write ${file}: ${message}. ${fix}`);
}

async function writing(file: string, write: () => void | Promise<void>): Promise<void> {
  try {
    await makeFolder(resolve(dirname(file)));
    await write();
  } catch (error) {
    if (error instanceof CommandFailure || error instanceof FileMistakes) throw error;
    throw unwritable(file, error as NodeJS.ErrnoException);
  }
}

/** The interval between lines of progress without a terminal, such as in the log of a CI server. */
const LOG_EVERY_MS = 10_000;

interface StatusLineOptions {
  /** The time until the first text is shown on a terminal, for work that is mostly short. Default: at once. */
  readonly afterMs?: number;
  readonly terminal?: { readonly isTTY?: boolean; write(text: string): unknown };
}

/** Returns to the beginning of the line, and clears it. */
const CLEAR = "\r\u001b[K";

/**
 * Shows progress in a line on a terminal. Each call overwrites it, and an empty text removes it. Elsewhere the
 * newest text is written as a line every ten seconds.
 */
export function statusLine(
  wall: Pick<Wall, "deadline">,
  { afterMs = 0, terminal = process.stderr }: StatusLineOptions = {},
): (text: string) => void {
  const isTerminal = terminal.isTTY === true;
  let shown = "";
  let isWritten = false;
  let next: Deadline | undefined;
  const write = (): void => {
    terminal.write(isTerminal ? `${CLEAR}${shown}` : `${shown}\n`);
    isWritten = true;
    next = isTerminal ? undefined : wall.deadline(LOG_EVERY_MS, write);
  };
  const remove = (): void => {
    next?.[Symbol.dispose]();
    next = undefined;
    if (isTerminal && isWritten) terminal.write(CLEAR);
    isWritten = false;
  };
  return function show(text) {
    // A line that wraps cannot be written over.
    const line = visible(text).slice(0, 76);
    if (line === shown) return;
    shown = line;
    if (line === "") remove();
    else if (isTerminal && (isWritten || afterMs === 0)) write();
    else next ??= wall.deadline(isTerminal ? afterMs : LOG_EVERY_MS, write);
  };
}

/** Creates a folder with those above it. The recursive `mkdir` of Node never ends in a place such as /proc. */
export async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && dirname(folder) !== folder && !existsSync(dirname(folder))) {
      await makeFolder(dirname(folder));
      await mkdir(folder);
    } else if (!existsSync(folder)) throw error;
  }
}
