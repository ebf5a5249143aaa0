import type { EntryPlace } from "../checks/calibration/observers/traffic.ts";
import { type HarsEnd, type RawEntry, readHars } from "../traffic/read-har.ts";
import type { Wall } from "../base/wall.ts";
import { basename } from "node:path";
import { interruption } from "./interruption.ts";
import { statSync } from "node:fs";
import { statusLine } from "./output.ts";

/** The result of reading the files of a command. */
export interface RecordedFiles {
  /** The names of the files, as reports show them. */
  readonly names: readonly string[];
  /** Sentences about the files. */
  readonly notes: readonly string[];
  /** The reason why the rest was not read. Undefined if all files were read. */
  readonly stopped: string | undefined;
}

/** Reads the entries of HAR files, with progress, until the user interrupts the command. */
export async function readRecordedFiles(
  files: readonly string[],
  add: (place: EntryPlace, value: unknown) => void,
  { command, wall }: { readonly command: string; readonly wall: Wall },
): Promise<RecordedFiles> {
  const names = shownNames(files);
  using interrupted = interruption(command);
  const { signal } = interrupted;
  const show = statusLine(wall);
  const showPart = readingProgress(files, show);
  const take = ({ index, value, bytesRead }: RawEntry, file: number): void => {
    add({ file: names[file] ?? "", index }, value);
    showPart(bytesRead, file);
  };
  const ends = await readHars(files, take, signal).finally(() => show(""));
  const stopped = signal.aborted ? (signal.reason as Error).message : undefined;
  const notes = ends.flatMap(({ entries, isCut }, file) =>
    isCut ? `${names[file]} ends in the middle of an entry; its ${entries} complete entries are used.` : [],
  );
  notes.push(...doubledNote(ends));
  if (stopped !== undefined)
    notes.push(
      `The command was interrupted. ${ends.reduce((sum, { entries }) => sum + entries, 0)} entries were read before, and only these are used.`,
    );
  return { names, notes, stopped };
}

/** Says how many entries are left out because an earlier entry is equal. Empty if there are none. */
export function doubledNote(ends: readonly HarsEnd[]): string[] {
  const count = ends.reduce((sum, { doubled }) => sum + doubled, 0);
  if (count === 0) return [];
  return [
    `${count} ${count === 1 ? "entry is" : "entries are"} there twice, with the same time, request and answer. They count once.`,
  ];
}

/** Shows how much of the files is read. The size of a pipe is unknown, so it shows only the name then. */
export function readingProgress(
  files: readonly string[],
  show: (line: string) => void,
): (bytesRead: number, file: number) => void {
  const names = shownNames(files);
  const sizes = files.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  return (bytesRead, file) => {
    const before = sizes.slice(0, file).reduce((sum, size) => sum + size, 0);
    const percent = Math.floor((100 * (before + bytesRead)) / all);
    show(`Reading ${names[file]}${sizes.includes(0) ? "" : `: ${percent} % of all`}`);
  };
}

/** Returns the names of the files without their folders, if these names are different. */
function shownNames(files: readonly string[]): readonly string[] {
  const names = files.map((file) => basename(file));
  return new Set(names).size === files.length ? names : files;
}
