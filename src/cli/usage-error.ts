/** The command or a flag is wrong: a sentence that says what was found and what would be right. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Files that were named are wrong: a line for each mistake, with its place. Exit code 2. */
export class FileMistakes extends Error {
  override readonly name = "FileMistakes";
}

/** Something outside kept the command from doing its work: a sentence, exit code 1, no stack. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}
