import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Folders of programs that are not in the PATH of every user. */
const SYSTEM_FOLDERS = ["/usr/sbin", "/usr/local/sbin", "/usr/bin"];

/** Returns the path of a program of this machine. Says so in one line if it is missing: its tests are then skipped. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...SYSTEM_FOLDERS];
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // The next folder may have it.
    }
  }
  process.stderr.write(`Skipped: the tests with ${name}, because this machine has no program ${name}.\n`);
  return undefined;
}
