import type { PartnerProcess } from "./partner-system.ts";
import { clockEnvironment } from "../../library/clock-environment.ts";
import { NotTried } from "./baseline.ts";
import { type ChildProcess, exec, spawn } from "node:child_process";
import { promisify } from "node:util";
import { once } from "node:events";
import { sendRequest } from "../scenarios/test-client.ts";
import { setTimeout as pause } from "node:timers/promises";

export const PARTNER_TIMEOUT_MS = 30_000;

/** How many of the last lines that it wrote are shown where it fails. */
const LINES_SHOWN = 20;
const OUTPUT_MAX = 64_000;

/** How long it gets to end by itself in the end, and how often its URL is asked. */
const END_MS = 2_000;
const POLL_MS = 20;

/** How long the rest of a killed group may take to end; what nobody waits for stays there as a zombie. */
const GROUP_END_MS = 200;

interface PartnerCommandOptions {
  readonly command: string;
  /** Answers 2xx once the system can be asked. */
  readonly readyUrl: string;
  readonly timeoutMs: number;
  /** Whether its date and its timers follow the clock of the sandbox. */
  readonly isFollower: boolean;
}

export type PartnerCommand = Required<PartnerProcess>;

function isGroupAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

/** The partner's system as a command, in a process group of its own, so that nothing of it is left behind. */
export function partnerCommand(options: PartnerCommandOptions): PartnerCommand {
  const { command, readyUrl, timeoutMs, isFollower } = options;
  let env: NodeJS.ProcessEnv = process.env;
  let child: ChildProcess | undefined;
  let output = "";

  const fail = (found: string): never => {
    const lines = output.trimEnd().split("\n").slice(-LINES_SHOWN).join("\n");
    const shown = lines === "" ? " It wrote nothing." : ` Its last lines:\n${lines}`;
    throw new NotTried(`Failed to start your system with \`${command}\`: ${found}.${shown}`);
  };
  const hasEnded = (one: ChildProcess): boolean => one.exitCode !== null || one.signalCode !== null;
  /** Sends a signal to the whole group. */
  const signal = (name: NodeJS.Signals): void => {
    if (child?.pid === undefined) return;
    try {
      process.kill(-child.pid, name);
    } catch {
      // All of it has ended.
    }
  };
  const killNow = (): void => signal("SIGKILL");
  const endWith = (name: NodeJS.Signals): void => {
    killNow();
    process.kill(process.pid, name);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

  const watch = (): void => {
    process.once("exit", killNow);
    for (const name of signals) process.once(name, endWith);
  };
  const unwatch = (): void => {
    process.off("exit", killNow);
    for (const name of signals) process.off(name, endWith);
  };
  const kill = async (): Promise<void> => {
    const killed = child;
    killNow();
    unwatch();
    child = undefined;
    if (killed !== undefined && !hasEnded(killed)) await once(killed, "exit");
    // What the command itself started ends a moment later, and keeps its port until then.
    for (let waited = 0; isGroupAlive(killed?.pid) && waited < GROUP_END_MS; waited++) await pause(1);
  };

  return {
    // It finds the sandbox in this variable.
    listening: (url) => {
      env = { ...process.env, SANDBANK_URL: url };
      if (isFollower) env = clockEnvironment({ url }, env);
    },
    start: async () => {
      output = "";
      const started = spawn(command, {
        shell: true,
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
        env,
      });
      child = started;
      watch();
      for (const stream of [started.stdout, started.stderr])
        stream.on("data", (chunk: Buffer) => (output = (output + chunk.toString()).slice(-OUTPUT_MAX)));
      const endMs = performance.now() + timeoutMs;
      let found = "no answer";
      while (performance.now() < endMs) {
        if (hasEnded(started)) fail(`it ended with ${started.signalCode ?? `exit code ${started.exitCode}`}`);
        const { status, body } = await sendRequest({ method: "GET", url: readyUrl, timeoutMs: 1_000 });
        if (status !== null && status >= 200 && status < 300) return;
        found = status === null ? String(body) : String(status);
        await pause(POLL_MS);
      }
      killNow();
      fail(`${readyUrl} did not answer with 2xx within ${timeoutMs} ms (${found})`);
    },
    kill,
    end: async () => {
      const ended = child;
      signal("SIGTERM");
      if (ended !== undefined && !hasEnded(ended))
        await Promise.race([once(ended, "exit"), pause(END_MS, undefined, { ref: false })]);
      await kill();
    },
  };
}

const RESET_TIMEOUT_MS = 60_000;

/** Empties the partner's system before each run. */
export function resetOf({
  url,
  command,
}: {
  readonly url: string | undefined;
  readonly command: string | undefined;
}): (() => Promise<void>) | undefined {
  if (url !== undefined) {
    return async () => {
      const { status, body } = await sendRequest({ method: "POST", url, timeoutMs: RESET_TIMEOUT_MS });
      if (status !== null && status >= 200 && status < 300) return;
      const found = status === null ? `no answer came (${String(body)})` : `it was answered with ${status}`;
      throw new NotTried(
        `Failed to reset your system with POST ${url}: ${found}. Answer 2xx once it is empty.`,
      );
    };
  }
  if (command === undefined) return undefined;
  return async () => {
    try {
      await promisify(exec)(command, { timeout: RESET_TIMEOUT_MS });
    } catch (error) {
      const { stderr = "", message } = error as Error & { stderr?: string };
      const found = (stderr.trim() || message).split("\n")[0];
      throw new NotTried(
        `Failed to reset your system with \`${command}\`: ${found}. Let it end with exit code 0.`,
      );
    }
  };
}
