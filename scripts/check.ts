import { availableParallelism } from "node:os";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/**
 * Runs every check, as many at a time as there are processors: some of them use one alone. The output of each follows
 * when it has ended. What takes longest begins first.
 */
const CHECKS = ["format", "types", "lint", "dead-code", "generated", "openapi"];

const waiting = [...CHECKS];
const failed: string[] = [];

async function work(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const child = spawn("npm", ["run", "--silent", `check:${check}`], { stdio: ["ignore", "pipe", "pipe"] });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    process.stdout.write(`check:${check} ${child.exitCode === 0 ? "passed" : "failed"}\n${out}${err}`);
    if (child.exitCode !== 0) failed.push(check);
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, work));
if (failed.length > 0)
  process.stderr.write(`Failed: ${failed.map((check) => `check:${check}`).join(", ")}.\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
