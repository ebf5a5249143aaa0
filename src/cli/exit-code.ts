import { EXIT_CODES } from "../reports/conclusion.ts";

/** Sets the exit code of the command by its verdict. */
export function endWith(verdict: keyof typeof EXIT_CODES): void {
  process.exitCode = EXIT_CODES[verdict];
}
