import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { CommandFailure } from "./usage-error.ts";

/** Writes the result of a command to a file, whose folder is created, or to standard output. */
export async function writeOutput(text: string, file?: string): Promise<void> {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    await makeFolder(resolve(dirname(file)));
    await writeFile(file, text);
  } catch (error) {
    throw new CommandFailure(`Failed to write ${file}: ${(error as Error).message}. Name another file.`);
  }
}

/** Shows on a terminal how much of a piece of work is done; `end` removes the line. Elsewhere it shows nothing. */
export function terminalProgress(
  what: string,
  terminal: { readonly isTTY?: boolean; write(text: string): unknown } = process.stderr,
): { readonly report: (part: number) => void; readonly end: () => void } {
  let shown = "";
  const show = (line: string): void => {
    if (terminal.isTTY !== true || line === shown) return;
    // Returns to the beginning of the line, and clears it.
    terminal.write(`\r\u001b[K${line}`);
    shown = line;
  };
  return { report: (part) => show(`${what}: ${Math.floor(part * 100)} %`), end: () => show("") };
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
