import {
  DEADLINE_MS,
  DISTANCES_MAX,
  Lag,
  longestFor,
  POLL_MS,
  PROMPT_LEAST_MS,
  PROMPT_MS,
  type SettledState,
  settledState,
} from "./settled-state.ts";
import { idleThreads } from "./idle-threads.ts";
import type { IgnoredPath } from "./states/ignored-paths.ts";
import { type Glance, OwnMovement } from "./own-movement.ts";
import { LAGS, Pace, PACE_MARGIN } from "./pace.ts";
import { ruleOfRest, watching, workIn } from "./rest-rule.ts";
import { UsualWork, type Work } from "./usual-work.ts";
import { watchedWork } from "./watched-work.ts";
import type { Wall } from "../base/wall.ts";

interface RestOptions {
  readonly wall: Wall;
  /** The wall time that work after an answer may take. 0 for a system of this process. */
  readonly settleMs: number;
  /** True if `settleMs` is a default. Then the search does not wait for a system without such work. */
  readonly isDefault: boolean;
  /** The ids of the system's processes. Absent if it was started elsewhere. */
  readonly pids?: (() => readonly number[]) | undefined;
  /** Waits until the failed calls of the system were repeated, or their time is over. Returns true if it had to wait. */
  readonly repeatsOver: () => Promise<boolean>;
  /** The paths that the user leaves out. Their changes are no work. */
  readonly ignored?: readonly IgnoredPath[];
}

/** The maximum number of waits in one place. Work and repeats may follow each other without end. */
const TURNS_MAX = 5;

/** The number of exchanges in a timed run with a longer quiet time, and that time: at least so many of each. */
const TIMED_LONG = 3;
const QUIET_SETTLINGS = 5;
const QUIET_DISTANCES = 1.5;

/** If work paused for more than this share of its quiet time, some of it may have come later. */
const SURE_SHARE = 0.45;

/** The pause between two looks at the calls of the system. */
const CALL_POLL_MS = 5;

/** After a timed run, late work gets this many lags of the machine, up to the deadline. */
const LAST_LOOK_LAGS = 100;

/** The largest factor for the wait between two steps of a patient run. At the end it waits with all of its patience. */
const STEP_PATIENCE_MAX = 3;

/**
 * Finds out when a partner's system has finished the work of the last step or event. It times the work after the
 * answers of the baselines. Later, the distance between two readings grows with that time and with the lag of this
 * machine.
 */
export class Rest {
  readonly #options: RestOptions;
  readonly #lag: Lag;
  readonly #pace: Pace;
  #slowestMs = 0;
  #isDisturbed = false;
  #patience = 1;
  #isTiming = false;
  #timed = 0;
  #timedLong = TIMED_LONG;
  #quietMs = 0;
  #isRestless = false;
  #disturbedMs = 0;
  /** The moment of the last seen change, or of the last exchange if that is later. */
  #movedMs = 0;
  /** The end of the last watch, until the next exchange. */
  #still: { readonly last: Glance; readonly sinceMs: number } | undefined;
  #glance: (() => Promise<Glance>) | undefined;
  #calls: (() => number) | undefined;
  /** The kinds of the exchanges since the last rest, and the calls until then. */
  readonly #kinds = new Set<string>();
  #callsBefore = 0;
  readonly #usual = new UsualWork();
  #isFollower = (): boolean => false;
  /** The places of the state that move by themselves. */
  readonly own: OwnMovement;

  constructor(options: RestOptions) {
    this.#options = options;
    this.#lag = new Lag(options.wall);
    this.#pace = new Pace({ ...options, lag: this.#lag });
    this.own = new OwnMovement(options.ignored ?? []);
  }

