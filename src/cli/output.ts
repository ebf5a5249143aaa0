import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { CommandFailure } from "./usage-error.ts";

/** Writes the result of a command to a file, whose folder is created, or to standard output. */
export async function writeOutput(text: string, file?: string): Promise<void> {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (error) {
    throw new CommandFailure(`Failed to write ${file}: ${(error as Error).message}. Name another file.`);
  }
}
