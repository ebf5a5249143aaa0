import { commandLine } from "../../../src/server/control/shell.js";
import type { DoubtOptions } from "../../../src/checks/doubt/doubt.ts";

const SUITE = "test/checks/doubt/suite.ts";
/** The options of a doubt about the suite of these tests, with these plants. */
export function options(plants: readonly string[], given: Partial<DoubtOptions> = {}): DoubtOptions {
  return {
    command: commandLine([process.execPath, SUITE, ...plants]),
    sandbank: [process.execPath, "src/cli/main.ts"],
    timeMs: 600_000,
    timeoutMs: 60_000,
    seed: 1,
    jobs: 2,
    ...given,
  };
}

/** The command that runs one test of the suite alone. It is enough if the test only needs some traffic. */
export function oneTest(name: string, ...plants: readonly string[]): string {
  return commandLine([process.execPath, `--test-name-pattern=${name}`, SUITE, ...plants]);
}

export const REFUND = oneTest("an order is refunded");
export const CHARGE = (...plants: readonly string[]) => oneTest("a resent charge", ...plants);
