import { connectTo } from "../base/connect-to.ts";
import { runToEnd } from "./run-to-end.ts";
import type { Wall } from "../base/wall.ts";
import type { WayToRun } from "./partner-process.ts";

/** The commands for a system that another program runs, such as a container. */
export interface StartAndStop {
  readonly start: string;
  /** Kills the system: a system that ends its work first loses nothing. */
  readonly stop: string;
}

/** The time that a stopped system may still answer, and the pause between two looks at it. */
const GONE_MS = 2_000;
const LOOK_MS = 20;

interface OtherProcessOptions {
  readonly readyUrl: string;
  readonly timeoutMs: number;
  readonly wall: Wall;
  readonly isAnswering: () => Promise<boolean>;
}

/** Runs the system by the commands of another program, such as an engine of containers. */
export function otherProcess(
  { start, stop }: StartAndStop,
  { readyUrl, timeoutMs, wall, isAnswering }: OtherProcessOptions,
): WayToRun {
  /** True if the system ran before its first use. */
  let wasFound: boolean | undefined;
  let env: NodeJS.ProcessEnv = process.env;
  /** The reason why the system was not stopped. The next start names it. */
  let notStopped: string | undefined;
  let isStopped = false;
  let [starting, stopping]: (Promise<unknown> | undefined)[] = [];
  const killsMs: number[] = [];

  const run = (command: string): Promise<string | undefined> =>
    runToEnd(command, { env, wall, timeoutMs }).then((found) => found && `${found}\n${MEND}`);
  const stopIt = async (): Promise<string | undefined> => {
    const startedMs = wall.now();
    using death = deathOf(readyUrl);
    const stopped = run(stop);
    await Promise.race([death.seen, stopped]);
    killsMs.push(wall.now() - startedMs);
    const problem = await stopped;
    for (const endMs = wall.now() + GONE_MS; await isAnswering(); await wall.pause(LOOK_MS)) {
      // A command may fail because the system has ended before.
      if (problem !== undefined) return `it was not stopped by \`${stop}\`: ${problem}`;
      if (wall.now() >= endMs)
        return `${readyUrl} still answers after \`${stop}\`. Let --partner-stop kill your system, and let no other program start it again.`;
    }
    isStopped = true;
    return undefined;
  };
  /** Begins to stop the system. */
  const beginKill = (): void => {
    stopping ??= stopIt().then((problem) => (notStopped = problem));
  };
  const startIt = async (): Promise<string | undefined> => {
    const problem = await run(start);
    isStopped = problem !== undefined;
    return problem;
  };
  return {
    command: start,
    start: async (given) => {
      env = given.env;
      wasFound ??= given.isAnswering;
      if (notStopped !== undefined || given.isAnswering) return notStopped ?? true;
      const started = startIt();
      starting = started;
      return (await started) ?? false;
    },
    kill: async () => {
      beginKill();
      await stopping;
      stopping = undefined;
    },
    killMs: () => killsMs.toSorted((one, other) => one - other)[Math.floor(killsMs.length / 2)] ?? 0,
    beginKill,
    written: () => "",
    end: async () => {
      await starting;
      await stopping;
      if (wasFound === undefined || wasFound !== isStopped) return;
      const problem = wasFound ? await startIt() : await stopIt();
      if (problem === undefined) return;
      process.stderr.write(`Failed to leave your system as it was found: ${problem}\n`);
    },
  };
}

const MEND = "Let it end with exit code 0.";

const DEAD = Symbol("dead");

/** Watches a connection to the system. The connection ends with the process that accepted it. */
function deathOf(url: string): { readonly seen: Promise<typeof DEAD> } & Disposable {
  const { promise, resolve } = Promise.withResolvers<typeof DEAD>();
  let isConnected = false;
  const socket = connectTo(url);
  socket.once("connect", () => (isConnected = true));
  socket.once("error", () => undefined);
  socket.once("close", () => isConnected && resolve(DEAD));
  socket.resume();
  return { seen: promise, [Symbol.dispose]: () => socket.destroy() };
}
