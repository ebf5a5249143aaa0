import type { Deadline, Wall } from "../wall.ts";

/** Ends the wait: the time is over, or a person interrupted the search. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/** Ends a search at its time limit, and when its signal aborts. */
export class Stop implements Disposable {
  readonly #deadline: Deadline;
  readonly #signal: AbortSignal | undefined;
  readonly #stopped = Promise.withResolvers<never>();
  #reason: string | undefined;

  constructor(wall: Wall, { timeMs, signal }: { timeMs: number; signal?: AbortSignal | undefined }) {
    this.#stopped.promise.catch(() => undefined);
    this.#deadline = wall.deadline(timeMs, () => this.#end("the time limit was reached"));
    this.#signal = signal;
    signal?.addEventListener("abort", this.#interrupt, { once: true });
    if (signal?.aborted === true) this.#interrupt();
  }

  /** The reason for the end, as words after *because*. Undefined while the search continues. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Waits for work as long as the search continues. Rejects with `Stopped`. */
  async until<Result>(work: Promise<Result>): Promise<Result> {
    // Work that nothing waits for may still fail.
    work.catch(() => undefined);
    return Promise.race([work, this.#stopped.promise]);
  }

  [Symbol.dispose](): void {
    this.#deadline[Symbol.dispose]();
    this.#signal?.removeEventListener("abort", this.#interrupt);
  }

  readonly #interrupt = (): void => this.#end("it was interrupted");

  #end(reason: string): void {
    this.#reason ??= reason;
    this.#stopped.reject(new Stopped(reason));
  }
}