  /**
   * Begins a run. `glance` shows the data that the system's work may change. `isFollower` returns true if the system
   * itself reports when it is idle. `timedLong` is the number of exchanges with a longer quiet time; default: 3, and 0
   * after a timed run that was sure. `calls` counts the calls of the system that were not disturbed. With it, a rest ends
   * when the usual calls have come.
   */
  begin(run: {
    readonly patience: number;
    readonly isTiming: boolean;
    readonly timedLong?: number;
    readonly glance: () => Promise<Glance>;
    readonly calls?: () => number;
    readonly isFollower: () => boolean;
  }): void {
    this.#patience = run.patience;
    this.#isTiming = run.isTiming;
    this.#glance = run.glance;
    this.#calls = run.calls;
    this.#kinds.clear();
    this.#callsBefore = run.calls?.() ?? 0;
    this.#still = undefined;
    this.#isFollower = run.isFollower;
    this.#isDisturbed = false;
    this.#slowestMs = 0;
    this.#timed = 0;
    const isKnown = this.#pace.isMeasured && this.isSure;
    this.#timedLong = run.timedLong ?? (isKnown ? 0 : TIMED_LONG);
    // Work that a run without enough time showed may belong to the exchange before.
    if (run.isTiming && !isKnown) this.#usual.clear();
    const settleMs = this.#options.settleMs * Math.min(run.patience, STEP_PATIENCE_MAX);
    this.#quietMs = Math.max(QUIET_SETTLINGS * settleMs, QUIET_DISTANCES * this.#distanceMs);
  }

  /** Reads the end of the same run once more, with this patience. */
  again(patience: number): void {
    this.#patience = patience;
    this.#isTiming = false;
  }

  /** True if the run that was timed gave the system enough time. Otherwise it has to be played again. */
  get isSure(): boolean {
    return this.#options.settleMs === 0 || this.#pace.pauseMs <= SURE_SHARE * this.#quietMs;
  }

  /** True if the system itself reports when it is idle. */
  get isFollowed(): boolean {
    return this.#isFollower();
  }

  /** The method that detects the end of the system's work: the first possible one. */
  get method(): string {
    const { pids } = this.#options;
    if (this.isFollowed) return "its clock";
    return pids !== undefined && pids().length > 0 ? "its processes" : "equal readings";
  }

  /** True if the system has done its work when it answers, as the baselines showed. */
  get isPrompt(): boolean {
    return this.#pace.isPrompt && !this.#isRestless;
  }

  /** The most by which this machine was late so far, in milliseconds. */
  get mostLagMs(): number {
    return this.#lag.mostMs;
  }

  /** True if the state was still changing at a deadline. */
  get isRestless(): boolean {
    return this.#isRestless;
  }

  /** Notes a request to the system, with the duration of its answer. `kinds` name the work that a run repeats. */
  disturb(answerMs: number, ...kinds: readonly string[]): void {
    for (const kind of kinds.length === 0 ? [""] : kinds) this.#kinds.add(kind);
    this.#slowestMs = Math.max(this.#slowestMs, answerMs);
    this.#disturbedMs = this.#options.wall.now();
    this.#movedMs = this.#disturbedMs;
    this.#still = undefined;
    this.#isDisturbed = true;
  }

