import { CommandFailure, FileMistakes, UsageError } from "../base/failures.ts";
import { ControlFailure } from "../server/control/client.js";

/** Returns true if the message of an error is sentences for a person. Any other error is a bug. */
export function isExplained(error: unknown): error is Error {
  return [UsageError, FileMistakes, CommandFailure, ControlFailure].some((kind) => error instanceof kind);
}
