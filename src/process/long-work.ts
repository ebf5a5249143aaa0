import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers";

/** How long one piece of long work keeps the event loop in its turn. */
const TURN_MS = 8;

const waiting: (() => void)[] = [];

/**
 * Work that takes longer than a request may be held up, such as an advance over years or the recording of a large
 * world. It is done in turns: each turn of the event loop has one turn of one piece of work, and answers requests in
 * between, however many pieces there are.
 *
 * ```ts
 * const work = new LongWork();
 * for (const entry of entries) {
 *   read(entry);
 *   if (work.isDue) await work.nextTurn();
 * }
 * ```
 */
export class LongWork {
  #begunMs = performance.now();

  /** Whether this turn was long enough. */
  get isDue(): boolean {
    return performance.now() - this.#begunMs >= TURN_MS;
  }

  /** Takes the steps of a generator in turns. Undefined if the present turn is long enough for all of them. */
  take(steps: Iterator<unknown>): Promise<void> | undefined {
    while (steps.next().done !== true) if (this.isDue) return this.nextTurn().then(() => this.take(steps));
    return undefined;
  }

  /** Waits until it is the turn of this work again. */
  async nextTurn(): Promise<void> {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      // One that is set while requests are taken in runs before those that arrived meanwhile: the second does not.
      if (waiting.length === 1) setImmediate(() => setImmediate(serveNext));
    });
    this.#begunMs = performance.now();
  }
}

/** An immediate that is set here runs in the next turn of the event loop, after the requests that have arrived. */
function serveNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(serveNext);
}
