import { accessSync, constants, existsSync } from "node:fs";
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
  skipped(name, `this machine has no program ${name}`);
  return undefined;
}

/** Returns true if a package that only these tests use is installed. Says so in one line if it is not. */
export function hasPackage(name: string): boolean {
  if (existsSync(join("test/outside/node_modules", name))) return true;
  skipped(name, `test/outside has no package ${name}`);
  return false;
}

/** Writes the line that `.ci/run` repeats at its end. */
function skipped(name: string, why: string): void {
  process.stderr.write(`Skipped: the tests with ${name}, because ${why}.\n`);
}
