import { freePort } from "../test/free-port.ts";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { spawn } from "node:child_process";

/** A server in a separate process. */
export interface Server {
  readonly url: string;
  /** The time from the start of the process to its first answer. */
  readonly startMs: number;
  readonly residentMb: () => number;
  /** The processor time that it has used so far. */
  readonly processorMs: () => number;
  readonly stop: () => Promise<void>;
}

/** A program to start, and the path of its first request. */
export interface Program {
  readonly command?: string;
  readonly args: (port: number) => readonly string[];
  readonly firstPath: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const START_MAX_MS = 60_000;

/** Starts a program on a free port, and asks until it answers. Throws if it ends before that, or takes a minute. */
export async function startServer({ command, args, firstPath, headers }: Program): Promise<Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = spawn(command ?? process.execPath, args(port), { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-500)));
  const failed = once(child, "error").then(([error]) => error as Error);
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null) return;
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  };
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${said.trim()}`);
    if (performance.now() - began > START_MAX_MS) {
      await stop();
      throw new Error("it did not answer within a minute");
    }
    const answered = await Promise.race([
      fetch(url + firstPath, headers && { headers }).then(
        (answer) => answer.ok,
        () => false,
      ),
      failed,
    ]);
    if (answered instanceof Error) throw answered;
    if (answered) break;
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  const startMs = performance.now() - began;
  const pid = child.pid ?? 0;
  return { url, startMs, residentMb: () => residentMb(pid), processorMs: () => processorMs(pid), stop };
}

/** Returns the processor time of the current threads of a process on Linux, and NaN on other systems. */
export function processorMs(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => {
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ");
      return sum + Number(nanoseconds) / 1e6;
    }, 0);
  } catch {
    return Number.NaN;
  }
}

/** Returns the resident memory of a process and its children on Linux, and NaN on other systems. */
function residentMb(pid: number): number {
  try {
    const own = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean),
    );
    return Math.round(children.reduce((sum, child) => sum + residentMb(Number(child)), own));
  } catch {
    return Number.NaN;
  }
}
