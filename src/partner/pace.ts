import { type Lag, PROMPT_MS } from "./settled-state.ts";

/** The factor for a system's time: over its slowest work so far, and over the lag of the machine. */
export const PACE_MARGIN = 2;
export const LAGS = 5;

/** The factor for the longest pause of the work, if all of its usual work has come. */
const END_MARGIN = 1.25;

/** The factor for the time of each event in a queue. */
const QUEUE_MARGIN = 3;

/** The work of a system after its answers: its duration, and its pauses. Later waits follow from it. */
export class Pace {
  readonly #settleMs: number;
  readonly #isDefault: boolean;
  readonly #lag: Lag;
  #workMs: number | undefined;
  #pauseMs = 0;
  #eachMs = 0;
  #leastMs = 0;

  constructor({
    settleMs,
    isDefault,
    lag,
  }: {
    /** The wall time that work after an answer may take. */
    readonly settleMs: number;
    /** True if `settleMs` is a default. Then nothing waits for a system without such work. */
    readonly isDefault: boolean;
    readonly lag: Lag;
  }) {
    this.#settleMs = settleMs;
    this.#isDefault = isDefault;
    this.#lag = lag;
  }

  /** Learns the duration and the longest pause of work. */
  learn({ paceMs, pauseMs }: { readonly paceMs: number; readonly pauseMs: number }): void {
    this.#workMs = Math.max(this.#workMs ?? 0, paceMs);
    this.#pauseMs = Math.max(this.#pauseMs, pauseMs);
  }

  /** Learns the duration of the work for several events. A worker with a queue takes longer for each event in it. */
  learnQueue(events: number, paceMs: number): void {
    this.#eachMs = Math.max(0, paceMs - (this.#workMs ?? 0)) / events;
  }

  /** Gives the system at least this many times its measured time from now on. 0 ends that. */
  slowDown(times: number): void {
    this.#leastMs = Math.max(this.#workMs ?? 0, this.#settleMs) * times;
  }

  /** True if work was measured. */
  get isMeasured(): boolean {
    return this.#workMs !== undefined;
  }

  /** True if the system has done its work when it answers. */
  get isPrompt(): boolean {
    return (this.#isDefault || this.#settleMs <= PROMPT_MS) && this.isMeasured && this.workMs === 0;
  }

  /** The slowest work after an answer so far. 0 if none was measured. */
  get workMs(): number {
    return Math.max(this.#workMs ?? 0, this.#leastMs);
  }

  /** The longest pause of the work. */
  get pauseMs(): number {
    return Math.max(this.#pauseMs, this.#leastMs);
  }

  /** The distance of two readings. It is longer than the pauses of the work, and grows with the lag of the machine. */
  distanceMs(slowestAnswerMs = 0, patience = 1): number {
    return this.#longerThan(PACE_MARGIN * patience, slowestAnswerMs);
  }

  /** The time without a change that ends a run. The usual work of the run has come. */
  endMs(slowestAnswerMs: number): number {
    return this.#longerThan(END_MARGIN, slowestAnswerMs);
  }

  #longerThan(pauses: number, slowestAnswerMs: number): number {
    const pauseMs = pauses * Math.max(slowestAnswerMs, this.pauseMs);
    return Math.max(this.#settleMs, pauseMs, LAGS * this.#lag.ms);
  }

  /** The time that the work after an answer may take, for so many events of one moment. */
  enoughMs(slowestAnswerMs = 0, events = 1): number {
    const queueMs = QUEUE_MARGIN * this.#eachMs * Math.max(0, events - 1);
    return PACE_MARGIN * Math.max(slowestAnswerMs, this.workMs) + queueMs;
  }
}
