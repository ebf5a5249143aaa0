import { Temporal } from "temporal-polyfill";

/** A point in time: integer milliseconds since the Unix epoch. */
export type Instant = number;

/** Timestamps that were written before: an object is read far more often than it changes. */
const written = new Map<Instant, string>();
const WRITTEN_KEPT_MAX = 10_000;

/** `2026-11-20T12:00:00.000Z`: how every timestamp of the interface is written (interface: Common shapes). */
export function formatInstant(instant: Instant): string {
  const known = written.get(instant);
  if (known !== undefined) return known;
  const text = Temporal.Instant.fromEpochMilliseconds(instant).toString({ smallestUnit: "millisecond" });
  if (written.size >= WRITTEN_KEPT_MAX) written.clear();
  written.set(instant, text);
  return text;
}

/** The same with six decimals, for the creation times that have to be unique within one millisecond. */
export function formatMicroseconds(microseconds: number): string {
  return Temporal.Instant.fromEpochNanoseconds(BigInt(microseconds) * 1000n).toString({
    smallestUnit: "microsecond",
  });
}

/** A year of four digits first, and no name of a calendar or a zone after the offset (RFC 3339). */
const TIMESTAMP_FORM = /^\d{4}-\d{2}-\d{2}[Tt ][^[]+$/;

/** Reads an RFC 3339 timestamp with its offset; undefined for anything else. */
export function parseInstant(text: string): Instant | undefined {
  if (!TIMESTAMP_FORM.test(text)) return undefined;
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return undefined;
  }
}

/** Reads an RFC 3339 timestamp to the microsecond, a finer one rounded as told; undefined for anything else. */
export function parseMicroseconds(text: string, roundingMode: "floor" | "ceil"): number | undefined {
  if (!TIMESTAMP_FORM.test(text)) return undefined;
  try {
    const rounded = Temporal.Instant.from(text).round({ smallestUnit: "microsecond", roundingMode });
    return Number(rounded.epochNanoseconds / 1000n);
  } catch {
    return undefined;
  }
}

/** An ISO 8601 duration such as `PT5S` or `P1M`, as text: stored and sent as it was written. */
export type IsoDuration = string;

/** As far as the years of four digits go; what is longer leads past the end of the calendar. */
const LONGEST: IsoDuration = "P9999Y";

/** The longest that anything is kept waiting: longer than any story a sandbox tells, short enough for every date to exist. */
export const LONGEST_DELAY: IsoDuration = "P100Y";

/** Whether the text is a duration that does not run backwards, and is no longer than `longest`. */
export function isDuration(text: string, longest: IsoDuration = LONGEST): boolean {
  try {
    const duration = Temporal.Duration.from(text);
    return duration.sign >= 0 && Temporal.Duration.compare(duration, longest, ANY_YEAR) <= 0;
  } catch {
    return false;
  }
}

/** Months and years have no length but from some date on. */
const ANY_YEAR = { relativeTo: "2026-01-01" };

export const CLOCK_LAST_YEAR = 9899;

/** Where a clock can stand, as a sentence says it. */
export const CLOCK_YEARS = `the years 1 to ${CLOCK_LAST_YEAR}`;

/** The first and the last instant that a clock can stand at: whatever is armed from there still has a date. */
export const CLOCK_BOUNDS: { readonly first: Instant; readonly last: Instant } = {
  first: Temporal.Instant.from("0001-01-02T00:00:00Z").epochMilliseconds,
  last: Temporal.Instant.from(`${CLOCK_LAST_YEAR}-12-31T23:59:59.999Z`).epochMilliseconds,
};

/** Whether a clock can stand at an instant. */
export function isOnTheClock(instant: Instant): boolean {
  return instant >= CLOCK_BOUNDS.first && instant <= CLOCK_BOUNDS.last;
}

const fixedLengths = new Map<IsoDuration, number>();

/**
 * `instant` moved on by `duration`. Hours and less are exact; days and more are counted on the calendar of
 * `timeZone`, so that P1M from the 31st ends on the last day of a shorter month. Parts of a millisecond are cut.
 */
export function addDuration(instant: Instant, duration: IsoDuration, timeZone: string): Instant {
  const known = fixedLengths.get(duration);
  if (known !== undefined) return instant + known;
  const parsed = Temporal.Duration.from(duration);
  if (parsed.years || parsed.months || parsed.weeks || parsed.days) {
    return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone).add(parsed)
      .epochMilliseconds;
  }
  const length = Math.floor(parsed.total("milliseconds"));
  fixedLengths.set(duration, length);
  return instant + length;
}
