import type { PartnerProcess } from "./partner-system.ts";
import { clockEnvironment } from "../clock/clock-environment.ts";
import { NotTried } from "./baseline.ts";
import { ProcessGroup } from "../../process/process-group.ts";
import { exec } from "node:child_process";
import { promisify } from "node:util";
import { sendRequest } from "../scenarios/test-client.ts";
import { setTimeout as pause } from "node:timers/promises";

export const PARTNER_TIMEOUT_MS = 30_000;

/** How long it gets to end by itself in the end, and how often its URL is asked. */
const END_MS = 2_000;
const POLL_MS = 20;

interface PartnerCommandOptions {
  readonly command: string;
  /** Answers 2xx once the system can be asked. */
  readonly readyUrl: string;
  readonly timeoutMs: number;
  /** Whether its date and its timers follow the clock of the sandbox. */
  readonly isFollower: boolean;
}

export type PartnerCommand = Required<PartnerProcess>;

/** The partner's system as a command; nothing of it is left behind. */
export function partnerCommand(options: PartnerCommandOptions): PartnerCommand {
  const { command, readyUrl, timeoutMs, isFollower } = options;
  let env: NodeJS.ProcessEnv = process.env;
  let group: ProcessGroup | undefined;

  const fail = (found: string): never => {
    const lines = group?.lastLines.join("\n") ?? "";
    const shown = lines === "" ? " It wrote nothing." : ` Its last lines:\n${lines}`;
    throw new NotTried(`Failed to start your system with \`${command}\`: ${found}.${shown}`);
  };
  const end = async (waitMs?: number): Promise<void> => {
    const ended = group;
    group = undefined;
    await ended?.end(waitMs);
  };

  return {
    // It finds the sandbox in this variable.
    listening: (url) => {
      env = { ...process.env, SANDBANK_URL: url };
      if (isFollower) env = clockEnvironment({ url }, env);
    },
    start: async () => {
      const started = new ProcessGroup(command, env);
      group = started;
      const endMs = performance.now() + timeoutMs;
      let found = "no answer";
      while (performance.now() < endMs) {
        const { result } = started;
        if (result !== undefined)
          fail(`it ended with ${typeof result === "number" ? `exit code ${result}` : result}`);
        const { status, body } = await sendRequest({ method: "GET", url: readyUrl, timeoutMs: 1_000 });
        if (status !== null && status >= 200 && status < 300) return;
        found = status === null ? String(body) : String(status);
        await pause(POLL_MS);
      }
      started.kill();
      fail(
        `${readyUrl} did not answer with 2xx within ${timeoutMs} ms (${found}); --partner-timeout gives it more time`,
      );
    },
    kill: () => end(),
    end: () => end(END_MS),
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
