/** An earlier kill comes before the system has begun its work: it may not even have read the webhook. */
const BEGUN_SHARE = 0.1;

/** If a larger share of the work had no slow kill, the kills missed it. The first planned kill leaves half of it. */
const UNTOUCHED_MAX_SHARE = 2 / 3;

/** The shortest time of a timer. */
export const TIMER_MS = 1;

/** A timer hits shorter work only by chance. */
export const HIT_MIN_MS = 4;

/** A part of the work for an event, in milliseconds after the webhook. */
export interface WorkTime {
  readonly fromMs: number;
  readonly toMs: number;
}

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

  /**
   * Returns the work for an event that no kill reached. Undefined if the kills reached it. One kill at its planned
   * moment is enough. A slow kill may miss that moment, so slow kills have to be spread.
   */
  missedWork(event: string, { isSpread }: { readonly isSpread: boolean }): WorkTime | undefined {
    const usualMs = this.usualMs(event);
    const kills = this.#measured(event).killsMs;
    if (!isSpread)
      return kills.some((ms) => ms >= BEGUN_SHARE * usualMs) ? undefined : { fromMs: 0, toMs: usualMs };
    let widest = { fromMs: 0, toMs: 0 };
    let fromMs = 0;
    for (const ms of [...kills.toSorted((one, other) => one - other), usualMs]) {
      const toMs = Math.min(ms, usualMs);
      if (toMs - fromMs > widest.toMs - widest.fromMs) widest = { fromMs, toMs };
      fromMs = toMs;
    }
    return widest.toMs - widest.fromMs > UNTOUCHED_MAX_SHARE * usualMs ? widest : undefined;
  }

  #measured(event: string): Measured {
    const measured = this.#events.get(event) ?? { answersMs: [], killsMs: [] };
    this.#events.set(event, measured);
    return measured;
  }
}
