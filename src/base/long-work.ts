import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers";

/** The time that one piece of long work may use in one turn of the event loop. */
const TURN_MS = 8;

const waiting: (() => void)[] = [];

/**
 * Work that would delay requests for too long, such as an advance over years or the recording of a large world. It is
 * done in turns. Each turn of the event loop serves one turn of one piece of work, then the requests that have arrived.
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

  /** True if this turn has used its time. */
  get isDue(): boolean {
    return performance.now() - this.#begunMs >= TURN_MS;
  }

  /** Takes the steps of a generator in turns. Returns its value, at once if the present turn is long enough for all. */
  take<Value>(steps: Iterator<unknown, Value>): Value | Promise<Value> {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value;
      if (this.isDue) return this.nextTurn().then(() => this.take(steps));
    }
  }

  /** Waits until it is the turn of this work again. */
  async nextTurn(): Promise<void> {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      // The first immediate may run before requests that have just arrived. The second one runs after them.
      if (waiting.length === 1) setImmediate(() => setImmediate(serveNext));
    });
    this.#begunMs = performance.now();
  }
}

/** Takes all steps of a generator at once. Returns its value. */
export function atOnce<Value>(steps: Iterator<unknown, Value>): Value {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Serves one piece of work. The next one runs in the next turn of the event loop, after the requests of this turn. */
function serveNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(serveNext);
}
