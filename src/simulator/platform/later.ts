import { addCalendarDays } from "../countries/brazil/calendar.ts";
import type { Instant, IsoDuration } from "../engine/instant.ts";
import { Temporal } from "temporal-polyfill";

/** Returns `instant` plus `duration`. Its days and months are counted on the calendar of the platform, in São Paulo. */
export function later(instant: Instant, duration: IsoDuration): Instant {
  const { days, months, restMs } = partsOf(duration);
  const date = days === 0 && months === 0 ? instant : addCalendarDays(instant, months, days);
  return date + restMs;
}

/** The parts of a duration: weeks are days, years are months, and hours and less are milliseconds. */
interface DurationParts {
  readonly months: number;
  readonly days: number;
  readonly restMs: number;
}

/** The parts of the durations so far. There are few: the values of assumptions. */
const partsByDuration = new Map<IsoDuration, DurationParts>();
const REMEMBERED_MAX = 20_000;

function partsOf(duration: IsoDuration): DurationParts {
  const remembered = partsByDuration.get(duration);
  if (remembered !== undefined) return remembered;
  const given = Temporal.Duration.from(duration);
  const { years, months, weeks, days } = given;
  const rest = given.with({ years: 0, months: 0, weeks: 0, days: 0 });
  const parts = {
    months: 12 * years + months,
    days: 7 * weeks + days,
    restMs: Math.floor(rest.total("milliseconds")),
  };
  if (partsByDuration.size >= REMEMBERED_MAX) partsByDuration.clear();
  partsByDuration.set(duration, parts);
  return parts;
}
