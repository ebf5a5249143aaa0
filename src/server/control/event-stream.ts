import { type WorldAsked, Reply } from "./endpoint.ts";
import { clearTimeout, setTimeout } from "node:timers";

/** The time between two comments on a stream without events. They keep the connection from being closed as idle. */
const HEARTBEAT_MS = 15_000;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/** The state that a stream is written from. News wakes it. It is over with its world, the server or the client. */
export interface StreamState {
  readonly isOver: boolean;
  /** Resolves to false after some time without news. */
  readonly news: () => Promise<boolean>;
}

/**
 * Returns server-sent events that end with their world, and with the server. `listen` begins to listen for news, and
 * returns a function that ends that.
 */
export function eventStream(
  { world, worlds }: WorldAsked,
  listen: (wake: () => void) => () => void,
  events: (state: StreamState) => AsyncGenerator<string>,
): Reply {
  const state = { isOver: false, isAwake: false, news };
  let resolveNews: ((isNews: boolean) => void) | undefined;
  const wake = (): void => {
    state.isAwake = true;
    resolveNews?.(true);
  };
  const end = (): void => {
    state.isOver = true;
    wake();
  };
  const stop = listen(wake);
  const unsubscribe = world.watch((event) => {
    if (event === "closed") end();
  });
  const { signal } = worlds.closing;
  signal.addEventListener("abort", end);

  async function news(): Promise<boolean> {
    if (!state.isAwake) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      resolveNews = resolve;
      const heartbeat = setTimeout(() => resolve(false), HEARTBEAT_MS).unref();
      await promise;
      resolveNews = undefined;
      clearTimeout(heartbeat);
    }
    const isNews = state.isAwake;
    state.isAwake = false;
    return isNews;
  }

  return new Reply(events(state), {
    headers: HEADERS,
    ended: () => {
      end();
      stop();
      unsubscribe();
      signal.removeEventListener("abort", end);
    },
  });
}
