import { Temporal } from "temporal-polyfill";

/** A point in time: integer milliseconds since the Unix epoch. */
export type Instant = number;

/** Formatted timestamps: an object is read far more often than it changes. Read ones: worlds of one seed begin alike. */
const formatted = new Map<Instant, string>();
const parsed = new Map<string, Instant>();
const KNOWN_MAX = 10_000;

/** `2026-11-20T12:00:00.000Z`: how every timestamp of the interface is written (interface: Common shapes). */
export function formatInstant(instant: Instant): string {
  const known = formatted.get(instant);
  if (known !== undefined) return known;
  const text = Temporal.Instant.fromEpochMilliseconds(instant).toString({ smallestUnit: "millisecond" });
  if (formatted.size >= KNOWN_MAX) formatted.clear();
  formatted.set(instant, text);
  return text;
}

/** A timestamp with six decimals, for creation times that have to be unique within one millisecond. */
export function formatMicroseconds(microseconds: number): string {
  return Temporal.Instant.fromEpochNanoseconds(BigInt(microseconds) * 1000n).toString({
    smallestUnit: "microsecond",
  });
}

/** It starts with a year of four digits and has no calendar or zone name after the offset (RFC 3339). */
const TIMESTAMP_FORM = /^\d{4}-\d{2}-\d{2}[Tt ][^[]+$/;

/** Reads an RFC 3339 timestamp with its offset; undefined for other text. */
export function parseInstant(text: string): Instant | undefined {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  if (!TIMESTAMP_FORM.test(text)) return undefined;
  try {
    const instant = Temporal.Instant.from(text).epochMilliseconds;
    if (parsed.size >= KNOWN_MAX) parsed.clear();
    parsed.set(text, instant);
    return instant;
  } catch {
    return undefined;
  }
}

/** Reads an RFC 3339 timestamp to the microsecond, rounding a finer one; undefined for other text. */
export function parseMicroseconds(text: string, roundingMode: "floor" | "ceil"): number | undefined {
  if (!TIMESTAMP_FORM.test(text)) return undefined;
  try {
    const rounded = Temporal.Instant.from(text).round({ smallestUnit: "microsecond", roundingMode });
    return Number(rounded.epochNanoseconds / 1000n);
  } catch {
    return undefined;
  }
}

/** An ISO 8601 duration such as `PT5S` or `P1M`, as text: stored and sent unchanged. */
export type IsoDuration = string;

/** The years of four digits: a longer duration leads past the end of the calendar. */
const LONGEST: IsoDuration = "P9999Y";

/** The longest delay that can be set: long enough for any use, short enough that the due date is in the calendar. */
export const LONGEST_DELAY: IsoDuration = "P100Y";

/** Whether the text is a duration that is not negative and at most `longest`. */
export function isDuration(text: string, longest: IsoDuration = LONGEST): boolean {
  const key = `${longest} ${text}`;
  const known = durations.get(key);
  if (known !== undefined) return known;
  const isOne = readsAsDuration(text, longest);
  if (durations.size < DURATIONS_KEPT_MAX) durations.set(key, isOne);
  return isOne;
}

/** Scenarios have the same few durations again and again, and to compare two takes Temporal a third of a millisecond. */
const durations = new Map<string, boolean>();
const DURATIONS_KEPT_MAX = 1_000;

function readsAsDuration(text: string, longest: IsoDuration): boolean {
  try {
    const duration = Temporal.Duration.from(text);
    return duration.sign >= 0 && Temporal.Duration.compare(duration, longest, ANY_YEAR) <= 0;
  } catch {
    return false;
  }
}

/** Months and years only have a length relative to a date. */
const ANY_YEAR = { relativeTo: "2026-01-01" };

export const CLOCK_LAST_YEAR = 9899;

/** The range of a clock, for messages. */
export const CLOCK_YEARS = `the years 1 to ${CLOCK_LAST_YEAR}`;

/** The first and the last instant of a clock: a timer armed there still has a date. */
export const CLOCK_BOUNDS: { readonly first: Instant; readonly last: Instant } = {
  first: Temporal.Instant.from("0001-01-02T00:00:00Z").epochMilliseconds,
  last: Temporal.Instant.from(`${CLOCK_LAST_YEAR}-12-31T23:59:59.999Z`).epochMilliseconds,
};

/** Whether a clock can be set to an instant. */
export function isOnTheClock(instant: Instant): boolean {
  return instant >= CLOCK_BOUNDS.first && instant <= CLOCK_BOUNDS.last;
}

const fixedLengths = new Map<IsoDuration, number>();
/** Sums on the calendar: what happens at one instant is due again at one. */
const sums = new Map<string, Instant>();

/**
 * `instant` plus `duration`. Hours and less are exact; days and more are counted on the calendar of
 * `timeZone`, so that P1M from the 31st ends on the last day of a shorter month. Parts of a millisecond are cut.
 */
export function addDuration(instant: Instant, duration: IsoDuration, timeZone: string): Instant {
  const length = fixedLengths.get(duration);
  if (length !== undefined) return instant + length;
  const key = `${instant} ${duration} ${timeZone}`;
  const known = sums.get(key);
  if (known !== undefined) return known;
  const added = Temporal.Duration.from(duration);
  if (added.years || added.months || added.weeks || added.days) {
    const start = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
    const sum = start.add(added).epochMilliseconds;
    if (sums.size >= KNOWN_MAX) sums.clear();
    sums.set(key, sum);
    return sum;
  }
  const fixed = Math.floor(added.total("milliseconds"));
  fixedLengths.set(duration, fixed);
  return instant + fixed;
}
