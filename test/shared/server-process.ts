import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { spawn } from "node:child_process";

/** A `sandbank serve` in a process of its own, as one server of several. */
export interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** What it wrote to its log so far. */
  log(): string;
  /** Sends a signal and waits for the end; returns the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

interface Started {
  readonly data: string;
  readonly flags?: readonly string[];
}

/** Starts a server and waits until it listens. Ends it with the test through `onEnd`. */
export async function startServer(
  { data, flags = [] }: Started,
  onEnd: (end: () => void) => void,
): Promise<ServerProcess> {
  const { child, log } = launch({ data, flags }, onEnd);
  const exit = once(child, "exit").then(() => {
    throw new Error(`the server ended: ${log()}`);
  });
  const [line] = (await Promise.race([once(child.stdout!, "data"), exit])) as [string];
  exit.catch(() => undefined);
  return {
    url: line.trim().split(" ").at(-1) ?? "",
    child,
    log,
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
  };
}

/** Starts a server without waiting for it. */
export function launch(
  { data, flags = [] }: Started,
  onEnd: (end: () => void) => void,
): { readonly child: ChildProcess; readonly log: () => string } {
  const child = spawn(
    process.execPath,
    ["src/cli/main.ts", "serve", "--port", "0", "--frozen", "--start", "2026-11-20T09:00:00-03:00", ...flags],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, SANDBANK_DATA: data } },
  );
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  child.stdout.setEncoding("utf8");
  onEnd(() => {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
  });
  return { child, log: () => log };
}

/** How a partner asks a server. */
export async function ask(
  url: string,
  method: string,
  path: string,
  {
    body,
    token = "acme-token",
    headers = {},
  }: { body?: object; token?: string | null; headers?: Record<string, string> } = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly body: Record<string, unknown> }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text.startsWith("{") ? JSON.parse(text) : { text }) as Record<string, unknown>,
  };
}
