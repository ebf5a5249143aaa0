import { clearTimeout, setImmediate, setTimeout } from "node:timers";
import { performance } from "node:perf_hooks";

/** How long no command has changed a world when it is quiet, in wall time. */
const QUIET_MS = 250;

/** Whether a world is quiet: no command has changed it for {@link QUIET_MS}. */
export class Quiet {
  #timer: NodeJS.Timeout | undefined;
  #callback: (() => void) | undefined;
  #leftMs = QUIET_MS;
  #startedMs = 0;
  /** How many only wait: their time does not count. */
  #pauses = 0;
  #isQuiet = false;
  #isClosed = false;

  /** A command from outside changed the world: the time without a command begins again. */
  commandTaken(): void {
    this.#isQuiet = false;
    this.#stop();
    this.#leftMs = QUIET_MS;
    this.#start();
  }

  get isQuiet(): boolean {
    return this.#isQuiet;
  }

  /** Calls back once the world is quiet, unless another call waits for that. It does not keep the process alive. */
  once(quiet: () => void): void {
    if (this.#callback !== undefined) return;
    this.#callback = quiet;
    this.#leftMs = QUIET_MS;
    this.#start();
  }

  /** Time does not count until the function that it returns is called. */
  pause(): () => void {
    if (this.#pauses++ === 0) this.#stop();
    return () => {
      if (--this.#pauses === 0) this.#start();
    };
  }

  /** Calls nobody back any more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #start(): void {
    if (this.#callback === undefined || this.#pauses > 0 || this.#isClosed) return;
    this.#startedMs = performance.now();
    this.#timer = setTimeout(() => this.#end(), this.#leftMs).unref();
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#startedMs));
  }

  #end(): void {
    const quiet = this.#callback;
    this.#timer = undefined;
    this.#callback = undefined;
    this.#isQuiet = true;
    // A request that arrived while this process was busy is read before.
    setImmediate(() => {
      if (!this.#isClosed) quiet?.();
    });
  }
}

/** Waits for a promise, up to a time-out. */
export async function withTimeout(promise: Promise<void>, timeoutMs: number): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, timeoutMs);
  await Promise.race([promise, timeout.promise]);
  clearTimeout(timer);
}
