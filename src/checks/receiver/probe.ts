import { CommandFailure } from "../../base/failures.ts";
import { type ObservedDeliveries, type UsualChange, idlePaths, showsOnlyCounters } from "./state-change.ts";
import { type StateDifference, isCompared, placeOf } from "../../partner/states/comparison.ts";
import { OwnChanges, unnamed } from "../../partner/states/own-changes.ts";
import { Lag, longestFor, POLL_MS, PROMPT_MS, settledState } from "../../partner/settled-state.ts";
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

/** The least number of this machine's lags between two readings. */
const LAGS = 10;

/** The number of events that show how long each waits for the events before it. */
const PACED = 5;

/** A receiver may take longer than while it was timed, and more so for each of many events. */
const MARGIN = 1.5;
const QUEUE_MARGIN = 3;

/** The maximum time for measuring its work. */
const PACE_MAX_MS = 15_000;

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
  /** The time from its answer until an event shows, and the additional time for each event that was sent before it. */
  #pace = { firstMs: 0, eachMs: 0 };
  #sent = 0;
  #sentAtMs = 0;
  #isLearned = false;
  #isPrompt = false;
  /** The factor for the time that the receiver gets for its work. */
  patience = 1;
  /** The state at rest. No event was sent since. */
  #atRest: { readonly state: unknown } | undefined;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#own = new OwnChanges(options.identities);
    this.#lag = new Lag(options.wall);
  }

  /** The most by which this machine was late so far, in milliseconds. */
  get mostLagMs(): number {
    return this.#lag.mostMs;
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
    const { settleMs, isDefault = false } = this.#options;
    const quietMs = SETTLINGS_MAX * settleMs;
    await this.#look();
    let state = await this.before();
    /** Measures the time of the first or the last change of the state. The last change is followed by a quiet time. */
    const changeMs = async (events: number, which: "first" | "last", calmMs = quietMs): Promise<number> => {
      await send(events);
      const begunMs = this.#options.wall.now();
      for (let changedMs = 0; ; await this.#pause(Math.min(POLL_MS, settleMs))) {
        const ms = this.#options.wall.now() - begunMs;
        const next = await this.#read();
        const isChanged = this.isChanged(state, next);
        if (isChanged) [state, changedMs] = [next, ms];
        if ((isChanged && which === "first") || ms - changedMs >= calmMs || ms >= PACE_MAX_MS)
          return changedMs;
      }
    };
    this.#isPrompt = isDefault && (await changeMs(PACED, "last")) <= PROMPT_MS;
    if (this.#isPrompt) return;
    const soonMs = await changeMs(1, "first");
    const firstMs = Math.max(soonMs, await changeMs(1, "last"));
    const allMs = await changeMs(PACED, "last", Math.max(quietMs, MARGIN * firstMs));
    this.#pace = { firstMs, eachMs: Math.max(0, allMs - firstMs) / PACED };
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
      this.#pace.firstMs = Math.max(this.#pace.firstMs, this.#options.wall.now() - this.#sentAtMs);
      this.#isPrompt = false;
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

  /** True if a single reading shows the work of the receiver. */
  get #isBrief(): boolean {
    return this.#isPrompt && this.patience === 1;
  }

  /** The moment when the receiver has had its time to work. */
  get #workedMs(): number {
    const { firstMs, eachMs } = this.#pace;
    const workMs = MARGIN * firstMs + QUEUE_MARGIN * eachMs * Math.max(0, this.#sent - 1);
    const leastMs = this.#isPrompt ? PROMPT_MS : this.#distanceMs;
    return this.#sentAtMs + Math.max(leastMs, this.patience * workMs);
  }

  /** The distance of two readings. It grows with the receiver's work, the patience and the lag of this machine. */
  get #distanceMs(): number {
    const leastMs = this.#isBrief ? PROMPT_MS : this.#options.settleMs;
    return Math.max(leastMs, this.patience * this.#pace.firstMs, LAGS * this.#lag.ms);
  }

  /** Returns true if a part changed that does not change without an event. */
  isChanged(before: unknown, after: unknown): boolean {
    return this.#own.differences(before, after).length > 0;
  }

  /** Finds the differences between two states that should be equal, without the parts that change by themselves. */
  async differences(
    first: unknown,
    second: unknown,
    names: ReadonlyMap<string, string> = new Map(),
  ): Promise<StateDifference[]> {
    const found = this.#own.differences(first, second, names);
    if (found.every(({ path }) => this.#steady.has(placeOf(path)))) return found;
    const left = this.#own.differences(first, await this.#look(), names);
    for (const { path } of left) this.#steady.add(placeOf(path));
    return left;
  }

  /**
   * Returns true if deliveries change a part that does not change without them. A clock does, and sometimes by the same
   * amount.
   */
  async shows(usual: UsualChange): Promise<boolean> {
    if (!usual.isVisible()) return false;
    if (this.#idlePaths === undefined) await this.#look();
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
    const left = usual.differences({ ...observed, after: await this.#look() }, { order, isIdle });
    for (const { path } of left) this.#steady.add(path);
    return left;
  }

  /**
   * Finds the parts that change without an event, and returns the newest state. If a part moves only in the first look,
   * it is late work.
   */
  async #look(): Promise<unknown> {
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
