import { type Deadline, type Wall, within } from "./wall.ts";

/** Ends the work of a tool: its time is over, or a person interrupted it. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/** The reason of a stop by the time limit. */
export const TIME_OVER = "the time limit was reached";

/** Stopped work has this time to end by itself. Only a function of the user can take longer. */
const END_MS = 200;

/**
 * Ends the work of a tool when its signal aborts or its time is over. The work waits and measures on `wall`. After the
 * stop each pause and each deadline of this wall throws `Stopped`, so all of the work ends.
 */
export class Stop implements Disposable {
  readonly #wall: Wall;
  readonly #signal: AbortSignal | undefined;
  readonly #stopping = new AbortController();
  /** The calls that end the open deadlines. */
  readonly #open = new Set<() => void>();
  #limit: Deadline | undefined;
  #reason: string | undefined;

  constructor(wall: Wall, signal?: AbortSignal) {
    this.#wall = wall;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#interrupt, { once: true });
    if (signal?.aborted === true) this.#interrupt();
  }

  /** The reason for the stop, as words after *because*. Undefined while the work continues. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** The wall of the work. The stop ends its open pauses and deadlines. */
  readonly wall: Wall = {
    now: () => this.#wall.now(),
    date: () => this.#wall.date(),
    pause: async (ms, signal) => {
      this.#refuse();
      const { signal: stopping } = this.#stopping;
      await this.#wall.pause(ms, signal === undefined ? stopping : AbortSignal.any([stopping, signal]));
      this.#refuse();
    },
    deadline: (ms, over) => {
      this.#refuse();
      if (over === undefined) return this.#wall.deadline(ms);
      const end = (): void => {
        this.#open.delete(end);
        over();
      };
      this.#open.add(end);
      const deadline = this.#wall.deadline(ms, end);
      return {
        get leftMs() {
          return deadline.leftMs;
        },
        [Symbol.dispose]: () => {
          this.#open.delete(end);
          deadline[Symbol.dispose]();
        },
      };
    },
  };

  /** Ends the work after this time. */
  limit(timeMs: number): void {
    this.#limit = this.#wall.deadline(timeMs, () => this.#end(TIME_OVER));
  }

  /**
   * Returns the result of work on this wall. Rejects with `Stopped` after the stop: the result of stopped work shows
   * only the stop.
   */
  async until<Result>(work: Promise<Result>): Promise<Result> {
    const ended = work.then(
      () => undefined,
      () => undefined,
    );
    const { signal } = this.#stopping;
    if (!signal.aborted) {
      const stopped = Promise.withResolvers<void>();
      const stop = (): void => stopped.resolve();
      signal.addEventListener("abort", stop, { once: true });
      await Promise.race([ended, stopped.promise]);
      signal.removeEventListener("abort", stop);
    }
    if (!signal.aborted) return work;
    await within(() => ended, { ms: END_MS, late: undefined, wall: this.#wall });
    throw new Stopped(this.#reason);
  }

  [Symbol.dispose](): void {
    this.#limit?.[Symbol.dispose]();
    this.#signal?.removeEventListener("abort", this.#interrupt);
  }

  readonly #interrupt = (): void => this.#end("it was interrupted");

  #refuse(): void {
    if (this.#reason !== undefined) throw new Stopped(this.#reason);
  }

  #end(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#stopping.abort();
    for (const end of this.#open) end();
  }
}
