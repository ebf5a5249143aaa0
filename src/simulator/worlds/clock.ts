import type { Followers } from "./followers.ts";
import type { Run } from "./run.ts";
import type { DeliveryClock } from "../webhooks/delivery-clock.ts";
import {
  AdvanceLimit,
  type AdvanceReport,
  type AdvanceTarget,
  advanceTo,
  beginReport,
  instantOf,
  settled,
} from "./advance.ts";
import { assertDefined } from "../engine/assertion.ts";
import { clockEnd } from "../platform/faults/last-day.ts";
import { clearTimeout, setTimeout } from "node:timers";
import { LongWork } from "../../base/long-work.ts";

/** running: moves with the wall clock from its present time; frozen: moves only when it is advanced. */
export type ClockMode = "running" | "frozen";

/** A clock as it is saved: its time and, while it runs, how far it is ahead of the wall clock. */
export interface ClockState {
  readonly mode: ClockMode;
  readonly now: number;
  readonly offsetMs: number;
}

export interface AdvanceOptions {
  /** True if it waits for the webhooks on the way. */
  readonly waits: boolean;
  /** Stops it early. The reason is a word for its report. */
  readonly signal?: AbortSignal | undefined;
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
  readonly followers: Followers;
  /** The saved clock. If it was running, it has continued since then. */
  readonly saved?: ClockState | undefined;
  /** Time passes only as long as nothing is due. */
  readonly isReadOnly?: boolean;
}

/**
 * The clock of a world. It computes the current time and fires due timers. Only this clock moves the simulation on.
 */
export class WorldClock implements DeliveryClock {
  readonly wallNow: () => number;
  readonly #changed: (state: ClockState) => void;
  readonly #followers: Followers;
  readonly isReadOnly: boolean;
  #mode: ClockMode;
  /** World time minus wall time, while the clock runs. */
  #offsetMs: number;
  /** The latest wall time that was seen. */
  #latestWallMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #run: Run | undefined;
  #lastAdvance: Promise<unknown> = Promise.resolve();
  /** The number of advances under way. */
  #moves = 0;

