import type { Deadline, Wall } from "../wall.ts";
import type { StepFault } from "./deviations.ts";

/** How much longer than Retry-After a system may take until it has sent a call again. */
const LATER_MS = 500;

/** How much sooner than Retry-After a limit ends: a system counts from another moment. */
const SOONER_MS = 100;

/**
 * Retry-After in wall time: the clock of the sandbox stands while a system waits that has another one. A limit
 * (`call-limited`) is over then, as it is by the clock of the sandbox.
 */
export class Limits {
  readonly #waiting = new Map<string, StepFault>();
  readonly #timers = new Set<Deadline>();
  readonly #wall: Wall;
  #overMs = 0;

  constructor(wall: Wall) {
    this.#wall = wall;
  }

  /** A new run begins with these faults, in the order in which they are armed. */
  plan(faults: readonly StepFault[]): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers.clear();
    this.#waiting.clear();
    this.#overMs = 0;
    for (const [index, fault] of faults.entries())
      if (fault["retryAfter"] !== undefined) this.#waiting.set(`f${index + 1}`, fault);
  }

  /** Faults touched a call; `remove` ends one. */
  touched(faultIds: readonly string[], remove: (faultId: string) => void): void {
    for (const id of faultIds) {
      const fault = this.#waiting.get(id);
      if (fault === undefined || !this.#waiting.delete(id)) continue;
      const ms = Number(fault["retryAfter"]) * 1000;
      this.#overMs = this.#wall.now() + ms + LATER_MS;
      if (fault["for"] !== undefined) this.#timers.add(this.#wall.deadline(ms - SOONER_MS, () => remove(id)));
    }
  }

  /** Resolves once what was refused has been sent again, by a system that does, with whether that was awaited. */
  async over(): Promise<boolean> {
    const leftMs = this.#overMs - this.#wall.now();
    if (leftMs > 0) await this.#wall.pause(leftMs);
    return leftMs > 0;
  }
}
