import { readFile } from "node:fs/promises";
import { FileMistakes } from "../../base/failures.ts";

/** The mounts of this process on Linux. */
const MOUNTS = "/proc/self/mountinfo";

/** The place of a mount in a line: the fifth field. */
const PLACE = /^(?:\S+ ){4}(\S+)/;

/**
 * Throws a FileMistakes if a data file is a mount itself, as with `docker run -v ./data.json:/data/data.json`. Its journal
 * would be outside of the mount, and the file could not be replaced.
 */
export async function requireFolderMount(path: string, mounts = MOUNTS): Promise<void> {
  const lines = (await readFile(mounts, "utf8").catch(() => "")).split("\n");
  const places = lines.map((line) => decoded(PLACE.exec(line)?.[1] ?? ""));
  if (!places.includes(path)) return;
  throw new FileMistakes(
    `Failed to open ${path}: it is mounted alone, and the files next to it are not. Mount its folder.`,
  );
}

/** Decodes a place. Its spaces are written as `\040`. */
function decoded(place: string): string {
  return place.replaceAll(/\\([0-7]{3})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 8)),
  );
}