  constructor({ mode, now, wallNow, changed, followers, saved, isReadOnly = false }: ClockOptions) {
    this.wallNow = wallNow;
    this.isReadOnly = isReadOnly;
    this.#changed = changed;
    this.#followers = followers;
    this.#mode = saved?.mode ?? mode;
    // The clock of the machine may have been set back since it was saved.
    this.#offsetMs = Math.max(saved?.offsetMs ?? -Infinity, now - wallNow());
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

  /** Continues with another run. An advance of the previous run does not delay those of this one. */
  begin(run: Run): void {
    this.#run = run;
    this.#followers.reset();
    this.#lastAdvance = Promise.resolve();
    this.scheduleNext();
  }

  /** Continues in `mode` from the time of the simulation. */
  setMode(mode: ClockMode): void {
    this.#set(mode);
    this.#changed(this.state());
    if (this.#followers.size > 0) this.#followers.notify(this.state());
    if (mode === "running") void this.run.deliveries.commitKnown();
    this.scheduleNext();
  }

  /**
   * Advances the clock, fires all due timers on the way, and reports the timeline. An advance that `waits` for
   * webhooks first waits for earlier advances that do so.
   */
  advance(target: AdvanceTarget, options: AdvanceOptions): Promise<AdvanceReport> {
    if (!options.waits) return this.#advance(target, options);
    const advance = this.#lastAdvance.then(() => this.#advance(target, options));
    this.#lastAdvance = advance.catch(() => undefined);
    return advance;
  }

  /** Whether it is being advanced. */
  get isMoving(): boolean {
    return this.#moves > 0;
  }

  /**
   * Fires all timers that became due while the clock ran, in this turn. Like an advance, it stops at every due
   * instant, so both leave the same journal.
   */
  catchUp(): void {
    const { simulation, deliveries } = this.run;
    const to = Math.floor(this.#timeFor(simulation.now));
    if (to <= simulation.now) return;
    try {
      // Work in turns may have left timers or webhooks of the present instant, which come before later ones.
      simulation.moveTo(simulation.now);
      deliveries.open();
      for (let due = simulation.nextDue(); due !== undefined && due <= to; due = simulation.nextDue()) {
        simulation.moveTo(due);
        deliveries.open();
      }
      simulation.moveTo(to);
    } catch (error) {
      // Reads of the stopped world go on. Its next command throws the failure.
      if (error !== simulation.failure) throw error;
    }
  }

  /**
   * Resolves when a command can run without much work before it. Two kinds of work are done in turns before: timers
   * that became due while the clock ran, and the work of an advance at one instant. Undefined if neither is left.
   */
  ready(): Promise<void> | undefined {
    return this.run.ready() ?? (this.#isBehind() ? this.#catchUpInTurns() : undefined);
  }

  /** Schedules the next timer of a running world. It does not keep the process alive. */
  scheduleNext(): void {
    clearTimeout(this.#timer);
    if (this.isReadOnly) return;
    const { simulation } = this.run;
    const due = this.mode === "running" ? simulation.nextDue() : undefined;
    if (due === undefined || due > clockEnd(simulation.records, simulation.now)) return;
    const delayMs = Math.max(0, due - this.#timeFor(simulation.now));
    const ring = async (): Promise<void> => {
      const { run } = this;
      await this.#catchUpInTurns().catch((error: Error) => run.simulation.fail(error));
      this.scheduleNext();
    };
    this.#timer = setTimeout(() => void ring(), Math.ceil(Math.min(delayMs, TIMEOUT_MAX_MS))).unref();
  }

  /** The wall time of the next work: now while an attempt is due or in flight. Undefined without work. */
  get nextDueAt(): number | undefined {
    const { simulation, deliveries } = this.run;
    if (simulation.failure !== undefined) return undefined;
    if (deliveries.isInFlight || deliveries.isDue) return this.wallNow();
    const due = this.mode === "running" ? simulation.nextDue() : undefined;
    return due === undefined ? undefined : this.wallNow() + due - this.#timeFor(simulation.now);
  }

  /** Stops for good at the time of the simulation. */
  close(): void {
    clearTimeout(this.#timer);
    this.#set("frozen");
  }

  async #advance(target: AdvanceTarget, { waits, signal }: AdvanceOptions): Promise<AdvanceReport> {
    const { run } = this;
    const followers = this.#followers;
    const wake = (): void => {
      run.deliveries.wake();
      followers.wake();
    };
    signal?.addEventListener("abort", wake);
    try {
      return await this.#advanceRun(target, { run, waits, signal });
    } finally {
      signal?.removeEventListener("abort", wake);
    }
  }

  async #advanceRun(
    target: AdvanceTarget,
    { run, waits, signal }: AdvanceOptions & { readonly run: Run },
  ): Promise<AdvanceReport> {
    const { simulation, deliveries } = this.present;
    if (simulation.failure !== undefined) throw simulation.failure;
    // Without a move and without waiting it only makes the known outcomes part of the world.
    const isMove = "until" in target || instantOf(target, simulation.now) > simulation.now;
    const followers = this.#followers;
    const limit = new AdvanceLimit(run, signal);
    const late = waits ? await settled(run, followers, limit) : undefined;
    if (waits && late === undefined) await deliveries.settled(limit.isReached);
    else if (!isMove) await deliveries.commitKnown();
    const report = beginReport(simulation);
    if (late !== undefined) return report({ fired: 0, turns: [], stoppedBy: "follower", follower: late });
    this.#moves++;
    try {
      const reach = (): Promise<void> => followers.reach(this.state());
      const advanced = await advanceTo({ run, target, waits, followers, reach, limit });
      // After a reset the clock belongs to another run, which this advance must not touch.
      if (run === this.run) this.setMode(this.mode);
      await followers.sent();
      return report(advanced);
    } finally {
      this.#moves--;
    }
  }

  /** Whether something became due while the clock ran. */
  #isBehind(): boolean {
    const { simulation } = this.run;
    const due = this.#mode === "running" ? simulation.nextDue() : undefined;
    return due !== undefined && due <= this.#timeFor(simulation.now);
  }

  async #catchUpInTurns(): Promise<void> {
    const { run } = this;
    const work = new LongWork();
    while (run === this.run && this.#isBehind()) {
      const due = assertDefined(run.simulation.nextDue(), "the timer that is due");
      await run.fireUntil(due, work);
      if (work.isDue) await work.nextTurn();
    }
  }

  #set(mode: ClockMode): void {
    this.#mode = mode;
    this.#latestWallMs = this.wallNow();
    this.#offsetMs = this.run.simulation.now - this.#latestWallMs;
  }

  /**
   * Returns the time of the clock for a simulation that has reached `reached`. It is never earlier than `reached`.
   */
  #timeFor(reached: number): number {
    if (this.#mode === "frozen" || this.run.simulation.failure !== undefined) return reached;
    const wallMs = this.wallNow();
    // The clock of the machine was set back: the world continues from its present time and does not wait.
    const isSetBack = wallMs < this.#latestWallMs;
    if (isSetBack) this.#offsetMs += this.#latestWallMs - wallMs;
    this.#latestWallMs = wallMs;
    if (isSetBack) this.#changed(this.state());
    const { records } = this.run.simulation;
    const present = Math.max(reached, Math.min(wallMs + this.#offsetMs, clockEnd(records, reached)));
    if (!this.isReadOnly) return present;
    const due = this.run.simulation.nextDue() ?? Infinity;
    return Math.max(reached, Math.min(present, due - 1));
  }
}
