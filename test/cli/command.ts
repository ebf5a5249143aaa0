import { once } from "node:events";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
}

/** Runs `sandbank` from the sources to its end, with more variables where they are given first. */
export async function sandbank(...given: readonly (string | Surroundings)[]): Promise<Finished> {
  const { args, env } = parted(given);
  const child = spawn(process.execPath, ["src/cli/main.ts", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env,
  });
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
  const [line] = (await once(child.stdout, "data")) as [string];
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
