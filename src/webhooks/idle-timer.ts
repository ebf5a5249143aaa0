import { clearTimeout, setImmediate, setTimeout } from "node:timers";
import { performance } from "node:perf_hooks";

/** A world is idle once no command has changed it for this wall time. */
const IDLE_MS = 250;

/** Finds out when a world is idle: no command has changed it for {@link IDLE_MS}. */
export class IdleTimer {
  #timer: NodeJS.Timeout | undefined;
  #callback: (() => void) | undefined;
  #leftMs = IDLE_MS;
  #startedMs = 0;
  /** How many callers only wait: their time does not count. */
  #pauses = 0;
  isIdle = false;
  #isClosed = false;

  /** A command from outside changed the world: the time without a command begins again. */
  commandTaken(): void {
    this.isIdle = false;
    this.#stop();
    this.#leftMs = IDLE_MS;
    this.#start();
  }

  /** Calls back once the world is idle; a second callback is ignored. It does not keep the process alive. */
  onIdle(callback: () => void): void {
    if (this.#callback !== undefined) return;
    this.#callback = callback;
    this.#leftMs = IDLE_MS;
    this.#start();
  }

  /** Time does not count until the function that it returns is called. */
  pause(): () => void {
    if (this.#pauses++ === 0) this.#stop();
    return () => {
      if (--this.#pauses === 0) this.#start();
    };
  }

  /** Makes no more calls. */
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
    const callback = this.#callback;
    this.#timer = undefined;
    this.#callback = undefined;
    this.isIdle = true;
    // A request that arrived while this process was busy is read before.
    setImmediate(() => {
      if (!this.#isClosed) callback?.();
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
