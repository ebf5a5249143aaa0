import { parseInstant } from "../engine/instant.ts";

const decimal = /^-?\d+(?:\.\d+)?$/;
const day = /^\d{4}-\d{2}-\d{2}$/;

/** Below zero, zero or above as `left` is less than, equal to or more than `right`; undefined when they do not compare. */
export function compare(left: unknown, right: unknown): number | undefined {
  const [one, other] = [measure(left), measure(right)];
  return one === undefined || other === undefined || one.of !== other.of ? undefined : one.size - other.size;
}

/** A number for what has an order: numbers and decimal texts, and dates and times, a date being its first moment in UTC. */
export function measure(value: unknown): { of: "number" | "time"; size: number } | undefined {
  if (typeof value === "number") return { of: "number", size: value };
  if (typeof value !== "string") return undefined;
  if (decimal.test(value)) return { of: "number", size: Number(value) };
  const instant = parseInstant(day.test(value) ? `${value}T00:00:00Z` : value);
  return instant === undefined ? undefined : { of: "time", size: instant };
}
