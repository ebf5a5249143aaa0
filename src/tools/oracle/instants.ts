import { parseInstant } from "../../engine/instant.ts";

/** No smaller number is taken for a time: 2001, in milliseconds. */
export const TIMES_MIN = 1_000_000_000_000;

/** Returns the possible instants in a value: a timestamp, or a number of milliseconds or seconds. */
export function instantsOf(value: unknown): number[] {
  if (typeof value === "number") return [value, value * 1000];
  const instant = typeof value === "string" ? parseInstant(value) : undefined;
  return instant === undefined ? [] : [instant];
}
