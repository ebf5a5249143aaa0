import { Temporal } from "temporal-polyfill";
import { assert } from "../../engine/assertion.ts";
import { type Instant, addDuration } from "../../engine/instant.ts";

/** The time zone of the platform's days. */
export const SAO_PAULO = "America/Sao_Paulo";

/** A calendar date, `YYYY-MM-DD`: dates compare as strings. */
export type CalendarDate = string;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The limit of each cache below: about fifty years of days, two of hours. */
const REMEMBERED_MAX = 20_000;

const DATE_FORM = /^\d{4}-\d{2}-\d{2}$/;
const TIME_FORM = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

/** Whether the text is a date of the calendar, written `YYYY-MM-DD`: 2026-02-29 is not. */
export function isDate(text: string): boolean {
  return dayNumber(text) !== undefined;
}

/** The date in São Paulo at that moment. */
export function localDate(instant: Instant): CalendarDate {
  return dateOf(Math.floor((instant + offsetMsAt(instant)) / DAY_MS));
}

/** The time of day in São Paulo at that moment, `HH:mm:ss`, cut to the second; as text it compares with `HH:mm`. */
export function localTime(instant: Instant): string {
  const seconds = Math.floor(modulo(instant + offsetMsAt(instant), DAY_MS) / 1000);
  return [seconds / 3600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, "0"))
    .join(":");
}

/** Returns the moment when clocks in São Paulo show `time` (`HH:mm` or `HH:mm:ss`) on `date`. */
export function instantAt(date: CalendarDate, time: string): Instant {
  const parts = TIME_FORM.exec(time);
  assert(parts !== null, `${time} is not a time of day`);
  const [, hours, minutes, seconds = "0"] = parts;
  const local =
    dayOf(date) * DAY_MS + Number(hours) * HOUR_MS + Number(minutes) * 60_000 + Number(seconds) * 1000;
  const offset = steadyOffsetMs(local);
  if (offset !== undefined) return local - offset;
  // Near a change of summer time (São Paulo had it until 2019) the calendar library decides.
  return Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(SAO_PAULO).epochMilliseconds;
}

/** Returns `instant` plus whole months and then whole days of the calendar in São Paulo. */
export function addCalendarDays(instant: Instant, months: number, days: number): Instant {
  const local = instant + offsetMsAt(instant);
  const date = dateOf(Math.floor(local / DAY_MS));
  const moved =
    dayOf(addDays(months === 0 ? date : addMonths(date, months), days)) * DAY_MS + modulo(local, DAY_MS);
  const offset = steadyOffsetMs(moved);
  // Near a change of summer time the calendar library decides.
  return offset === undefined ? addDuration(instant, `P${months}M${days}D`, SAO_PAULO) : moved - offset;
}

/** Returns the offset of a local time, in ms. Undefined if it changes within half a day. */
function steadyOffsetMs(local: number): number | undefined {
  const offset = offsetMsAt(local - DAY_MS / 2);
  return offset === offsetMsAt(local + DAY_MS / 2) ? offset : undefined;
}

/** Moves `date` by whole days, back if `days` is negative. */
export function addDays(date: CalendarDate, days: number): CalendarDate {
  return dateOf(dayOf(date) + days);
}

/** `date` moved by whole months; a day that the month does not have becomes its last day. */
export function addMonths(date: CalendarDate, months: number): CalendarDate {
  const asked = `${date} ${months}`;
  const remembered = datesByMonths.get(asked);
  if (remembered !== undefined) return remembered;
  const moved = Temporal.PlainDate.from(date).add({ months }).toString();
  assert(DATE_FORM.test(moved), `${date} and ${months} months is outside the years 0000 to 9999`);
  return remember(datesByMonths, asked, moved);
}

/** Returns the days from `from` to `to`, negative if `to` comes first. */
export function daysBetween(from: CalendarDate, to: CalendarDate): number {
  return dayOf(to) - dayOf(from);
}

/** Whether the date is a Saturday or a Sunday. */
export function isWeekend(date: CalendarDate): boolean {
  return daysFromMonday(date) >= 5;
}

/** `date` itself, or the Monday after it when it falls on a weekend (interface: allowAdjustToBusinessDay). */
export function nextWeekday(date: CalendarDate): CalendarDate {
  const day = daysFromMonday(date);
  return day >= 5 ? addDays(date, 7 - day) : date;
}

/** Day 0, 1 January 1970, was a Thursday. */
function daysFromMonday(date: CalendarDate): number {
  return modulo(dayOf(date) + 3, 7);
}

const dayNumbers = new Map<CalendarDate, number>();
const datesByDay = new Map<number, CalendarDate>();
const datesByMonths = new Map<string, CalendarDate>();
const offsetsByHour = new Map<number, number>();

/** Returns the days since 1 January 1970. Undefined for a text that is not a date. */
function dayNumber(text: string): number | undefined {
  const remembered = dayNumbers.get(text);
  if (remembered !== undefined || !DATE_FORM.test(text)) return remembered;
  try {
    const day = Temporal.Instant.from(`${text}T00:00Z`).epochMilliseconds / DAY_MS;
    return remember(dayNumbers, text, day);
  } catch {
    return undefined;
  }
}

function dayOf(date: CalendarDate): number {
  const day = dayNumber(date);
  assert(day !== undefined, `${date} is not a date`);
  return day;
}

function dateOf(day: number): CalendarDate {
  const remembered = datesByDay.get(day);
  if (remembered !== undefined) return remembered;
  const date = Temporal.Instant.fromEpochMilliseconds(day * DAY_MS)
    .toString()
    .slice(0, -"T00:00:00Z".length);
  assert(DATE_FORM.test(date), `${date} is outside the years 0000 to 9999`);
  return remember(datesByDay, day, date);
}

/**
 * Returns the difference of clocks in São Paulo from UTC. Since 1914 the zone has changed only at full hours of UTC.
 */
function offsetMsAt(instant: Instant): number {
  const hour = Math.floor(instant / HOUR_MS);
  const remembered = offsetsByHour.get(hour);
  if (remembered !== undefined) return remembered;
  const zoned = Temporal.Instant.fromEpochMilliseconds(hour * HOUR_MS).toZonedDateTimeISO(SAO_PAULO);
  return remember(offsetsByHour, hour, zoned.offsetNanoseconds / 1e6);
}

function remember<Key, Value>(memory: Map<Key, Value>, key: Key, value: Value): Value {
  if (memory.size >= REMEMBERED_MAX) memory.clear();
  memory.set(key, value);
  return value;
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
