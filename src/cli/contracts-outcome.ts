import { FileMistakes } from "../library/failures.ts";
import { writeOutput } from "./output.ts";

/** The exit codes of every command that verifies something, for its help. */
export const EXIT_CODES = "exit codes: 0 passed, 1 failed, 2 not run";

interface Report {
  readonly text: string;
  readonly out: string | undefined;
  readonly hasPassed: boolean;
}

/** Writes the report of a verification and sets the exit code: 0 passed, 1 failed. */
export async function finish({ text, out, hasPassed }: Report): Promise<void> {
  await writeOutput(text, out);
  if (!hasPassed) process.exitCode = 1;
}

/** By name: the help of a command must not load the verifier. */
const NOT_RUN: ReadonlySet<string> = new Set(["PactFileMistakes", "StateFileMistakes", "VerifierFailure"]);

/** Turns an error that means that nothing was verified into exit code 2, with its sentence alone. */
export async function notRun<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Error && NOT_RUN.has(error.name) ? new FileMistakes(error.message) : error;
  }
}
