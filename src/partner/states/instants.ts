import { parseInstant } from "../../simulator/engine/instant.ts";

/** The smallest number that counts as a time, in milliseconds: the year 2001. */
export const TIMES_MIN = 1_000_000_000_000;

/** Returns the possible instants in a value: a timestamp, or a number of milliseconds or seconds. */
export function instantsOf(value: unknown): number[] {
  if (typeof value === "number") return [value, value * 1000];
  const instant = typeof value === "string" ? parseInstant(value) : undefined;
  return instant === undefined ? [] : [instant];
}

/** Returns true for a value that a clock could show: a timestamp, or the seconds or milliseconds of today. */
export function isClockReading(value: unknown): boolean {
  return instantsOf(value).some((instant) => instant > TIMES_MIN) && !(Number(value) < TIMES_MIN / 1000);
}
