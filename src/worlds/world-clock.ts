/** running: flows with the wall clock from where it stands; frozen: moves only when it is told to. */
export type ClockMode = "running" | "frozen";

/** A clock as it is kept: where it stands and, while it runs, by how much it is ahead of the wall clock. */
export interface ClockState {
  readonly mode: ClockMode;
  readonly now: number;
  readonly offsetMs: number;
}

/**
 * Where a world's time comes from. It tells what time it should be; the simulation is moved there by the world.
 */
export class WorldClock {
  readonly #wallNow: () => number;
  #mode: ClockMode;
  /** World time less wall time, while the clock runs. */
  #offset = 0;

  constructor(mode: ClockMode, now: number, wallNow: () => number) {
    this.#wallNow = wallNow;
    this.#mode = mode;
    this.set(mode, now);
  }

  get mode(): ClockMode {
    return this.#mode;
  }

  /** Goes on from `now`, in `mode`. */
  set(mode: ClockMode, now: number): void {
    this.#mode = mode;
    this.#offset = now - this.#wallNow();
  }

  /** Goes on as if it had never stopped: a clock that ran has run on meanwhile. */
  resume({ mode, offsetMs }: ClockState): void {
    this.#mode = mode;
    this.#offset = offsetMs;
  }

  /** The clock of a world that stands at `now`, to be kept. */
  state(now: number): ClockState {
    return { mode: this.#mode, now, offsetMs: this.#offset };
  }

  /** What time it should be in a world that stands at `standing`: never earlier. */
  read(standing: number): number {
    return this.#mode === "frozen" ? standing : Math.max(standing, this.#wallNow() + this.#offset);
  }
}
