/** What is wrong with one field of a request, in the interface's words (interface: Errors). */
export interface Problem {
  /** The path of the field, dotted, array positions in brackets: `transactions[0].amount`. */
  readonly field: string;
  /** A stable word in capitals: `REQUIRED`, `INVALID`, `MUTUALLY_EXCLUSIVE`. */
  readonly issue: string;
  /** A sentence that says what was found and what would be right. */
  readonly description: string;
}

/**
 * The simulated service says no. Thrown inside a command, it undoes the whole command and comes out of the
 * simulation as a value; it is never a bug.
 */
export class Refusal<Code extends string = string> extends Error {
  readonly code: Code;
  readonly problems: readonly Problem[];

  constructor(code: Code, message: string, problems: readonly Problem[] = []) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.problems = problems;
  }
}
