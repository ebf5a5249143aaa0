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
