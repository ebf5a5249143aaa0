import { readFileSync } from "node:fs";

/** Prints the results of test runs, by their files: what failed, what was skipped, and on the last line the counts. */
interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    /** The reason why the file could not be loaded. */
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

const SKIPPED: ReadonlySet<string> = new Set(["skipped", "pending", "todo"]);

const root = new URL("..", import.meta.url).pathname;
const counts = { passed: 0, failed: 0, skipped: 0 };
for (const file of process.argv.slice(2)) add(JSON.parse(readFileSync(file, "utf8")) as Results);
if (counts.skipped > 0) process.stdout.write(`${counts.skipped} skipped\n`);
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);

/** Adds the counts of a run, and prints what failed in it. */
function add({ testResults, numPassedTests, numFailedTests, numPendingTests }: Results): void {
  for (const { name, status, message = "", assertionResults } of testResults) {
    const failed = assertionResults.filter((test) => test.status === "failed");
    const skipped = assertionResults.filter((test) => SKIPPED.has(test.status));
    if (skipped.length > 0)
      process.stdout.write(
        `skipped: ${name.replace(root, "")}: ${skipped.length} of ${assertionResults.length} tests\n`,
      );
    for (const { fullName, failureMessages = [] } of failed)
      process.stdout.write(
        `failed: ${name.replace(root, "")}: ${fullName}\n${indented(failureMessages.join("\n"))}`,
      );
    // A file that could not be loaded has no tests that could fail.
    if (status === "failed" && failed.length === 0) {
      counts.failed++;
      process.stdout.write(`failed: ${name.replace(root, "")}\n${indented(message)}`);
    }
  }
  counts.passed += numPassedTests;
  counts.failed += numFailedTests;
  counts.skipped += numPendingTests;
}

/** Returns the lines of a text, each with its newline, below the line that names the test. */
function indented(text: string): string {
  return text.trim() === "" ? "" : text.trim().replaceAll(/^/gm, "    ") + "\n";
}
