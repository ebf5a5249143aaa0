import { visible } from "../../base/visible-text.ts";
import { CLOCK_VARIABLE } from "./clock-environment.ts";
import { followProgram, programName } from "./follow-clock.ts";
import { isStarter } from "./starters.ts";
import { isMainThread, threadId } from "node:worker_threads";

// Loaded by `--import` before the program of a partner (`sandbank with-clock`): its first line has the world's time.

const given = process.env[CLOCK_VARIABLE];
if (given !== undefined && !isStarter(process.argv[1] ?? "")) {
  const { name, ...options } = JSON.parse(given) as Parameters<typeof followProgram>[0];
  const program = name ?? programName();
  try {
    await followProgram({ ...options, name: isMainThread ? program : `${program} ${threadId}` });
  } catch (error) {
    process.stderr.write(`${visible((error as Error).message)}\n`);
    process.exit(1);
  }
}
