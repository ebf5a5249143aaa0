import { once } from "node:events";
import { readFileSync } from "node:fs";
import { spawn } from "node:child_process";

/** A server in a process of its own, which says in its first line where it listens. */
export interface Server {
  readonly url: string;
  /** From the start of the process to its first line. */
  readonly startMs: number;
  readonly residentMb: () => number;
  readonly stop: () => Promise<void>;
}

export async function startServer(args: readonly string[]): Promise<Server> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const startMs = performance.now() - began;
  return {
    url: line.toString().trim().split(" ").at(-1) ?? "",
    startMs,
    residentMb: () => residentMb(child.pid ?? 0),
    stop: async () => {
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    },
  };
}

/** Resident memory as Linux tells it; elsewhere not a number. */
function residentMb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
  } catch {
    return Number.NaN;
  }
}
