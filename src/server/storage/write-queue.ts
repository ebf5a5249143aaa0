import { setImmediate as turnEnd } from "node:timers/promises";

/** The events that wait to be stored, in order, and the callers that wait for them. */
export class WriteQueue<T> {
  /** The events that are not stored, oldest first. */
  pending: T[] = [];
  /** The number of all events so far. */
  head: number;
  /** The number of stored events. */
  stored: number;
  readonly #write: () => Promise<void>;
  #writing: Promise<void> | undefined;
  #waiting: { readonly upTo: number; readonly ended: PromiseWithResolvers<void> }[] = [];

  /** `write` stores the pending events. The first `stored` events are stored already. */
  constructor(write: () => Promise<void>, stored = 0) {
    this.#write = write;
    this.head = stored;
    this.stored = stored;
  }

  /** Stores an event in the background. */
  add(event: T): void {
    this.pending.push(event);
    this.head++;
    this.#writing ??= this.#writeAll();
  }

  /** The running write. Undefined if no events are written. */
  get writing(): Promise<void> | undefined {
    return this.#writing;
  }

  /** Resolves when every event so far is stored. Undefined if all are stored already. */
  settled(): Promise<void> | undefined {
    if (this.stored === this.head) return undefined;
    const ended = Promise.withResolvers<void>();
    this.#waiting.push({ upTo: this.head, ended });
    return ended.promise;
  }

  /** Notes that the pending events up to this number are stored. */
  storedUpTo(number: number): void {
    this.stored = number;
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ upTo }) => upTo > number);
    for (const { upTo, ended } of waiting) if (upTo <= number) ended.resolve();
  }

  /** Rejects all waiting callers: the pending events will not be stored. */
  fail(error: Error): void {
    this.pending = [];
    for (const { ended } of this.#waiting.splice(0)) ended.reject(error);
  }

  async #writeAll(): Promise<void> {
    // One write stores all events of this turn of the event loop.
    await turnEnd();
    await this.#write();
    this.#writing = this.pending.length > 0 ? this.#writeAll() : undefined;
  }
}
