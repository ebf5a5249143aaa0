/** The command or a flag is wrong: a sentence that says what was found and what would be right. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Something outside kept the command from doing its work: a sentence, exit code 1, no stack. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly isForPeople = true;
}
