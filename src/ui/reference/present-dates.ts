import { addDays, daysBetween, type CalendarDate } from "../../countries/brazil/calendar.ts";

/** The day on which the examples of the schemas play. */
const EXAMPLES_PLAY_ON: CalendarDate = "2026-11-20";

/**
 * The example as it would be written today: its dates keep their distance from the day on which it plays, so
 * that a charge due in five days is still due in five days. Dates before that day, such as a birth, stay.
 */
export function inPresent(example: unknown, today: CalendarDate): unknown {
  const days = daysBetween(EXAMPLES_PLAY_ON, today);
  return JSON.parse(JSON.stringify(example), (_, value: unknown) =>
    typeof value === "string" && isLater(value) ? addDays(value, days) : value,
  ) as unknown;
}

function isLater(value: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(value) && value >= EXAMPLES_PLAY_ON;
}
