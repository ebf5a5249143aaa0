import type { Span, Traffic } from "./observers/traffic.ts";

/** An answer of the platform with the time on it. */
interface Timed {
  /** From the request to the end of the answer, on the clock of the recorder. */
  readonly recorded: Span;
  /** The `Date` of the answer, in whole seconds. Undefined if the answer has no `Date`. */
  readonly date: number | undefined;
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
  /** Returns the probable time of an answer, on the clock of the platform. */
  at(answer: Timed): Span;
  /** Returns the time of an answer with every offset that fits. Two clocks that seem one may be a second apart. */
  within(answer: Timed): Span;
}

/**
 * Compares the clock of the platform, the `Date` of its answers, with the recorder's. Each answer bounds the offset
 * between the two. If one offset fits nearly all of them, both clocks have the same speed. An answer can then be placed
 * more precisely than the whole second of its `Date`.
 */
export function platformClock(answers: readonly Timed[]): PlatformClock {
  const bounds = answers.flatMap(({ recorded, date }) =>
    date === undefined ? [] : [{ from: date - recorded.to, to: date + DATE_MS - recorded.from }],
  );
  const recordedAt = ({ recorded }: Timed): Span => recorded;
  if (bounds.length === 0) return { state: "one", offsetMs: 0, at: recordedAt, within: recordedAt };
  const middle = medianOf(bounds.map(({ from, to }) => (from + to) / 2));
  const fitting = bounds.filter(
    ({ from, to }) => from <= middle + VARIATION_MS && to >= middle - VARIATION_MS,
  );
  const from = Math.max(...fitting.map((bound) => bound.from));
  const to = Math.min(...fitting.map((bound) => bound.to));
  const isAlike = fitting.length >= bounds.length * 0.9 && from <= to + VARIATION_MS;
  if (!isAlike) {
    const dated = (answer: Timed): Span => dateSpan(answer) ?? answer.recorded;
    return { state: "two", offsetMs: undefined, at: dated, within: dated };
  }
  // An offset of zero is the simplest if it fits: a whole second cannot show a smaller offset.
  const isOne = from <= 0 && to >= 0;
  const offsets = { from: Math.min(from, to), to: Math.max(from, to) };
  const isNear = Math.abs(middle) <= DIFFERENCE_MS_MAX;
  const placedBy =
    (offset: Span) =>
    (answer: Timed): Span => {
      const dated = dateSpan(answer);
      const shifted = { from: answer.recorded.from + offset.from, to: answer.recorded.to + offset.to };
      if (dated === undefined) return shifted;
      if (!isNear) return dated;
      const both = { from: Math.max(dated.from, shifted.from), to: Math.min(dated.to, shifted.to) };
      return both.from <= both.to ? both : dated;
    };
  const within = placedBy(offsets);
  if (isOne) return { state: "one", offsetMs: 0, at: placedBy({ from: 0, to: 0 }), within };
  return { state: "shifted", offsetMs: Math.round((offsets.from + offsets.to) / 2), at: within, within };
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
