/** A wrong flag or value. The message names the found value and the expected one. Exit code 2, with a line of help. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** Wrong or unusable files. The message has a line with the place for each mistake. Exit code 2. */
export class FileMistakes extends Error {
  override readonly name: string = "FileMistakes";
}

/** A step of a command failed. The message is whole sentences without a stack. Exit code 1. */
export class CommandFailure extends Error {
  override readonly name: string = "CommandFailure";
}

/** A judgement cannot start. The message is the reason, in whole sentences. Exit code 2. */
export class NotTried extends Error {
  override readonly name = "NotTried";
}
