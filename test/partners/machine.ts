import { type Chance, seededChance } from "../../src/simulator/engine/random.ts";
import { turns, type Wall } from "../../src/base/wall.ts";

interface Timer {
  readonly at: number;
  readonly number: number;
  readonly run: () => void;
}

/** How many turns of the event loop in a row must have no work, before time moves to the next timer. */
const QUIET_TURNS = 3;

/**
 * A timer this far ahead is a limit, such as the time of a search. Time moves there only if the process stays without
 * work for a real while: the loading of a module is work that cannot be seen.
 */
const LIMIT_MS = 3_600_000;
const REAL_TURN_MS = 20;
const REAL_TURNS = 100;

/** By how much a timer of the judge may be late on a machine of speed 1, in milliseconds. */
const LATE_MAX_MS = 1;

/** How often a process gets no processor for a while, in thousandths, and for how long at speed 1. */
const STALLS_IN_1000 = 4;
const STALL_MAX_MS = 20;

/**
 * A machine without real time. Its clock moves to the next timer once all work of this process is done, so a run of
 * minutes takes milliseconds. On a machine that is slower by a factor, work takes longer, timers are late, and processes
 * get no processor now and then. All of that comes from the seed.
 */
export class Machine implements Disposable {
  readonly #factor: number;
  readonly #chance: Chance;
  readonly #timers: Timer[] = [];
  #nowMs = 0;
  #count = 0;
  #isMoving = false;
  #isOver = false;

  constructor(factor: number, seed: number) {
    this.#factor = factor;
    this.#chance = seededChance(seed, `machine ${factor}`);
  }

  /** The wall as the judge sees it: its timers are late as well. */
  readonly wall: Wall = {
    now: () => this.#nowMs,
    date: () => START_MS + this.#nowMs,
    pause: (ms, signal) => (ms > 0 ? this.#pause(ms + this.#lateness(), signal) : turns(3)),
    deadline: (ms, over) => {
      const endMs = this.#nowMs + ms;
      const timer = over && this.#add(ms + this.#lateness(), over);
      return Object.defineProperty(
        { leftMs: 0, [Symbol.dispose]: () => timer && this.#drop(timer) },
        "leftMs",
        { get: () => endMs - this.#nowMs },
      );
    },
  };

  /** Ends its time: what still waits there waits forever. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#timers.length = 0;
  }

  /** The partner waits: for a timer of its own, or for another system. */
  sleep(ms: number): Promise<void> {
    return this.#pause(ms + this.#lateness());
  }

  /** The partner works: slower on a slow machine, and now and then not at all for a while. */
  work(ms: number): Promise<void> {
    const share = 0.5 + this.#chance.below(1000) / 1000;
    const isStalled = this.#chance.below(1000) < STALLS_IN_1000;
    const stallMs = isStalled ? this.#chance.below(STALL_MAX_MS * this.#factor) : 0;
    return this.#pause(Math.max(0.01, ms * share * this.#factor) + stallMs);
  }

  #lateness(): number {
    return (this.#chance.below(1000) / 1000) * LATE_MAX_MS * this.#factor;
  }

  #pause(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (signal?.aborted === true) return Promise.resolve();
    const end = (): void => {
      this.#drop(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = this.#add(ms, end);
    signal?.addEventListener("abort", end, { once: true });
    return promise;
  }

  #add(ms: number, run: () => void): Timer {
    const timer = { at: this.#nowMs + ms, number: ++this.#count, run };
    let place = this.#timers.length;
    while (place > 0 && (this.#timers[place - 1] as Timer).at > timer.at) place -= 1;
    this.#timers.splice(place, 0, timer);
    if (this.#isOver) this.#timers.length = 0;
    if (!this.#isMoving) void this.#move();
    return timer;
  }

  #drop(timer: Timer): void {
    const place = this.#timers.indexOf(timer);
    if (place >= 0) this.#timers.splice(place, 1);
  }

  async #move(): Promise<void> {
    this.#isMoving = true;
    while (this.#timers.length > 0) {
      await this.#quiet();
      const [next] = this.#timers;
      if (next !== undefined && next.at - this.#nowMs > LIMIT_MS && (await this.#isReplaced(next))) continue;
      const timer = this.#timers.shift();
      if (timer === undefined) break;
      this.#nowMs = Math.max(this.#nowMs, timer.at);
      timer.run();
    }
    this.#isMoving = false;
  }

  /** Waits a real while. Returns true once the timer is no longer the next one. */
  async #isReplaced(timer: Timer): Promise<boolean> {
    for (let turn = 0; turn < REAL_TURNS && this.#timers[0] === timer; turn++)
      await new Promise((resolve) => void setTimeout(resolve, REAL_TURN_MS));
    return this.#timers[0] !== timer;
  }

  /** Waits until no work of this process is ready. */
  async #quiet(): Promise<void> {
    for (let without = 0; without < QUIET_TURNS && !this.#isOver; without++) {
      await turns();
      if (process.getActiveResourcesInfo().some((name) => name === "Immediate" || name.startsWith("FSReq")))
        without = -1;
    }
  }
}

const START_MS = Date.parse("2026-11-26T12:00:00Z");
