import type { PartnerProcess, WayToRun } from "./partner-process.ts";
import { clockEnvironment } from "./clock/clock-environment.ts";
import { NotTried } from "../base/failures.ts";
import { defined } from "../simulator/engine/json.ts";
import { lastLinesWords, resultWords } from "./run-to-end.ts";
import { otherProcess, type StartAndStop } from "./other-process.ts";
import { ProcessGroup } from "./process-group.ts";
import { sendRequest } from "./partner-request.ts";
import { systemWall, type Wall, within } from "../base/wall.ts";

export const PARTNER_TIMEOUT_MS = 30_000;

/** The time that the command gets to end normally, and the pause between two requests to its URL. */
const END_MS = 800;
const POLL_MS = 20;
const READY_TIMEOUT_MS = 1_000;

interface PartnerCommandOptions {
  /** The command that is the system, or the two commands that start and stop a system of another program. */
  readonly command: string | StartAndStop;
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

/** Says how a command ended. Undefined while it runs. */
function endingOf(group: ProcessGroup | undefined): string | undefined {
  const result = group?.result;
  if (group === undefined || result === undefined) return undefined;
  return `it ended with ${resultWords(result)}.${lastLinesWords(group.lastLines)}`;
}

/** Runs the system as a command in its own process group. */
function ownProcess(command: string, { readyUrl, wall }: { readyUrl: string; wall: Wall }): WayToRun {
  let group: ProcessGroup | undefined;
  let wasKilled = false;
  const end = async (waitMs?: number): Promise<void> => {
    const ended = group;
    group = undefined;
    await ended?.end(waitMs);
  };
  return {
    command,
    start: async ({ env, isAnswering }) => {
      if (isAnswering)
        return wasKilled
          ? `${readyUrl} still answers after the command was killed. Let all of your system run in the process group of the command, not in the background. Name a system in a container with --partner-start and --partner-stop.`
          : `${readyUrl} answers before the start of your system. End the program that listens there, or choose another port.`;
      group = new ProcessGroup(command, { env, wall });
      return false;
    },
    kill: async () => {
      await end();
      wasKilled = true;
    },
    ending: () => endingOf(group),
    pids: () => group?.pids ?? [],
    written: () => lastLinesWords(group?.lastLines ?? []),
    end: () => end(END_MS),
  };
}

/** Starts the partner's system by a command, kills it, and ends its use. */
export function partnerCommand(options: PartnerCommandOptions): PartnerCommand {
  const { command, readyUrl, timeoutMs, isFollower, wall = systemWall, signal } = options;
  let env: NodeJS.ProcessEnv = process.env;
  let isOver = false;

  /** Says why the URL does not answer 2xx. Undefined if it does. */
  const unready = async (): Promise<string | undefined> => {
    const asked = { method: "GET", url: readyUrl, timeoutMs: READY_TIMEOUT_MS, wall };
    const { status, body } = await sendRequest(asked);
    return status === null ? String(body) : status < 200 || status >= 300 ? String(status) : undefined;
  };
  const isAnswering = async (): Promise<boolean> => (await unready()) === undefined;
  const way =
    typeof command === "string"
      ? ownProcess(command, { readyUrl, wall })
      : otherProcess(command, { readyUrl, timeoutMs, wall, isAnswering });

  const fail = (found: string): never => {
    throw new NotTried(`Failed to start your system with \`${way.command}\`: ${found}`);
  };
  /** Refuses a start that is under way at the end: nothing would end that process. */
  const refuseAfterEnd = (): void => {
    if (isOver || signal?.aborted === true) fail("everything was ended before.");
  };
  const { killMs, beginKill, ending, pids } = way;

  return {
    ...defined({ killMs, beginKill, ending, pids }),
    // It finds the sandbox in this variable.
    listening: (url) => {
      isOver = false;
      env = { ...process.env, SANDBANK_URL: url };
      if (isFollower) env = clockEnvironment({ url }, env);
    },
    start: async () => {
      const before = await isAnswering();
      refuseAfterEnd();
      const started = await way.start({ env, isAnswering: before });
      if (typeof started === "string") fail(started);
      if (started === true) return;
      const endMs = wall.now() + timeoutMs;
      let found: string | undefined = "no answer";
      while (wall.now() < endMs) {
        refuseAfterEnd();
        const ended = ending?.();
        if (ended !== undefined) fail(ended);
        found = await unready();
        if (found === undefined) return;
        await wall.pause(POLL_MS);
      }
      const written = way.written();
      await way.kill();
      fail(
        `${readyUrl} did not answer with 2xx within ${timeoutMs} ms (${found}). Give it more time with --partner-timeout.${written}`,
      );
    },
    kill: way.kill,
    end: async () => {
      isOver = true;
      await way.end();
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
    const late = `it did not end within ${RESET_TIMEOUT_MS} ms.${lastLinesWords(group.lastLines)}`;
    const found = result === undefined ? late : endingOf(group);
    throw new NotTried(
      `Failed to reset your system with \`${command}\`: ${found}\nLet it end with exit code 0.`,
    );
  };
}
