/** What a user gave is wrong: a sentence with what was found and what is expected. Exit code 2, with a line of help. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** Files are wrong, or nothing could be done with them: a line for each mistake, with its place. Exit code 2. */
export class FileMistakes extends Error {
  override readonly name: string = "FileMistakes";
}

/** Something that was tried did not work: whole sentences without a stack. Exit code 1. */
export class CommandFailure extends Error {
  override readonly name: string = "CommandFailure";
}
