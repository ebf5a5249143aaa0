import { once } from "node:events";
import { runCommandLine } from "../../src/cli/command-line.ts";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { vi } from "vitest";

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs `sandbank` in this process and returns what it wrote and its exit code, with more variables where they are
 * given first. It saves the start of a process for each command, about half a second; `sandbankProcess` is for
 * tests of the process itself. One command at a time.
 */
export async function sandbank(...given: readonly (string | Surroundings)[]): Promise<Finished> {
  const { args, env } = parted(given);
  const written = { stdout: "", stderr: "" };
  const spies = [
    ...(["stdout", "stderr"] as const).map((name) =>
      vi.spyOn(process[name], "write").mockImplementation((text) => {
        written[name] += String(text);
        return true;
      }),
    ),
    // For --help and completions yargs prints to the console and ends the process.
    vi.spyOn(console, "log").mockImplementation((text: string) => void (written.stdout += `${text}\n`)),
    vi.spyOn(process, "exit").mockImplementation(((code: number) => void (process.exitCode = code)) as never),
  ];
  const before = { env: process.env, exitCode: process.exitCode };
  process.env = env;
  process.exitCode = undefined;
  try {
    await runCommandLine(args);
    // It is set again by the command, which the compiler does not see.
    const code = process.exitCode as number | undefined;
    return { code: code ?? 0, out: written.stdout, err: written.stderr };
  } finally {
    Object.assign(process, before);
    for (const spy of spies) spy.mockRestore();
  }
}

/** Runs `sandbank` from the sources to its end in a process of its own. */
export async function sandbankProcess(...args: readonly string[]): Promise<Finished> {
  const child = spawn(process.execPath, ["src/cli/main.ts", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, out, err };
}

function parted(given: readonly (string | Surroundings)[]) {
  const args = given.filter((one) => typeof one === "string");
  const variables = given.map((one) => (typeof one === "string" ? {} : one.env));
  return { args, env: Object.assign({}, process.env, ...variables) as NodeJS.ProcessEnv };
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
