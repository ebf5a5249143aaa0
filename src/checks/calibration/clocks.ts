import type { Span, Traffic } from "./observers/traffic.ts";

/** An answer of the platform with the time on it. */
interface Timed {
  /** From the request to the end of the answer, on the clock of the recorder. */
  readonly recorded: Span;
  /** The `Date` of the answer, in whole seconds. Undefined if the answer has no `Date`. */
  readonly date: number | undefined;
}

/** A webhook that arrived, with the time of its event. */
interface Arrived {
  /** The time of the event, on the clock of the platform. */
  readonly at: Span | undefined;
  /** From the beginning of the attempt to its end, on the clock of the recorder. */
  readonly recorded: Span;
  /** These moments may be later than written by this time. */
  readonly precisionMs: number;
}

/** A `Date` has whole seconds, so the answer came at most this much later. */
const DATE_MS = 999;

/** Clocks with a larger difference count as two clocks. */
const DIFFERENCE_MS_MAX = 60_000;

/** The offset between two clocks with the same speed may seem to vary by this much. */
const VARIATION_MS = 2_000;

/** The clock of the platform, as far as the recorder can know. */
export interface PlatformClock {
  readonly state: Traffic["clocks"];
  /** The platform's lead over the recorder. Undefined if it varies. */
  readonly offsetMs: number | undefined;
  /** Returns the time of an answer, on the clock of the platform. */
  at(answer: Timed): Span;
}

/**
 * Compares the clock of the platform, the `Date` of its answers, with the recorder's. Each answer bounds the offset
 * between the two. No webhook arrives before its event, so each one bounds the offset from below. If one offset fits
 * nearly all of them, both clocks have the same speed. An answer can then be placed more precisely than the whole second
 * of its `Date`.
 */
export function platformClock(answers: readonly Timed[], webhooks: readonly Arrived[]): PlatformClock {
  const bounds = answers.flatMap(({ recorded, date }) =>
    date === undefined ? [] : [{ from: date - recorded.to, to: date + DATE_MS - recorded.from }],
  );
  const middle = medianOf(bounds.map(({ from, to }) => (from + to) / 2));
  const fitting = bounds.filter(
    ({ from, to }) => from <= middle + VARIATION_MS && to >= middle - VARIATION_MS,
  );
  const dated = Math.max(...fitting.map((bound) => bound.from));
  const to = Math.min(...fitting.map((bound) => bound.to));
  const isAlike = fitting.length >= bounds.length * 0.9 && dated <= to + VARIATION_MS;
  if (!isAlike)
    return { state: "two", offsetMs: undefined, at: (answer) => dateSpan(answer) ?? answer.recorded };
  const arrivals = webhooks.flatMap(({ at, recorded, precisionMs }) =>
    at === undefined ? [] : [at.from - recorded.from - precisionMs],
  );
  const arrived = Math.max(...arrivals);
  // A time in a body may be another one than that of its event.
  const from = arrived <= to ? Math.max(dated, arrived) : dated;
  // An offset of zero is the simplest if it fits: a whole second cannot show a smaller offset.
  const isOne = from <= 0 && to >= 0;
  // Slow webhooks look like a platform that is behind. Without webhooks, no time of the other clock is compared.
  const behindMs = arrivals.length === 0 ? 0 : Math.max(from, -DATE_MS);
  const least = isOne ? behindMs : Math.min(from, to);
  const largest = isOne ? 0 : Math.max(from, to);
  const isNear = Math.abs(middle) <= DIFFERENCE_MS_MAX;
  return {
    state: isOne ? "one" : "shifted",
    offsetMs: isOne ? 0 : Math.round((least + largest) / 2),
    at: (answer) => {
      const ofDate = dateSpan(answer);
      const shifted = { from: answer.recorded.from + least, to: answer.recorded.to + largest };
      if (ofDate === undefined) return shifted;
      if (!isNear) return ofDate;
      const both = { from: Math.max(ofDate.from, shifted.from), to: Math.min(ofDate.to, shifted.to) };
      return both.from <= both.to ? both : ofDate;
    },
  };
}

function dateSpan({ date }: Timed): Span | undefined {
  return date === undefined ? undefined : { from: date, to: date + DATE_MS };
}

function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? 0;
}

/** Returns the note about a file whose two clocks differ by more than a minute. */
export function clockNote(file: string, { state, offsetMs }: PlatformClock): string | undefined {
  if (state === "two")
    return `${file} has two clocks, of the recorder and of the platform (Date), with different speeds. Times of the two clocks are not compared, so the times between attempts of a webhook are not measured.`;
  if (offsetMs === undefined || Math.abs(offsetMs) <= DIFFERENCE_MS_MAX) return undefined;
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const direction = offsetMs > 0 ? "ahead of" : "behind";
  return `${file} has two clocks: the platform's (Date) is ${minutes} min ${direction} the recorder's. Times of the two clocks are not compared.`;
}
