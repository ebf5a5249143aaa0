import { existsSync, statSync } from "node:fs";
import { appendFile, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { CommandFailure } from "../process/failures.ts";

/** Writes the result of a command to a file, whose folder is created, or to standard output. */
export async function writeOutput(text: string, file?: string, { isAdded = false } = {}): Promise<void> {
  if (file === undefined) process.stdout.write(text);
  else await writing(file, () => (isAdded ? appendFile : writeFile)(file, text));
}

/** Fails where `writeOutput` would: before a command works for minutes on what it cannot write. */
export async function requireWritable(file: string | undefined): Promise<void> {
  if (file === undefined) return;
  const isNew = !existsSync(file);
  // The reader of a pipe would take the end of the check for the end of the report.
  if (!isNew && statSync(file).isFIFO()) return;
  await writing(file, () => appendFile(file, ""));
  if (isNew) await rm(file);
}

async function writing(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await makeFolder(resolve(dirname(file)));
    await write();
  } catch (error) {
    throw new CommandFailure(`Failed to write ${file}: ${(error as Error).message}. Name another file.`);
  }
}

/** A line on a terminal that each call writes over, and that an empty text removes. Elsewhere it shows nothing. */
export function statusLine(
  terminal: { readonly isTTY?: boolean; write(text: string): unknown } = process.stderr,
): (text: string) => void {
  let shown = "";
  return function show(text) {
    // A line that wraps cannot be written over.
    const line = text.slice(0, 76);
    if (terminal.isTTY !== true || line === shown) return;
    // Returns to the beginning of the line, and clears it.
    terminal.write(`\r\u001b[K${line}`);
    shown = line;
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
