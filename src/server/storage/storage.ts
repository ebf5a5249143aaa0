import { dirname } from "node:path";
import { memory } from "../../base/memory.ts";
import { CommandFailure, FileMistakes } from "../../base/failures.ts";

/** A change that could not be stored. It is undone as a whole. */
export class StorageFailure extends CommandFailure {
  override readonly name = "StorageFailure";
}

/** Another server has taken over the world, or the world was dropped. The last changes are not stored. */
export class WorldLost extends Error {
  override readonly name = "WorldLost";
}

/** Returns the error for a file that the process may not read and write. */
export function unusableFile(path: string, { code, message }: NodeJS.ErrnoException): FileMistakes {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: `the folder ${dirname(path)} does not exist. Create it, or name a file in another folder`,
    EACCES: "it may not be read and written. Give yourself the permission, or name another file",
    EPERM: "it may not be read and written. Give yourself the permission, or name another file",
    EROFS: "the disk is read-only. Name a file on another disk",
  };
  const reason = reasons[code ?? ""] ?? `${message}. Name a file that can be read and written`;
  return new FileMistakes(`Failed to open ${path}: ${reason}.`);
}

/**
 * Throws if a loaded file or world leaves too little memory for the work. It is called between the loaded parts,
 * because a process without free memory ends without a message.
 */
export function requireMemory(what: string): void {
  if (!memory.isTooFullToLoad) return;
  const { name, raise } = memory.limit;
  throw new FileMistakes(
    `Failed to load ${what}: with its snapshots it takes more than the ${name}. To open it, ${raise}.`,
  );
}

/** Returns the error for a damaged file. */
export function damagedFile(path: string, found: string): FileMistakes {
  return new FileMistakes(
    `Failed to read ${path}: ${found}. The file was not changed. Replace it with a good copy, or move it and its journal away to start with an empty sandbox.`,
  );
}
