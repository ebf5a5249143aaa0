import { dirname } from "node:path";

/** What was saved cannot be used: a sentence with the file, what was found and what to do. Nothing was written. */
export class DataMistake extends Error {
  override readonly name = "DataMistake";
}

/** The disk did not take a change. What was not saved is taken back, so nothing is half done. */
export class DiskFailure extends Error {
  override readonly name = "DiskFailure";
}

/** A file that the system does not let one read and write. */
export function notUsable(path: string, { code, message }: NodeJS.ErrnoException): DataMistake {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: `the folder ${dirname(path)} is not there. Make it, or name a file in another`,
    EACCES: "you may not read and write it. Give yourself the right to, or name another file",
    EPERM: "you may not read and write it. Give yourself the right to, or name another file",
    EROFS: "the disk can only be read. Name a file on another",
  };
  const reason = reasons[code ?? ""] ?? `${message}. Name a file that you may read and write`;
  return new DataMistake(`Failed to open ${path}: ${reason}.`);
}

export function damaged(path: string, found: string): DataMistake {
  return new DataMistake(
    `Failed to read ${path}: ${found}. The file was left as it is; put a good copy in its place, or move it and its journal away to start anew.`,
  );
}
