/** An earlier kill comes before the system has begun its work: it may not even have read the webhook. */
const BEGUN_SHARE = 0.1;

/** The shortest time of a timer. */
export const TIMER_MS = 1;

/** A timer hits shorter work only by chance. */
export const HIT_MIN_MS = 4;

/** The answer times and the kills of one event, in milliseconds after the webhook. */
interface Measured {
  readonly answersMs: number[];
  /** The kills before an answer. */
  readonly killsMs: number[];
}

/**
 * The time that a system takes to answer each event, measured in the baselines and in each run that kills the system too
 * late. A kill follows that time, so that it falls into the work on a machine of any speed.
 */
export class AnswerTimes {
  readonly #events = new Map<string, Measured>();

  /** Notes an answer. */
  answered(event: string, afterMs: number): void {
    this.#measured(event).answersMs.push(afterMs);
  }

  /** Notes a kill before the answer. */
  killed(event: string, afterMs: number): void {
    this.#measured(event).killsMs.push(afterMs);
  }

  /** Returns the median of the answer times of an event. Zero before the first answer. */
  usualMs(event: string): number {
    const { answersMs } = this.#measured(event);
    return answersMs.toSorted((one, other) => one - other)[Math.floor((answersMs.length - 1) / 2)] ?? 0;
  }

  /** Returns true if a kill fell into the work for an event: after its begin, and before its answer. */
  isKilledAtWork(event: string): boolean {
    const leastMs = BEGUN_SHARE * this.usualMs(event);
    return this.#measured(event).killsMs.some((afterMs) => afterMs >= leastMs);
  }

  #measured(event: string): Measured {
    const measured = this.#events.get(event) ?? { answersMs: [], killsMs: [] };
    this.#events.set(event, measured);
    return measured;
  }
}
