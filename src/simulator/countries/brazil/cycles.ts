import { assert } from "../../engine/assertion.ts";
import { addDays, addMonths, type CalendarDate, daysBetween } from "./calendar.ts";

/** The charging frequency of a subscription (interface: Subscription, frequencyType). */
export type Frequency = "WEEKLY" | "MONTHLY" | "QUARTERLY" | "SEMIANNUAL" | "ANNUAL";

/** The possible due days of one charge, from `start` to `end`, both included. */
export interface Cycle {
  /** Counted from 0, the cycle that begins on the start date. */
  readonly index: number;
  readonly start: CalendarDate;
  readonly end: CalendarDate;
}

const MONTHS: Readonly<Record<Exclude<Frequency, "WEEKLY">, number>> = {
  MONTHLY: 1,
  QUARTERLY: 3,
  SEMIANNUAL: 6,
  ANNUAL: 12,
};

/** The first day of cycle `index`, counted from the start date: 31 January, 28 February, 31 March (PIX Automático). */
export function cycleStart(startDate: CalendarDate, frequency: Frequency, index: number): CalendarDate {
  assert(Number.isInteger(index) && index >= 0, `there is no cycle ${index}`);
  if (frequency === "WEEKLY") return addDays(startDate, 7 * index);
  return addMonths(startDate, MONTHS[frequency] * index);
}

/** Returns the cycle that contains `date`. Undefined before the start date. */
export function cycleOf(
  startDate: CalendarDate,
  frequency: Frequency,
  date: CalendarDate,
): Cycle | undefined {
  if (date < startDate) return undefined;
  const index = cycleIndex(startDate, frequency, date);
  return {
    index,
    start: cycleStart(startDate, frequency, index),
    end: addDays(cycleStart(startDate, frequency, index + 1), -1),
  };
}

/**
 * Returns the index of a cycle. The guess from the months alone is one too many before the day of the month that
 * begins a cycle.
 */
function cycleIndex(startDate: CalendarDate, frequency: Frequency, date: CalendarDate): number {
  if (frequency === "WEEKLY") return Math.floor(daysBetween(startDate, date) / 7);
  const guess = Math.floor((monthNumber(date) - monthNumber(startDate)) / MONTHS[frequency]);
  return cycleStart(startDate, frequency, guess) > date ? guess - 1 : guess;
}

function monthNumber(date: CalendarDate): number {
  return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7));
}
