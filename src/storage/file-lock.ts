import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { StorageMistake, unusableFile } from "./storage.ts";

interface Holder {
  readonly pid: number;
  /** When the process started, in the system's own count; null where the system does not report it. */
  readonly started: string | null;
}

/** The locks of this process, for which its process number proves nothing. */
const held = new Set<string>();

/**
 * Restricts a data file to one process. The lock of a process that no longer runs is taken over. A process number
 * alone does not identify one: in a container the next process has the same number.
 */
export class FileLock {
  readonly #lockPath: string;

  /** Takes the lock. Throws a StorageMistake where another process has it. */
  constructor(path: string) {
    this.#lockPath = `${path}.lock`;
    const self: Holder = { pid: process.pid, started: startOf(process.pid) };
    for (let attempt = 0; ; attempt++) {
      try {
        writeFileSync(this.#lockPath, JSON.stringify(self), { flag: "wx" });
        held.add(this.#lockPath);
        return;
      } catch (error) {
        const failure = error as NodeJS.ErrnoException;
        if (failure.code !== "EEXIST") throw unusableFile(path, failure);
      }
      const holder = holderOf(this.#lockPath);
      if (attempt > 0 || (holder !== undefined && isRunning(holder, this.#lockPath))) {
        throw new StorageMistake(
          `Failed to open ${path}: the process ${holder?.pid ?? "of another start"} is using it. Stop that process first, or name another file.`,
        );
      }
      rmSync(this.#lockPath, { force: true });
    }
  }

  release(): void {
    held.delete(this.#lockPath);
    rmSync(this.#lockPath, { force: true });
  }
}

function holderOf(lockPath: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(lockPath, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}

function isRunning({ pid, started }: Holder, lockPath: string): boolean {
  if (pid === process.pid) return held.has(lockPath);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return startOf(pid) === started;
}

/** The 22nd field of a process's state on Linux; the second, its name in brackets, may contain spaces. */
function startOf(pid: number): string | null {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, "utf8");
    return state.slice(state.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
