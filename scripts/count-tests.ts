import { readFileSync } from "node:fs";

/** Prints what the last test run came to, alone on a line. */
interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

const results = JSON.parse(
  readFileSync(new URL("../build/test-results.json", import.meta.url), "utf8"),
) as Results;
const { numPassedTests, numFailedTests, numPendingTests } = results;
const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : "";
process.stdout.write(`${numPassedTests} passed, ${numFailedTests} failed${skipped}\n`);
