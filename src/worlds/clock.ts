import type { AdvanceReport, AdvanceTarget, MoveTarget } from "./advance.ts";
import type { Run } from "./run.ts";
import type { Timekeeper } from "../webhooks/deliveries.ts";
import { advanceTo, instantOf, moveTo, reportSince, startOfMove } from "./advance.ts";
import { assertDefined } from "../engine/assertion.ts";
import { clearTimeout, setTimeout } from "node:timers";

/** running: moves with the wall clock from its present time; frozen: moves only when it is advanced. */
export type ClockMode = "running" | "frozen";

/** A clock as it is saved: its time and, while it runs, how far it is ahead of the wall clock. */
export interface ClockState {
  readonly mode: ClockMode;
  readonly now: number;
  readonly offsetMs: number;
}

/** The longest time that a Node timer waits. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1;

interface ClockOptions {
  readonly mode: ClockMode;
  readonly now: number;
  /** Wall time in milliseconds. */
  readonly wallNow: () => number;
  /** Called at every change of mode and every requested move. */
  readonly changed: (state: ClockState) => void;
  /** The saved clock; if it was running, it has continued meanwhile. */
  readonly saved?: ClockState;
}

/**
 * The clock of a world. It computes the current time, wakes a running world when something is due, and is the
 * only one that moves the simulation on.
 */
export class WorldClock implements Timekeeper {
  readonly #wallNow: () => number;
  readonly #changed: (state: ClockState) => void;
  #mode: ClockMode;
  /** World time minus wall time, while the clock runs. */
  #offsetMs: number;
  /** The latest wall time that was seen. */
  #latestWallMs = -Infinity;
  #alarm: NodeJS.Timeout | undefined;
  #run: Run | undefined;
  #lastAdvance: Promise<unknown> = Promise.resolve();

  constructor({ mode, now, wallNow, changed, saved }: ClockOptions) {
    this.#wallNow = wallNow;
    this.#changed = changed;
    this.#mode = saved?.mode ?? mode;
    this.#offsetMs = saved?.offsetMs ?? now - wallNow();
  }

  get mode(): ClockMode {
    return this.#mode;
  }

  /** The current run, which may be behind the clock. */
  get run(): Run {
    return assertDefined(this.#run, "the run of a world");
  }

  /** The current run at the world's time: everything due has happened. */
  get present(): Run {
    this.catchUp();
    return this.run;
  }

  /** The clock to save for a simulation at `now`. */
  state(now: number = this.run.simulation.now): ClockState {
    return { mode: this.#mode, now, offsetMs: this.#offsetMs };
  }

  /** Goes on with another run. An advance of the run before does not delay those of this one. */
  begin(run: Run): void {
    this.#run = run;
    this.#lastAdvance = Promise.resolve();
    this.setAlarm();
  }

  /** Goes on in `mode` from the time of the simulation. */
  setMode(mode: ClockMode): void {
    this.#set(mode);
    this.#changed(this.state());
    if (mode === "running") this.run.deliveries.takeIn();
    this.setAlarm();
  }

  /**
   * Advances the clock, fires everything that is due on the way, waits for its webhooks, and reports what happened.
   * Advances of one run are made one after another.
   */
  advance(target: AdvanceTarget): Promise<AdvanceReport> {
    const advance = this.#lastAdvance.then(() => this.#advance(target));
    this.#lastAdvance = advance.catch(() => undefined);
    return advance;
  }

  /** Moves time on at once: what is due on the way happens, and no webhook is waited for. */
  moveOn(target: MoveTarget): AdvanceReport {
    const { simulation, deliveries } = this.present;
    const start = startOfMove(simulation);
    deliveries.commandTaken();
    const fired = moveTo({ simulation, deliveries, to: instantOf(target, simulation.now) });
    this.setMode(this.mode);
    return { ...reportSince(simulation, start), fired };
  }

  /** Fires everything that became due while the clock ran. */
  catchUp(): void {
    const { simulation, deliveries } = this.run;
    const now = Math.floor(this.#timeFor(simulation.now));
    if (now > simulation.now) moveTo({ simulation, deliveries, to: now });
  }

  /** Wakes a running world when its next timer is due. It does not keep the process alive. */
  setAlarm(): void {
    clearTimeout(this.#alarm);
    const { simulation } = this.run;
    const due = this.mode === "running" ? simulation.nextDue() : undefined;
    if (due === undefined) return;
    const delayMs = Math.max(0, due - this.#timeFor(simulation.now));
    const ring = (): void => {
      this.catchUp();
      this.setAlarm();
    };
    this.#alarm = setTimeout(ring, Math.ceil(Math.min(delayMs, TIMEOUT_MAX_MS))).unref();
  }

  /** Wall time at which something has to happen: at once while an attempt is open; undefined where nothing is due. */
  get wakesAt(): number | undefined {
    const { simulation, deliveries } = this.run;
    if (deliveries.isBusy) return this.#wallNow();
    const due = this.mode === "running" ? simulation.nextDue() : undefined;
    return due === undefined ? undefined : this.#wallNow() + due - this.#timeFor(simulation.now);
  }

  /** Stops for good at the time of the simulation. */
  close(): void {
    clearTimeout(this.#alarm);
    this.#set("frozen");
  }

  async #advance(target: AdvanceTarget): Promise<AdvanceReport> {
    const { simulation, deliveries } = this.present;
    await deliveries.settled();
    const start = startOfMove(simulation);
    const { fired, stoppedBy } = await advanceTo({ simulation, deliveries, target });
    // After a reset the clock belongs to another run, which this advance must not touch.
    if (simulation === this.run.simulation) this.setMode(this.mode);
    return { ...reportSince(simulation, start), fired, ...(stoppedBy && { stoppedBy }) };
  }

  #set(mode: ClockMode): void {
    this.#mode = mode;
    this.#latestWallMs = this.#wallNow();
    this.#offsetMs = this.run.simulation.now - this.#latestWallMs;
  }

  /** The time it should be in a simulation that has come to `reached`: never earlier than that. */
  #timeFor(reached: number): number {
    if (this.#mode === "frozen") return reached;
    const wallMs = this.#wallNow();
    // The clock of the machine was set back: the world goes on from where it was, and does not wait for it.
    const isSetBack = wallMs < this.#latestWallMs;
    if (isSetBack) this.#offsetMs += this.#latestWallMs - wallMs;
    this.#latestWallMs = wallMs;
    if (isSetBack) this.#changed(this.state());
    return Math.max(reached, wallMs + this.#offsetMs);
  }
}
