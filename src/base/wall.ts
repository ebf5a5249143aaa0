import { clearTimeout, setTimeout } from "node:timers";

/** The end of a span of wall time. Disposing of it drops the call. */
export interface Deadline extends Disposable {
  /** The milliseconds until the end. Zero or less after it. */
  readonly leftMs: number;
}

/**
 * The time outside the sandbox, for tools that wait for other programs and measure them. Tests pass their own wall, so
 * a verdict does not depend on the machine.
 */
export interface Wall {
  /** Returns the milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Returns the time, in milliseconds since 1970. */
  readonly date: () => number;
  /** Resolves after this many milliseconds, or when the signal aborts. With 0, ready work gets its turns. */
  readonly pause: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Begins a span; `over` is called at its end. */
  readonly deadline: (ms: number, over?: () => void) => Deadline;
}

/** The number of turns of the event loop for work that is ready. */
const TURNS = 3;

/** Resolves after this many turns of the event loop. */
export async function turns(count = 1): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

/** The wall of this machine. */
export const systemWall: Wall = {
  now: () => performance.now(),
  date: () => Date.now(),
  pause: (ms, signal) => (ms > 0 ? sleep(ms, signal) : turns(TURNS)),
  deadline: (ms, over) => {
    const endMs = performance.now() + ms;
    // A timer counts at most 2 ** 31 - 1 milliseconds.
    const timer = over && ms < 2 ** 31 ? setTimeout(over, ms) : undefined;
    return {
      get leftMs() {
        return endMs - performance.now();
      },
      [Symbol.dispose]: () => clearTimeout(timer),
    };
  },
};

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal?.aborted === true) return Promise.resolve();
  const end = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
    resolve();
  };
  const timer = setTimeout(end, ms);
  signal?.addEventListener("abort", end, { once: true });
  return promise;
}

/** Returns the result of work, or `late` after this many milliseconds. */
export async function within<T, L>(
  work: () => Promise<T>,
  { ms, late, wall }: { readonly ms: number; readonly late: L; readonly wall: Wall },
): Promise<T | L> {
  const timeout = Promise.withResolvers<L>();
  using _ = wall.deadline(ms, () => timeout.resolve(late));
  return await Promise.race([work(), timeout.promise]);
}

/** Does work with a signal that aborts after this many milliseconds. */
export async function abortedAfter<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { ms, wall }: { readonly ms: number; readonly wall: Wall },
): Promise<T> {
  const timeout = new AbortController();
  using _ = wall.deadline(ms, () => timeout.abort());
  return await work(timeout.signal);
}
