import { readFileSync } from "node:fs";

/** Prints the result of the last test run: what failed, what was skipped, and on the last line the counts. */
interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

const results = JSON.parse(
  readFileSync(new URL("../build/test-results.json", import.meta.url), "utf8"),
) as Results;
const root = new URL("..", import.meta.url).pathname;
let failedFiles = 0;
for (const { name, status, assertionResults } of results.testResults) {
  const failed = assertionResults.filter((test) => test.status === "failed");
  for (const { fullName } of failed) process.stdout.write(`failed: ${name.replace(root, "")}: ${fullName}\n`);
  // A file that could not be loaded has no tests that could fail.
  if (status === "failed" && failed.length === 0) {
    failedFiles++;
    process.stdout.write(`failed: ${name.replace(root, "")}\n`);
  }
}
const { numPassedTests, numFailedTests, numPendingTests } = results;
if (numPendingTests > 0) process.stdout.write(`${numPendingTests} skipped\n`);
process.stdout.write(`${numPassedTests} passed, ${numFailedTests + failedFiles} failed\n`);
