import { performance } from "node:perf_hooks";
import { withTimeout } from "./time-out.ts";

/** The longest wall time that a read waits for an attempt after it was sent. */
const READ_WAIT_MS = 1_000;

/** The exchanges that wait for a receiver, and the callers that wait for their ends. */
export class InFlight {
  #count = 0;
  #lastSentMs = 0;
  #isClosed = false;
  #ended = Promise.withResolvers<void>();

  /** True if no attempt waits for its answer. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Resolves when the next exchange has ended, or at the end. */
  get nextEnd(): Promise<void> {
    return this.#ended.promise;
  }

  begin(): void {
    this.#count++;
  }

  sent(): void {
    this.#lastSentMs = performance.now();
  }

  end(): void {
    this.#count--;
  }

  /** Lets the waiting callers check again if they are stopped. */
  wake(): void {
    this.#ended.resolve();
    this.#ended = Promise.withResolvers();
  }

  /** Every waiting caller continues. */
  close(): void {
    this.#isClosed = true;
    this.#ended.resolve();
  }

  /** Waits until the attempts in flight are answered, but at most {@link READ_WAIT_MS} after the last was sent. */
  answeredSinceLast(): Promise<void> {
    return this.answeredSoon(this.#lastSentMs);
  }

  /** Waits until the attempts in flight are answered, up to {@link READ_WAIT_MS} from then on. */
  async answeredSoon(since = performance.now()): Promise<void> {
    const until = since + READ_WAIT_MS;
    while (!this.isEmpty && !this.#isClosed && performance.now() < until)
      await withTimeout(this.#ended.promise, until - performance.now());
  }

  /** Waits until the attempts in flight are answered. */
  async answered(isStopped: () => boolean = () => false): Promise<void> {
    while (!this.isEmpty && !this.#isClosed && !isStopped()) await this.#ended.promise;
  }
}