  /** Waits until the system has finished the work of the last step or event, before the next one. */
  async settle(): Promise<void> {
    const { settleMs, repeatsOver } = this.#options;
    if (settleMs === 0) {
      if (this.#isDisturbed) await this.#turns();
      this.#isDisturbed = false;
      return;
    }
    let hasWaited = await repeatsOver();
    for (let turn = 0; turn < TURNS_MAX && (this.#isDisturbed || hasWaited); turn++) {
      this.#isDisturbed = false;
      if (this.isFollowed) return;
      await this.#workDone();
      // A call of this work may have failed, too.
      hasWaited = await repeatsOver();
    }
    this.#kinds.clear();
    this.#callsBefore = this.#calls?.() ?? 0;
  }

  /** Waits until a reading shows an awaited value, or until the time for a changing state is over. True if it came. */
  async until(isShown: () => Promise<boolean>): Promise<boolean> {
    const { wall, settleMs } = this.#options;
    const endMs = wall.now() + longestFor(this.#distanceMs * Math.min(this.#patience, STEP_PATIENCE_MAX));
    for (let reads = 1; ; reads++) {
      if (await isShown()) return true;
      // In this process the number of readings is the limit, and not their time.
      if (settleMs === 0 ? reads > DISTANCES_MAX : wall.now() >= endMs) return false;
      await (settleMs === 0 ? this.#turns() : this.#lag.pause(POLL_MS));
    }
  }

  /** Waits until the system has finished its work since the last disturbance. */
  async #workDone(): Promise<void> {
    const { wall, settleMs, isDefault } = this.#options;
    if (this.#isTiming && !this.#isRestless)
      return this.#time(wall.now(), this.#timed++ < this.#timedLong ? this.#quietMs : this.#distanceMs);
    if (this.isPrompt && this.#patience === 1) return wall.pause(isDefault ? 0 : settleMs);
    const usual = this.#patience === 1 ? this.#usual.after(this.#kinds) : undefined;
    if (usual !== undefined) return this.#usualDone(usual);
    const workMs = this.#pace.isMeasured ? this.#pace.enoughMs() : PACE_MARGIN * settleMs;
    return this.#idle(Math.max(this.#leastMs, workMs * Math.min(this.#patience, STEP_PATIENCE_MAX)));
  }

  /**
   * The wait after an answer without usual work. The threads of the system show if a busy machine keeps them waiting.
   * Then only its calls may still wait for this process.
   */
  get #promptMs(): number {
    const lags = (this.#options.pids?.() ?? []).length > 0 ? 1 : LAGS;
    return Math.max(PROMPT_LEAST_MS, lags * this.#lag.ms);
  }

  /** The least wait for work that is not known, or that did not come. */
  get #leastMs(): number {
    return Math.max(PROMPT_MS, this.#promptMs);
  }

  /** Waits until the usual work of an exchange has come, or until nothing has changed for longer than work pauses. */
  async #usualDone(usual: Work): Promise<void> {
    const { wall, settleMs } = this.#options;
    if (usual.paceMs === 0 && usual.calls === 0) return this.#idle(this.#promptMs);
    const leastMs = this.#leastMs;
    const begunMs = wall.now();
    // A worker that polls was early by chance if it was late after another exchange.
    const ms = Math.max(leastMs, settleMs, PACE_MARGIN * usual.paceMs, PACE_MARGIN * this.#usual.slowestMs);
    let last = await this.#glance?.();
    let watched = watching({ sinceMs: begunMs, begunMs, quietMs: this.#distanceMs, longestMs: ms });
    let verdict = "wait";
    while (verdict === "wait") {
      if (await this.#callsCome(usual)) {
        this.#movedMs = wall.now();
        break;
      }
      const next = await this.#glance?.();
      const change = this.own.changeOf(last, next);
      ({ verdict, watched } = ruleOfRest(watched, { change }, wall.now()));
      last = next;
      if (change !== "none") this.#movedMs = wall.now();
      if (usual.calls === 0 && change === "work") break;
    }
    // Nothing came, so nothing follows it.
    if (verdict === "rest") return this.#idle(leastMs);
    const leftMs = ms - (wall.now() - begunMs);
    await this.#idle(Math.max(leastMs, Math.min(leftMs, PACE_MARGIN * usual.tailMs)));
  }

  get #newCalls(): number {
    return (this.#calls?.() ?? 0) - this.#callsBefore;
  }

  /** Lets a moment pass until the next reading. Returns true as soon as the usual calls have come. */
  async #callsCome({ calls }: Work): Promise<boolean> {
    const stepMs = calls === 0 ? POLL_MS : CALL_POLL_MS;
    for (let ms = 0; ms < POLL_MS; ms += stepMs) {
      if (calls > 0 && this.#newCalls >= calls) return true;
      await this.#lag.pause(stepMs);
    }
    return false;
  }

  /** Looks once more after a timed run. If work comes so late, the system gets more time from now on. */
  async lookAgain(): Promise<void> {
    if (this.#options.settleMs === 0 || this.#isRestless) return;
    const lagsMs = Math.min(LAST_LOOK_LAGS * this.#lag.ms, DEADLINE_MS);
    await this.#time(this.#disturbedMs, Math.max(this.#quietMs, lagsMs * this.#patience));
  }

  /**
   * Finds values that move although no work was given to the system, such as a clock or a counter of readings. They do
   * not count for rest. Returns the first state.
   */
  async learnMoving(read: () => Promise<unknown>): Promise<unknown> {
    const { settleMs, wall } = this.#options;
    const first = await read();
    await (settleMs === 0 ? this.#turns() : wall.pause(settleMs));
    this.own.learn(first, await read());
    return first;
  }

  /** Gives the system at least this many times its measured time from now on. 0 ends that. */
  slowDown(times: number): void {
    this.#pace.slowDown(times);
    if (times > 0) this.#usual.clear();
  }

  /** Reads a state until two readings are equal. A system without work after its answers is read once. */
  async read(
    read: () => Promise<unknown>,
    { isQuick = false }: { readonly isQuick?: boolean } = {},
  ): Promise<SettledState> {
    const { wall, settleMs } = this.#options;
    return settledState(read, {
      wall,
      distanceMs: () => this.#distanceMs,
      firstMs: isQuick ? this.#quickMs : this.#lastWaitMs,
      pause: (ms) => (settleMs === 0 ? this.#turns() : this.#idle(ms)),
      // In this process the number of readings is the limit, and not their time.
      isEqual: (one, other) => this.own.differences(one, other).length === 0,
      readsMax: isQuick ? 1 : settleMs === 0 ? 1 + DISTANCES_MAX : Infinity,
      longestMs: () => (settleMs === 0 ? Infinity : longestFor(this.#lastWaitMs)),
    });
  }

  /** The distance of two readings. */
  get #distanceMs(): number {
    return this.#pace.distanceMs(this.#slowestMs);
  }

  /** The wait before the first reading of the end. */
  get #lastWaitMs(): number {
    // A system that was never late gets more time for its measured work alone.
    const enoughMs = this.#pace.enoughMs(this.#slowestMs);
    const workMs = this.isPrompt ? enoughMs : Math.max(this.#options.settleMs, enoughMs);
    return Math.max(this.#distanceMs, workMs * this.#patience);
  }

  /** The time that a system is watched after its last seen change: usually, and in the first run with something new. */
  get watched(): { readonly usualMs: number; readonly longMs: number } {
    const usualMs = this.#distanceMs;
    return { usualMs, longMs: Math.max(usualMs, QUIET_SETTLINGS * this.#options.settleMs) };
  }

  /** Waits until this long after the last seen change. Returns false if that time is over. */
  async lateWork(watchedMs: number): Promise<boolean> {
    const leftMs = this.#movedMs + watchedMs - this.#options.wall.now();
    if (leftMs > 0) await this.#idle(leftMs);
    return leftMs > 0;
  }

  /** Gives the system this much time from now on, because its work came so late. */
  learnLate(watchedMs: number): void {
    this.slowDown(Math.max(1, watchedMs / this.#distanceMs / PACE_MARGIN));
  }

  /** Lets late work of a run end, before the next run begins. Otherwise it would show in the next run. */
  async drained(): Promise<void> {
    const { settleMs, wall } = this.#options;
    if (settleMs > 0) await wall.pause(Math.min(DEADLINE_MS, DISTANCES_MAX * this.#distanceMs));
  }

  /** The wait before a single reading. A change before that reading is older than the longest pause of the work. */
  get #quickMs(): number {
    if (this.isPrompt) return Math.min(PROMPT_MS, this.#promptMs);
    return Math.max(PROMPT_MS, this.#movedMs + this.#pace.endMs(this.#slowestMs) - this.#options.wall.now());
  }

  /** Gives the work of this process its turns. */
  async #turns(): Promise<void> {
    for (let turn = 0; turn < this.#patience; turn++) await this.#options.wall.pause(0);
  }

  /**
   * Measures the last change since a moment. Ends after this many milliseconds without a change. If only clocks in the
   * state move until the deadline, they are left out from now on.
   */
  async #time(sinceMs: number, quietMs: number): Promise<void> {
    const glance = this.#glance ?? (async () => ({ state: undefined, calls: undefined }));
    const { verdict, watched, first, last } = await watchedWork(glance, {
      sinceMs,
      // If this machine was late, the system may have had no processor in that time.
      still: this.#lag.ms > POLL_MS ? undefined : this.#still,
      quietMs,
      changeOf: (one, other) => this.own.changeOf(one, other),
      lag: this.#lag,
      wall: this.#options.wall,
    });
    this.#isRestless = verdict === "restless";
    if (this.#isRestless) return;
    if (verdict === "only clocks") this.own.learnClocks(first, last);
    const worked = verdict === "only clocks" ? { ...watched, changedMs: watched.workedMs } : watched;
    const { paceMs, pauseMs, tailMs } = workIn(worked);
    this.#pace.learn({ paceMs, pauseMs });
    this.#movedMs = Math.max(this.#movedMs, worked.changedMs ?? 0);
    this.#still = { last, sinceMs: worked.changedMs ?? worked.stillSinceMs };
    this.#usual.learn(this.#kinds, { paceMs, calls: this.#newCalls, tailMs });
  }

  /** Lets time pass for the work of the system. In a timed run, a change meanwhile shows how late its work comes. */
  async #idle(ms: number): Promise<void> {
    if (this.#isTiming && !this.#isRestless) return this.#time(this.#disturbedMs, ms);
    const { wall, pids = () => [] } = this.#options;
    await idleThreads(ms, { pids, lag: this.#lag, wall });
  }
}
