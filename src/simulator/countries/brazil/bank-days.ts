import { addDays, type CalendarDate, isWeekend } from "./calendar.ts";

/** Holidays with a fixed date, and the first year of each as a bank holiday. */
const FIXED_HOLIDAYS: readonly (readonly [monthAndDay: string, since: number])[] = [
  ["01-01", 0],
  ["04-21", 0],
  ["05-01", 0],
  ["09-07", 0],
  ["10-12", 0],
  ["11-02", 0],
  ["11-15", 0],
  ["11-20", 2024],
  ["12-25", 0],
];

/** Days from Easter Sunday to Carnival Monday and Tuesday, Good Friday and Corpus Christi. */
const DAYS_FROM_EASTER = [-48, -47, -2, 60];

/** Returns true for a national bank holiday. Ash Wednesday, 31 December and holidays of towns do not count. */
export function isBankHoliday(date: CalendarDate): boolean {
  return holidaysOf(Number(date.slice(0, 4))).has(date);
}

/** Whether banks settle TED and boletos on that date: neither weekend nor national bank holiday. */
export function isBankBusinessDay(date: CalendarDate): boolean {
  return !isWeekend(date) && !isBankHoliday(date);
}

/** `date` itself, or the first bank business day after it. */
export function nextBankBusinessDay(date: CalendarDate): CalendarDate {
  let day = date;
  while (!isBankBusinessDay(day)) day = addDays(day, 1);
  return day;
}

const holidaysByYear = new Map<number, ReadonlySet<CalendarDate>>();

/** There are at most ten thousand years, so this cache needs no limit. */
function holidaysOf(year: number): ReadonlySet<CalendarDate> {
  const remembered = holidaysByYear.get(year);
  if (remembered !== undefined) return remembered;
  const easter = easterSunday(year);
  const holidays = new Set(DAYS_FROM_EASTER.map((days) => addDays(easter, days)));
  for (const [monthAndDay, since] of FIXED_HOLIDAYS) {
    if (year >= since) holidays.add(dateIn(year, monthAndDay));
  }
  holidaysByYear.set(year, holidays);
  return holidays;
}

/** Gauss's computation for the Gregorian calendar, in the form without exceptions (Meeus, Jones, Butcher). */
function easterSunday(year: number): CalendarDate {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const leapCenturies = Math.floor(century / 4);
  const moonShift = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - leapCenturies - moonShift + 15) % 30;
  const yearOfCentury = year % 100;
  const toSunday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * toSunday) / 451);
  const dayOfYearPart = epact + toSunday - 7 * late + 114;
  const month = Math.floor(dayOfYearPart / 31);
  const day = (dayOfYearPart % 31) + 1;
  return dateIn(year, `${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`);
}

function dateIn(year: number, monthAndDay: string): CalendarDate {
  return `${String(year).padStart(4, "0")}-${monthAndDay}`;
}
