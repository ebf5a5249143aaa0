import type { DatabaseSync } from "node:sqlite";
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { unusableFile } from "./storage.ts";
import { FileMistakes } from "../../base/failures.ts";

/** The longest wait for another process that is about to stop. */
const WAIT_MAX_MS = 250;

/** Result codes of SQLite. */
const BUSY = 5;
const NOT_A_DATABASE = 26;

/**
 * Restricts a data file to one process: an exclusive lock of SQLite on an empty file next to it. The operating system
 * releases the lock at the end of the process. The lock works across containers that share the folder. The file is
 * never removed, because a process could remove the lock of another process.
 */
export class FileLock {
  readonly #database: DatabaseSync;

  /** Takes the lock. Throws a FileMistakes if another process has it. */
  constructor(path: string) {
    const lockPath = `${path}.lock`;
    const { DatabaseSync: Database } = loadSqlite();
    try {
      this.#database = new Database(lockPath, { timeout: WAIT_MAX_MS });
    } catch (error) {
      throw unopened(path, lockPath, error as Error);
    }
    try {
      // Otherwise SQLite creates a second file next to it.
      this.#database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    } catch (error) {
      this.#database.close();
      const { errcode } = error as { errcode?: number };
      if (errcode === NOT_A_DATABASE) throw foreign(path, lockPath);
      if (errcode !== BUSY) throw unusableFile(lockPath, error as Error);
      throw new FileMistakes(
        `Failed to open ${path}: another process is using it. Stop that process first, or name another file.`,
      );
    }
  }

  release(): void {
    this.#database.close();
  }
}

/**
 * Returns the reason why SQLite cannot open the file. It does not open the file, because closing it would release the
 * lock.
 */
function unopened(path: string, lockPath: string, error: Error): FileMistakes {
  try {
    if (statSync(lockPath, { throwIfNoEntry: false })?.isFile() === false) return foreign(path, lockPath);
    accessSync(dirname(lockPath), constants.W_OK);
  } catch (reason) {
    return unusableFile(path, reason as Error);
  }
  return unusableFile(lockPath, error);
}

function foreign(path: string, lockPath: string): FileMistakes {
  return new FileMistakes(
    `Failed to open ${path}: ${lockPath} is not a lock of this version. Make sure that no earlier version of sandbank is using ${path}, then move ${lockPath} away.`,
  );
}

/** Loads SQLite without the warning of Node 22 that it is experimental. Only the lock of SQLite is used. */
function loadSqlite(): typeof import("node:sqlite") {
  const warn = Object.getOwnPropertyDescriptor(process, "emitWarning");
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    if (warn !== undefined) Object.defineProperty(process, "emitWarning", warn);
  }
}
