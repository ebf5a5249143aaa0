/** The problem of one field of a request, as the interface reports it (interface: Errors). */
export interface Problem {
  /** The path of the field, dotted, array positions in brackets: `transactions[0].amount`. */
  readonly field: string;
  /** A stable word in capitals: `REQUIRED`, `INVALID`, `MUTUALLY_EXCLUSIVE`. */
  readonly issue: string;
  /** A sentence with what was found and what is expected. */
  readonly description: string;
}

/**
 * The simulated service refuses. Thrown inside a command, it undoes the whole command, and the simulation returns it
 * as a value; it is never a bug.
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
