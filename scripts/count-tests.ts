import { readFileSync } from "node:fs";

/** Prints what the last test run came to, what passed and failed alone on the last line. */
interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

const results = JSON.parse(
  readFileSync(new URL("../build/test-results.json", import.meta.url), "utf8"),
) as Results;
const { numPassedTests, numFailedTests, numPendingTests } = results;
if (numPendingTests > 0) process.stdout.write(`${numPendingTests} skipped\n`);
process.stdout.write(`${numPassedTests} passed, ${numFailedTests} failed\n`);
