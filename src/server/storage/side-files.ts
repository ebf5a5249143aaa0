import { FileMistakes } from "../../base/failures.ts";

/** The names of the files next to a data file. Another sandbox must not have its data file under such a name. */
const SIDE_FILE = /\.(lock|\d+\.journal|sandbank-\w+)$/;

/** Returns the file with the end position of the last journal. It exists only while no process uses the data file. */
export function endPath(path: string): string {
  return `${path}.sandbank-end`;
}

/** Returns the trial file, which exists only for a moment to find out if the disk has room. */
export function trialPath(path: string): string {
  return `${path}.sandbank-trial`;
}

/** Returns the file with the next content of a file, before it is renamed. */
export function nextPath(path: string): string {
  return `${path}.sandbank-new`;
}

/** Returns the path of the journal after the snapshot of a generation. */
export function journalPath(path: string, generation: number): string {
  return `${path}.${generation}.journal`;
}

/** Throws a FileMistakes if a data file would have the name of a file that belongs to another data file. */
export function requireOwnName(path: string): void {
  const ending = SIDE_FILE.exec(path)?.[0];
  if (ending === undefined) return;
  throw new FileMistakes(
    `Failed to open ${path}: a name with the ending ${ending} is for a file that belongs to another data file. Choose another name.`,
  );
}
