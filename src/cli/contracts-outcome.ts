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
