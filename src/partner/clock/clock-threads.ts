import {
  BroadcastChannel,
  getEnvironmentData,
  setEnvironmentData,
  type Worker,
  threadId,
} from "node:worker_threads";
import type { OpenRequests } from "./open-requests.ts";
import { subscribe } from "node:diagnostics_channel";
import { real } from "./fake-clock.ts";

/** The channel for the threads of one process that follow a clock. Each thread reports its start there. */
const CHANNEL = "sandbank.clock";

/** The time for a thread to report. After it, the thread counts as not following. */
const START_MAX_MS = 5_000;

/** A thread has started when it has made no request for this time and reads no file. */
const STARTED_MS = 100;

interface ThreadState {
  readonly thread: number;
  /** The follower that it is. */
  readonly id: string;
  readonly isStarted: boolean;
}

/** Watches the threads that this thread makes. Returns true if a watching thread made this thread. */
export function watchThreads({
  making,
  started,
  ended,
}: {
  /** Called with a new thread. It counts as working until `started` or `ended`. */
  readonly making: (thread: object) => void;
  readonly started: (thread: object) => void;
  /** Called when the thread of this follower has ended. */
  readonly ended: (follower: string) => void;
}): boolean {
  const made = new Map<number, Worker>();
  const followers = new Map<number, string>();
  const channel = new BroadcastChannel(CHANNEL);
  channel.unref();
  channel.addEventListener("message", (message) => {
    const { thread, id, isStarted } = (message as MessageEvent<ThreadState>).data;
    const worker = made.get(thread);
    if (worker === undefined) return;
    followers.set(thread, id);
    if (isStarted) started(worker);
  });
  subscribe("worker_threads", (message) => {
    const { worker } = message as { worker: Worker };
    const { threadId: thread } = worker;
    made.set(thread, worker);
    making(worker);
    const limit = real.setTimeout(() => started(worker), START_MAX_MS).unref();
    const exited = (): void => {
      real.clearTimeout(limit);
      made.delete(thread);
      started(worker);
      const follower = followers.get(thread);
      if (follower !== undefined) ended(follower);
      followers.delete(thread);
    };
    // Job runners remove all listeners of a thread that is done.
    const emit = worker.emit.bind(worker);
    worker.emit = (event: string | symbol, ...args: never[]): boolean => {
      if (event === "exit") exited();
      return emit(event, ...args);
    };
  });
  const isMade = getEnvironmentData(CHANNEL) === true;
  setEnvironmentData(CHANNEL, true);
  return isMade;
}

/** Resolves when the program of this thread seems to be loaded. */
export async function programLoaded(requests: Pick<OpenRequests, "restartIdleTime" | "idle">): Promise<void> {
  do {
    requests.restartIdleTime();
    await requests.idle(STARTED_MS);
  } while (process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq")));
}

/** Reports this thread to the thread that made it: its id, and if it has started. */
export function announceThread(id: string, { isStarted }: Pick<ThreadState, "isStarted">): void {
  const channel = new BroadcastChannel(CHANNEL);
  const announcement: ThreadState = { thread: threadId, id, isStarted };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is no window
  channel.postMessage(announcement);
  channel.close();
}
