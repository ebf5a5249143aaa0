import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { runCommandLine } from "../../src/cli/command-line.ts";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

export interface Finished {
  /** Null if a stream without a reader ended the process. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  /** The number of characters after which the readers of standard output and of standard error leave. */
  readonly readersLeaveAfter?: number;
}

/** The error output of a receiver check without its progress, which a check of more than ten seconds writes. */
export function withoutProgress(err: string): string {
  return err.replaceAll(/^\d+ of \d+ checks.*\n/gm, "");
}

/** What a command of this process writes and sets in place of the process's own. */
interface Run {
  env: NodeJS.ProcessEnv;
  readonly written: { stdout: string; stderr: string };
  readonly readersLeaveAfter: number;
  exitCode: typeof process.exitCode;
  /** True after `process.exit`: nothing of a process follows it. */
  hasExited: boolean;
  /** True if a stream had an error that nothing handles. A process ends with it. */
  hasCrashed: boolean;
}

const runs = new AsyncLocalStorage<Run>();
let open = 0;
let restore = (): void => undefined;

/**
 * Runs `sandbank` in this process and returns what it wrote and its exit code, with more variables where they are
 * given first. It saves the start of a process for each command, about half a second; `sandbankProcess` is for
 * tests of the process itself. Commands can run at the same time: what each of them reads and writes is its own.
 */
export async function sandbank(...given: readonly (string | Surroundings)[]): Promise<Finished> {
  return startSandbank(...given).ended;
}

/** Starts `sandbank` in this process; what it has written can be read while it runs. */
export function startSandbank(...given: readonly (string | Surroundings)[]) {
  const { args, env, readersLeaveAfter } = parted(given);
  const written = { stdout: "", stderr: "" };
  const run: Run = {
    env,
    written,
    readersLeaveAfter,
    exitCode: undefined,
    hasExited: false,
    hasCrashed: false,
  };
  if (open++ === 0) restore = divertCommands();
  const ended = runs
    .run(run, () => runCommandLine(args))
    .finally(() => {
      if (--open === 0) restore();
    })
    .then((): Finished => {
      const code = run.hasCrashed ? null : Number(run.exitCode ?? 0);
      return { code, out: written.stdout, err: written.stderr };
    });
  return { written, ended };
}

/** Gives each command that runs its own variables, output and exit code; everything else keeps those of the process. */
function divertCommands(): () => void {
  const undo: (() => void)[] = [];
  function divert<Of extends object, Name extends keyof Of & string>(
    target: Of,
    name: Name,
    descriptor: (before: Of[Name]) => PropertyDescriptor,
  ): void {
    const own = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { configurable: true, ...descriptor(target[name]) });
    undo.push(() => {
      if (own === undefined) delete target[name];
      else Object.defineProperty(target, name, own);
    });
  }
  for (const name of ["stdout", "stderr"] as const)
    divert(process[name], "write", (before) => ({
      writable: true,
      value: (...written: Parameters<typeof before>) => {
        const run = runs.getStore();
        if (run === undefined) return before.apply(process[name], written);
        if (run.hasExited) return true;
        run.written[name] += String(written[0]);
        if (run.written[name].length <= run.readersLeaveAfter) return true;
        run.written[name] = run.written[name].slice(0, run.readersLeaveAfter);
        run.hasCrashed ||= process[name].listenerCount("error") === 0;
        if (run.hasCrashed) return true;
        process.nextTick(() =>
          process[name].emit("error", Object.assign(new Error("EPIPE"), { code: "EPIPE" })),
        );
        return true;
      },
    }));
  // For --help and completions yargs prints to the console and ends the process.
  divert(console, "log", (before) => ({
    writable: true,
    value: (...printed: string[]) => {
      const run = runs.getStore();
      if (run === undefined) return before(...printed);
      run.written.stdout += `${printed[0]}\n`;
    },
  }));
  const own = process;
  globalThis.process = new Proxy(own, {
    get: (target, name) => {
      const run = runs.getStore();
      if (run === undefined) return Reflect.get(target, name) as unknown;
      if (name === "exit")
        return (code: number) => {
          if (!run.hasExited) run.exitCode = code;
          run.hasExited = true;
        };
      return Reflect.get(name === "env" || name === "exitCode" ? run : target, name) as unknown;
    },
    set: (target, name, value) => {
      const run = name === "env" || name === "exitCode" ? runs.getStore() : undefined;
      if (run?.hasExited === true) return true;
      return Reflect.set(run ?? target, name, value);
    },
  });
  undo.push(() => void (globalThis.process = own));
  return () => {
    for (const one of undo.toReversed()) one();
  };
}

/** Runs `sandbank` from the sources to its end in a process of its own. */
export async function sandbankProcess(...args: readonly string[]): Promise<Finished> {
  const child = spawn(process.execPath, ["src/cli/main.ts", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, out, err };
}

function parted(given: readonly (string | Surroundings)[]) {
  const args = given.filter((one) => typeof one === "string");
  const surroundings = given.filter((one) => typeof one !== "string");
  const env = Object.assign({}, process.env, ...surroundings.map((one) => one.env)) as NodeJS.ProcessEnv;
  const [readersLeaveAfter = Infinity] = surroundings.flatMap((one) => one.readersLeaveAfter ?? []);
  return { args, env, readersLeaveAfter };
}

/** Starts `sandbank serve` and waits for its line; ends it with SIGTERM. */
export async function serve(...given: readonly (string | Surroundings)[]) {
  const { args, env } = parted(given);
  const child = spawn(process.execPath, ["src/cli/main.ts", "serve", "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  child.stdout.setEncoding("utf8");
  // What is printed next may come in the same piece.
  let printed = "";
  while (!printed.includes("\n")) printed += ((await once(child.stdout, "data")) as [string])[0];
  child.stdout.resume();
  const line = printed.slice(0, printed.indexOf("\n") + 1);
  const url = /^sandbank listening on (http:\/\/\S+)\n$/.exec(line)?.[1] ?? "";
  async function stop(): Promise<number | null> {
    if (child.exitCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    return child.exitCode;
  }
  return {
    url,
    line,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
}
