import type { PartnerProcess } from "../../partner/partner-process.ts";
import { clockEnvironment } from "../../partner/clock/clock-environment.ts";
import { NotTried } from "./not-tried.ts";
import { ProcessGroup } from "../../partner/process-group.ts";
import { sendRequest } from "../../partner/partner-request.ts";
import { systemWall, type Wall, within } from "../../base/wall.ts";

export const PARTNER_TIMEOUT_MS = 30_000;

/** The time that the command gets to end normally, and the pause between two requests to its URL. */
const END_MS = 800;
const POLL_MS = 20;
const READY_TIMEOUT_MS = 1_000;

interface PartnerCommandOptions {
  readonly command: string;
  /** The URL that answers 2xx when the system accepts requests. */
  readonly readyUrl: string;
  readonly timeoutMs: number;
  /** True if its date and its timers follow the clock of the sandbox. */
  readonly isFollower: boolean;
  readonly wall?: Wall;
  /** Ends a start that is under way. */
  readonly signal?: AbortSignal | undefined;
}

export interface PartnerCommand extends PartnerProcess {
  readonly listening: (sandboxUrl: string) => void;
  readonly end: () => Promise<void>;
}

/** Returns the last lines of a command, for the end of a sentence. */
function lastLinesOf(group: ProcessGroup | undefined): string {
  const lines = group?.lastLines.join("\n") ?? "";
  return lines === "" ? " It wrote nothing." : ` Its last lines:\n${lines}`;
}

/** Says how a command ended. Undefined while it runs. */
function endingOf(group: ProcessGroup | undefined): string | undefined {
  const result = group?.result;
  if (result === undefined) return undefined;
  return `it ended with ${typeof result === "number" ? `exit code ${result}` : result}.${lastLinesOf(group)}`;
}

/** Runs the partner's system as a command, and ends all its processes. */
export function partnerCommand(options: PartnerCommandOptions): PartnerCommand {
  const { command, readyUrl, timeoutMs, isFollower, wall = systemWall, signal } = options;
  let env: NodeJS.ProcessEnv = process.env;
  let group: ProcessGroup | undefined;
  let wasKilled = false;
  let isOver = false;

  const ending = (): string | undefined => endingOf(group);
  const fail = (found: string): never => {
    throw new NotTried(`Failed to start your system with \`${command}\`: ${found}`);
  };
  /** Refuses a start that is under way at the end: nothing would end that process. */
  const refuseAfterEnd = (): void => {
    if (isOver || signal?.aborted === true) fail("everything was ended before.");
  };
  /** Says why the URL does not answer 2xx. Undefined if it does. */
  const unready = async (): Promise<string | undefined> => {
    const asked = { method: "GET", url: readyUrl, timeoutMs: READY_TIMEOUT_MS, wall };
    const { status, body } = await sendRequest(asked);
    return status === null ? String(body) : status < 200 || status >= 300 ? String(status) : undefined;
  };
  const end = async (waitMs?: number): Promise<void> => {
    const ended = group;
    group = undefined;
    await ended?.end(waitMs);
  };

  return {
    // It finds the sandbox in this variable.
    listening: (url) => {
      isOver = false;
      env = { ...process.env, SANDBANK_URL: url };
      if (isFollower) env = clockEnvironment({ url }, env);
    },
    start: async () => {
      if ((await unready()) === undefined)
        fail(
          wasKilled
            ? `${readyUrl} still answers after the command was killed. Let all of your system run in the process group of the command, not in the background or in a container.`
            : `${readyUrl} answers before the start of your system. End the program that listens there, or choose another port.`,
        );
      refuseAfterEnd();
      const started = new ProcessGroup(command, { env, wall });
      group = started;
      const endMs = wall.now() + timeoutMs;
      let found: string | undefined = "no answer";
      while (wall.now() < endMs) {
        refuseAfterEnd();
        const ended = ending();
        if (ended !== undefined) fail(ended);
        found = await unready();
        if (found === undefined) return;
        await wall.pause(POLL_MS);
      }
      started.kill();
      fail(
        `${readyUrl} did not answer with 2xx within ${timeoutMs} ms (${found}). Give it more time with --partner-timeout.${lastLinesOf(group)}`,
      );
    },
    kill: async () => {
      await end();
      wasKilled = true;
    },
    ending,
    pids: () => group?.pids ?? [],
    end: async () => {
      isOver = true;
      await end(END_MS);
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
}): ((wall: Wall) => Promise<void>) | undefined {
  if (url !== undefined) {
    return async (wall) => {
      const { status, body } = await sendRequest({ method: "POST", url, timeoutMs: RESET_TIMEOUT_MS, wall });
      if (status !== null && status >= 200 && status < 300) return;
      const found = status === null ? `no answer came (${String(body)})` : `it was answered with ${status}`;
      throw new NotTried(
        `Failed to reset your system with POST ${url}: ${found}. Answer 2xx once it is empty.`,
      );
    };
  }
  if (command === undefined) return undefined;
  return async (wall) => {
    const group = new ProcessGroup(command, { env: process.env, wall });
    let result: ProcessGroup["result"];
    try {
      result = await within(() => group.ended, { ms: RESET_TIMEOUT_MS, late: undefined, wall });
    } finally {
      await group.end();
    }
    if (result === 0) return;
    const late = `it did not end within ${RESET_TIMEOUT_MS} ms.${lastLinesOf(group)}`;
    const found = result === undefined ? late : endingOf(group);
    throw new NotTried(
      `Failed to reset your system with \`${command}\`: ${found}\nLet it end with exit code 0.`,
    );
  };
}
