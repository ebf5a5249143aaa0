/** What was saved cannot be used: a sentence with the file, what was found and what to do. Nothing was written. */
export class DataMistake extends Error {
  override readonly name = "DataMistake";
}

/** The disk did not take a change. What was not saved is taken back, so nothing is half done. */
export class DiskFailure extends Error {
  override readonly name = "DiskFailure";
}

export function damaged(path: string, found: string): DataMistake {
  return new DataMistake(
    `Failed to read ${path}: ${found}. The file was left as it is; put a good copy in its place, or move it and its journal away to start anew.`,
  );
}
