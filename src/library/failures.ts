/** The command or a flag is wrong: a sentence with what was found and what is expected. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Files are wrong: one line for each mistake, with its place. Exit code 2. */
export class FileMistakes extends Error {
  override readonly name = "FileMistakes";
}

/** Something outside made the command fail: a sentence without a stack. Exit code 1. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}
