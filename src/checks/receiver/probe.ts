import { CommandFailure } from "../../base/failures.ts";
import { type ObservedDeliveries, type UsualChange, idlePaths, showsOnlyCounters } from "./state-change.ts";
import { type StateDifference, isCompared, placeOf } from "../../partner/states/comparison.ts";
import { OwnChanges, unnamed } from "../../partner/states/own-changes.ts";
import { Lag, LATE_SETTLINGS, longestFor, PROMPT_MS, settledState } from "../../partner/settled-state.ts";
import { Pace } from "../../partner/pace.ts";
import { watchedWork } from "../../partner/watched-work.ts";
import { type Watched, workIn } from "../../partner/rest-rule.ts";
import type { SpentTime } from "../../base/spent-time.ts";
import type { Wall } from "../../base/wall.ts";
import { type IgnoredPath, withoutIgnored } from "../../partner/states/ignored-paths.ts";

export interface ProbeOptions {
  readonly wall: Wall;
  /** Reads the state. Rejects with a `CommandFailure`. */
  readonly read: () => Promise<unknown>;
  /** The paths that are left out of every comparison. */
  readonly ignored?: readonly IgnoredPath[];
  /** Wall time that work after the answer may take. */
  readonly settleMs: number;
  /** True if `settleMs` is a default, so that a receiver without such work is not waited for. */
  readonly isDefault?: boolean;
  readonly spent: SpentTime;
  /** Texts that distinguish rows, such as the ids of the objects that events were about. */
  readonly identities?: ReadonlySet<string>;
}

/** The probe shows no change by an event that was accepted. */
export class NothingShown extends CommandFailure {}

/** Returns the change that a probe shows of deliveries. Undefined if it shows no change. */
export async function ifShown<Shown>(shown: Promise<Shown>): Promise<Shown | undefined> {
  try {
    return await shown;
  } catch (error) {
    if (error instanceof NothingShown) return undefined;
    throw error;
  }
}

/** If the state has not changed yet, the probe waits this many settling times more. */
const SETTLINGS_MAX = 5;

/** The number of events that show how long each waits for the events before it. */
const PACED = 5;

/** The pause for finding values that change by themselves. It is longer than a second, for values in whole seconds. */
const IDLE_MS = 1_100;

