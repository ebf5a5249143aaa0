import { faultId } from "../../simulator/platform/faults/fault.ts";
import type { Deadline, Wall } from "../../base/wall.ts";
import type { StepFault } from "./deviations.ts";

/** A system may take this much longer than Retry-After until it sends a call again. */
const LATER_MS = 200;

/** The maximum number of waits in one place, because a system may be refused without end. */
const TIMES_MAX = 5;

/** A limit ends this much sooner than Retry-After, because a system counts from another moment. */
const SOONER_MS = 100;

/**
 * Measures Retry-After in wall time, because the sandbox's clock stands still while a system with its own clock waits.
 * After that time the limit (`call-limited`) is over.
 */
export class RetryAfter implements Disposable {
  readonly #faults = new Map<string, StepFault>();
  readonly #ending = new Map<string, Deadline>();
  readonly #wall: Wall;
  #remove: (faultId: string) => void = () => undefined;
  #laterMs = LATER_MS;
  #overMs = 0;

  constructor(wall: Wall) {
    this.#wall = wall;
  }

  /** Begins a run with these faults, in the order of arming. `remove` ends a fault. */
  begin(faults: readonly StepFault[], patience: number, remove: (faultId: string) => void): void {
    this[Symbol.dispose]();
    this.#remove = remove;
    this.#overMs = 0;
    this.#laterMs = LATER_MS * patience;
    for (const [index, fault] of faults.entries())
      if (fault["retryAfter"] !== undefined) this.#faults.set(faultId(index + 1), fault);
  }

  /** Notes that faults affected a call. Each announces a Retry-After. */
  touched(faultIds: readonly string[]): void {
    for (const id of faultIds) {
      const fault = this.#faults.get(id);
      if (fault === undefined) continue;
      const ms = Number(fault["retryAfter"]) * 1000;
      this.#overMs = Math.max(this.#overMs, this.#wall.now() + ms + this.#laterMs);
      if (fault["for"] === undefined || this.#ending.has(id)) continue;
      this.#ending.set(
        id,
        this.#wall.deadline(ms - SOONER_MS, () => this.#remove(id)),
      );
    }
  }

  /** Waits until Retry-After has passed, and the call can have been sent again. Returns true if it had to wait. */
  async over(): Promise<boolean> {
    let hasWaited = false;
    // A system that calls again too soon is refused again, and waits once more.
    for (let times = 0; times < TIMES_MAX && this.#leftMs > 0; times++) {
      hasWaited = true;
      await this.#wall.pause(this.#leftMs);
    }
    this.#overMs = 0;
    return hasWaited;
  }

  /** Ends all limits. */
  [Symbol.dispose](): void {
    for (const timer of this.#ending.values()) timer[Symbol.dispose]();
    this.#ending.clear();
    this.#faults.clear();
  }

  get #leftMs(): number {
    return this.#overMs - this.#wall.now();
  }
}
