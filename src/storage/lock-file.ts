import { DataMistake, notUsable } from "./data-mistake.ts";
import { readFileSync, rmSync, writeFileSync } from "node:fs";

/** Keeps a data file to one process. */
export interface Lock {
  readonly release: () => void;
}

interface Holder {
  readonly pid: number;
  /** When the process started, in the system's own count; null where the system does not tell. */
  readonly started: string | null;
}

/** The locks this process holds: its own number says nothing about those. */
const held = new Set<string>();

/**
 * Takes the lock beside a data file. One whose holder is gone, killed for instance, is taken over: a process
 * number alone is not enough to tell, because in a container the next process has the same one.
 */
export function takeLock(path: string): Lock {
  const lockPath = `${path}.lock`;
  const self: Holder = { pid: process.pid, started: startOf(process.pid) };
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(lockPath, JSON.stringify(self), { flag: "wx" });
      held.add(lockPath);
      return { release: () => release(lockPath) };
    } catch (error) {
      const failure = error as NodeJS.ErrnoException;
      if (failure.code !== "EEXIST") throw notUsable(path, failure);
    }
    const holder = holderOf(lockPath);
    if (attempt > 0 || (holder !== undefined && isRunning(holder, lockPath))) {
      throw new DataMistake(
        `Failed to open ${path}: the process ${holder?.pid ?? "of another start"} is using it. Stop that one first, or name another file.`,
      );
    }
    rmSync(lockPath, { force: true });
  }
}

function holderOf(lockPath: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(lockPath, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}

function release(lockPath: string): void {
  held.delete(lockPath);
  rmSync(lockPath, { force: true });
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

/** The 22nd field of a process's state on Linux; the second, its name in brackets, may hold spaces. */
function startOf(pid: number): string | null {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, "utf8");
    return state.slice(state.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
