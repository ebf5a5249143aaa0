import { Temporal } from "temporal-polyfill";

/** A point in time: integer milliseconds since the Unix epoch. */
export type Instant = number;

const DAY_MS = 86_400_000;

/** The numbers below 100 with two digits. */
const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, "0"));

/** The dates of a day since the epoch, as texts: `2026-11-20` and `Fri, 20 Nov 2026`. */
interface Day {
  readonly date: string;
  readonly httpDate: string;
}

/** The timestamps of a world have few dates. */
const days = new Map<number, Day>();
const DAYS_MAX = 1_000;

/** `2026-11-20T12:00:00.000Z`: how every timestamp of the platform API is written (interface: Common shapes). */
export function formatInstant(instant: Instant): string {
  const day = Math.floor(instant / DAY_MS);
  const ms = Math.trunc(instant - day * DAY_MS);
  return `${dayAt(day).date}T${timeAt(ms)}.${Math.trunc((ms % 1_000) / 100)}${TWO_DIGITS[ms % 100]}Z`;
}

/** `Fri, 20 Nov 2026 12:00:00 GMT`: the form of the header `Date` (RFC 9110, 5.6.7). */
export function formatHttpDate(instant: Instant): string {
  const day = Math.floor(instant / DAY_MS);
  return `${dayAt(day).httpDate} ${timeAt(Math.trunc(instant - day * DAY_MS))} GMT`;
}

function timeAt(ms: number): string {
  const seconds = Math.trunc(ms / 1_000);
  const minutes = Math.trunc(seconds / 60);
  const hours = Math.trunc(minutes / 60);
  return `${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes - hours * 60]}:${TWO_DIGITS[seconds - minutes * 60]}`;
}

function dayAt(day: number): Day {
  const known = days.get(day);
  if (known !== undefined) return known;
  // oxlint-disable-next-line no-restricted-globals -- it reads no clock, and Temporal takes six times as long
  const midnight = new Date(day * DAY_MS);
  const made = {
    date: midnight.toISOString().slice(0, -"T00:00:00.000Z".length),
    httpDate: midnight.toUTCString().slice(0, -" 00:00:00 GMT".length),
  };
  if (days.size >= DAYS_MAX) days.clear();
  days.set(day, made);
  return made;
}

/** A timestamp with six decimals, for creation times that have to be unique within one millisecond. */
export function formatMicroseconds(microseconds: number): string {
  return Temporal.Instant.fromEpochNanoseconds(BigInt(microseconds) * 1000n).toString({
    smallestUnit: "microsecond",
  });
}

/** It starts with a year of four digits and has no calendar or zone name after the offset (RFC 3339). */
const TIMESTAMP_FORM = /^\d{4}-\d{2}-\d{2}[Tt ][^[]+$/;

const WRITTEN_LENGTH = "2026-11-20T12:00:00.000Z".length;

/** Reads an RFC 3339 timestamp with its offset; undefined for other text. */
export function parseInstant(text: string): Instant | undefined {
  if (!TIMESTAMP_FORM.test(text)) return undefined;
  // oxlint-disable-next-line no-restricted-globals -- every new world reads some, and Temporal takes far longer
  const written = text.length === WRITTEN_LENGTH ? Date.parse(text) : NaN;
  if (Number.isFinite(written) && formatInstant(written) === text) return written;
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
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

/** The durations of nearly every text. They are too short to need a comparison with a longest duration. */
const SHORT = /^P(?!$)(?:\d{1,4}D)?(?:T(?=\d)(?:\d{1,4}H)?(?:\d{1,4}M)?(?:\d{1,4}S)?)?$/;

/** Whether the text is a duration that is not negative and at most `longest`. */
export function isDuration(text: string, longest: IsoDuration = LONGEST): boolean {
  // Temporal takes a hundred times as long, and each step of a scenario has a duration.
  if (longest === LONGEST && SHORT.test(text)) return true;
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

/** The lengths of durations without days: each request adds the same few. */
const fixedLengths = new Map<IsoDuration, number>();
const FIXED_LENGTHS_MAX = 1_000;

/**
 * `instant` plus `duration`. Hours and less are exact; days and more are counted on the calendar of
 * `timeZone`, so that P1M from the 31st ends on the last day of a shorter month. Parts of a millisecond are cut.
 */
export function addDuration(instant: Instant, duration: IsoDuration, timeZone: string): Instant {
  const length = fixedLengths.get(duration);
  if (length !== undefined) return instant + length;
  const added = Temporal.Duration.from(duration);
  if (added.years || added.months || added.weeks || added.days) {
    const start = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
    return start.add(added).epochMilliseconds;
  }
  const fixed = Math.floor(added.total("milliseconds"));
  if (fixedLengths.size < FIXED_LENGTHS_MAX) fixedLengths.set(duration, fixed);
  return instant + fixed;
}

/** Returns the milliseconds of a duration. A month counts as the first month after the epoch. */
export function durationMs(duration: IsoDuration): number {
  return addDuration(0, duration, "UTC");
}
