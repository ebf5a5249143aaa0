/** What a command that verifies something found, for the formats of CI servers. */
export interface TestReport {
  readonly name: string;
  readonly suites: readonly TestSuite[];
  /** Text about the whole run, such as its coverage. */
  readonly output?: string;
}

export interface TestSuite {
  readonly name: string;
  readonly file?: string;
  readonly cases: readonly TestCase[];
}

/** A case has passed unless it has a failure, an error or is skipped. */
export interface TestCase {
  readonly name: string;
  readonly className?: string;
  readonly file?: string;
  /** Counts from 1, as the column does. */
  readonly line?: number;
  readonly column?: number;
  readonly timeSeconds?: number;
  readonly failure?: TestProblem;
  /** Why it could not be decided. */
  readonly error?: TestProblem;
  readonly skipped?: { readonly message: string };
  /** Text about a case that passed, such as a warning. */
  readonly output?: string;
}

export interface TestProblem {
  /** What failed, in a line. */
  readonly message: string;
  readonly text: string;
  /** What kind of problem it is, such as `expectation`. */
  readonly type?: string;
}