/** The state of a receiver as any JSON, and the parts that change without an event. */
export class Probe {
  readonly #options: ProbeOptions;
  readonly #lag: Lag;
  readonly #own: OwnChanges;
  /** Places that did not change while no event was sent. */
  readonly #steady = new Set<string>();
  /** The places that changed while no event was sent. Undefined until they were found. */
  #idlePaths: ReadonlySet<string> | undefined;
  readonly #pace: Pace;
  #sent = 0;
  #sentAtMs = 0;
  #isLearned = false;
  /** The factor for the time that the receiver gets for its work. */
  patience = 1;
  /** The state at rest. No event was sent since. */
  #atRest: { readonly state: unknown } | undefined;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#own = new OwnChanges(options.identities);
    this.#lag = new Lag(options.wall);
    this.#pace = new Pace({
      settleMs: options.settleMs,
      isDefault: options.isDefault ?? false,
      lag: this.#lag,
    });
  }

  /** The most by which this machine was late so far, in milliseconds. */
  get mostLagMs(): number {
    return this.#lag.mostMs;
  }

  /** The state at rest. Undefined if a request was sent since. */
  get atRest(): { readonly state: unknown } | undefined {
    return this.#atRest;
  }

  /** Returns the state at this moment. The first reading also finds the parts that change without an event. */
  async now(): Promise<unknown> {
    if (!this.#isLearned) {
      this.#isLearned = true;
      const first = await this.#read();
      await this.#pause(this.#options.settleMs);
      const second = await this.#read();
      this.#own.learn(first, second);
      if (!isCompared(unnamed(second), this.#own.rules))
        throw new CommandFailure(
          "The probe shows no stable value: all values change without an event, or are left out by --ignore.",
        );
    }
    return this.#read();
  }

  /** Notes that this many requests were answered. The state may move from now on. */
  disturb(requests: number): void {
    this.#atRest = undefined;
    this.#sent += requests;
    this.#sentAtMs = this.#options.wall.now();
  }

  /**
   * Finds the time that a receiver works after its answers. A worker that runs at intervals takes longest for an event
   * that comes right after a run. A worker with a queue takes longer for each event in it.
   */
  async learnPace(send: (events: number) => Promise<void>): Promise<void> {
    const { settleMs, spent, wall } = this.#options;
    await this.look();
    await this.before();
    const timed = async (
      events: number,
      isOver?: (watched: Watched) => boolean,
    ): Promise<{ readonly paceMs: number; readonly pauseMs: number }> => {
      await send(events);
      const work = watchedWork(async () => ({ state: await this.#read() }), {
        sinceMs: wall.now(),
        quietMs: Math.max(LATE_SETTLINGS * settleMs, this.#pace.distanceMs()),
        changeOf: (one, other) => (this.isChanged(one.state, other.state) ? "work" : "none"),
        ...(isOver && { isOver }),
        lag: this.#lag,
        wall,
      });
      const { watched } = await spent.during("rest", () => work);
      const { paceMs, pauseMs } = workIn(watched);
      return paceMs <= PROMPT_MS ? { paceMs: 0, pauseMs: 0 } : { paceMs, pauseMs };
    };
    const several = await timed(PACED);
    if (several.paceMs === 0) return this.#pace.learn(several);
    // The next event comes right after the work for this one, so it waits longest for a worker that runs at intervals.
    this.#pace.learn(await timed(1, ({ changedMs }) => changedMs !== undefined));
    this.#pace.learn(await timed(1));
    this.#pace.learnQueue(PACED, (await timed(PACED)).paceMs);
  }

  /**
   * Returns the state once it is at rest. An earlier event may still be in a queue or an outbox, and its late change
   * must not count as the work of the next event.
   */
  async before(): Promise<unknown> {
    const state = await this.now();
    if (this.#atRest !== undefined && this.#own.differences(this.#atRest.state, state).length === 0)
      return state;
    return this.settled();
  }

  /** Returns the state after the receiver has worked. If it has not changed yet, it waits longer. */
  async afterWork(before: unknown): Promise<unknown> {
    let state = await this.settled();
    for (let settling = 0; settling < SETTLINGS_MAX && !this.isChanged(before, state); settling += 1) {
      await this.#pause(this.#options.settleMs);
      state = await this.#read();
      if (!this.isChanged(before, state)) continue;
      const lateMs = this.#options.wall.now() - this.#sentAtMs;
      this.#pace.learn({ paceMs: lateMs, pauseMs: lateMs });
      state = await this.settled();
    }
    return state;
  }

  /**
   * Waits until the receiver has had its time to work, and two readings in a row are equal. Returns the state. Rejects
   * with a `CommandFailure` if no two readings are equal.
   */
  async settled(): Promise<unknown> {
    const { wall } = this.#options;
    const isEqual = (one: unknown, other: unknown): boolean => this.#own.differences(one, other).length === 0;
    const { state, ...moved } = await settledState(() => this.#read(), {
      wall,
      distanceMs: () => this.#distanceMs,
      firstMs: this.#isBrief ? PROMPT_MS : Math.max(0, this.#workedMs - wall.now()),
      pause: (ms) => this.#pause(ms),
      isEqual,
      readsMax: this.#isBrief ? 1 : Infinity,
      longestMs: () => longestFor(this.#distanceMs),
    });
    if ("before" in moved)
      throw new CommandFailure(
        "The state was still changing after 5 s. Try a longer --settle, or leave out the changing values with --ignore.",
      );
    this.#sent = 0;
    this.#atRest = { state };
    return state;
  }

  /** Waits for work that comes much later than the answer. */
  async lateWork(): Promise<void> {
    const lateMs = Math.max(this.#distanceMs, SETTLINGS_MAX * this.#options.settleMs);
    const leftMs = this.#sentAtMs + lateMs - this.#options.wall.now();
    if (leftMs > 0) await this.#pause(leftMs);
  }

  /** True if a single reading shows the work of the receiver. */
  get #isBrief(): boolean {
    return this.#pace.isPrompt && this.patience === 1;
  }

  /** The moment when the receiver has had its time to work. */
  get #workedMs(): number {
    const leastMs = this.#pace.isPrompt ? PROMPT_MS : this.#distanceMs;
    return this.#sentAtMs + Math.max(leastMs, this.patience * this.#pace.enoughMs(0, this.#sent));
  }

  /** The distance of two readings. It grows with the receiver's work, the patience and the lag of this machine. */
  get #distanceMs(): number {
    return this.#pace.distanceMs(0, this.patience);
  }

  /** Returns true if a part changed that does not change without an event. */
  isChanged(before: unknown, after: unknown): boolean {
    return this.changes(before, after).length > 0;
  }

  /** Finds the differences between two states, without the parts that are known to change by themselves. */
  changes(before: unknown, after: unknown): StateDifference[] {
    return this.#own.differences(before, after);
  }

  /** Finds the differences between two states that should be equal, without the parts that change by themselves. */
  async differences(
    first: unknown,
    second: unknown,
    names: ReadonlyMap<string, string> = new Map(),
  ): Promise<StateDifference[]> {
    const found = this.#own.differences(first, second, names);
    if (found.every(({ path }) => this.#steady.has(placeOf(path)))) return found;
    const left = this.#own.differences(first, await this.look(), names);
    for (const { path } of left) this.#steady.add(placeOf(path));
    return left;
  }

  /**
   * Returns true if deliveries change a part that does not change without them. A clock does, and sometimes by the same
   * amount.
   */
  async shows(usual: UsualChange): Promise<boolean> {
    if (!usual.isVisible()) return false;
    if (this.#idlePaths === undefined) await this.look();
    return usual.isVisible((path) => this.#idlePaths?.has(path) === true);
  }

  /** Returns true if deliveries changed only counters that name no object. */
  showsOnlyCounters(observed: ObservedDeliveries): boolean {
    return showsOnlyCounters(observed, (path) => this.#idlePaths?.has(path) === true);
  }

  /** Finds unusual changes of deliveries, without the parts that change by themselves. */
  async unusual(
    usual: UsualChange,
    observed: ObservedDeliveries,
    order?: "any order",
  ): Promise<StateDifference[]> {
    const isIdle = (path: string): boolean => this.#idlePaths?.has(path) === true;
    const found = usual.differences(observed, { order, isIdle });
    if (found.every(({ path }) => this.#steady.has(path))) return found;
    const left = usual.differences({ ...observed, after: await this.look() }, { order, isIdle });
    for (const { path } of left) this.#steady.add(path);
    return left;
  }

  /**
   * Finds the parts that change without an event, and returns the newest state. If a part moves only in the first look,
   * it is late work.
   */
  async look(): Promise<unknown> {
    let [one, two] = [await this.#read(), await this.#later()];
    if (this.#own.differences(one, two).length > 0) [one, two] = [two, await this.#later()];
    this.#own.learn(one, two);
    this.#idlePaths = new Set([...(this.#idlePaths ?? []), ...idlePaths(one, two)]);
    return two;
  }

  async #later(): Promise<unknown> {
    await this.#pause(IDLE_MS);
    return this.#read();
  }

  #pause(ms: number): Promise<void> {
    return this.#options.spent.during("rest", () => this.#lag.pause(ms));
  }

  #read(): Promise<unknown> {
    const { read, ignored = [], spent } = this.#options;
    return spent.during("answers", async () => withoutIgnored(unnamed(await read()), ignored).value);
  }
}
