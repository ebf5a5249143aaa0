/** The problem of one field of a request, as the platform API reports it (interface: Errors). */
export interface Problem {
  /** The path of the field, dotted, array positions in brackets: `transactions[0].amount`. */
  readonly field: string;
  /** A stable word in capitals: `REQUIRED`, `INVALID`, `MUTUALLY_EXCLUSIVE`. */
  readonly issue: string;
  /** A sentence with the found value and the expected value. */
  readonly description: string;
}

/** The number of stack frames that an error captures, if the JavaScript engine limits them. */
const errors = Error as { stackTraceLimit?: number | undefined };

/** The simulated service refuses: it undoes the whole command, and the simulation returns it as a value. */
export class Refusal<Code extends string = string> extends Error {
  readonly code: Code;
  readonly problems: readonly Problem[];
  /** Further help for the caller. The platform would not send it, so it is in a header and not in the body. */
  readonly hint: string | undefined;

  constructor(code: Code, message: string, problems: readonly Problem[] = [], hint?: string) {
    // A refusal is not a bug, so its stack is of no use. Capturing a stack takes a tenth of the time of a refused
    // request.
    const { stackTraceLimit } = errors;
    errors.stackTraceLimit = 0;
    super(message);
    errors.stackTraceLimit = stackTraceLimit;
    this.name = "Refusal";
    this.code = code;
    this.problems = problems;
    this.hint = hint;
  }
}
