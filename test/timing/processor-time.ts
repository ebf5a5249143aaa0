import { afterAll } from "vitest";
import { readFileSync } from "node:fs";

declare module "vitest" {
  interface TaskMeta {
    /** The seconds of processor time of a test file and of its ended child processes. */
    processorSeconds?: number;
  }
}

/** Linux counts the time of processes in ticks, so many per second. */
const TICKS = 100;

const startSeconds = processorSeconds();

// oxlint-disable-next-line no-empty-pattern -- vitest reads the fixtures of a hook from its first parameter
afterAll(({}, suite) => {
  suite.file.meta.processorSeconds = processorSeconds() - startSeconds;
});

/** Returns the processor time of this worker so far. On Linux it includes the ended child processes. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childSeconds();
}

function childSeconds(): number {
  if (process.platform !== "linux") return 0;
  // The name of the program, which may have spaces, ends with a parenthesis.
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}
