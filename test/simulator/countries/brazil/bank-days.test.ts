import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  isBankBusinessDay,
  isBankHoliday,
  nextBankBusinessDay,
} from "../../../../src/simulator/countries/brazil/bank-days.ts";
import { addDays, daysBetween } from "../../../../src/simulator/countries/brazil/calendar.ts";

const holidaysOf = (year: number): string[] =>
  Array.from({ length: 366 }, (_, day) => addDays(`${year}-01-01`, day))
    .filter((date) => date.startsWith(String(year)) && isBankHoliday(date))
    .map((date) => date.slice(5));

const fixed = ["01-01", "04-21", "05-01", "09-07", "10-12", "11-02", "11-15", "11-20", "12-25"];

test.each([
  [2026, ["02-16", "02-17", "04-03", "06-04"]],
  [2027, ["02-08", "02-09", "03-26", "05-27"]],
])("the bank holidays of %i are the fixed ones and those of its Easter", (year, ofEaster) => {
  expect(holidaysOf(year)).toEqual([...fixed, ...ofEaster].sort());
});

test.each(["2000-04-23", "2008-03-23", "2011-04-24", "2024-03-31", "2025-04-20", "2038-04-25"])(
  "the Friday before Easter Sunday, %s, is a bank holiday",
  (easter) => {
    expect(isBankHoliday(addDays(easter, -2))).toBe(true);
  },
);

test("20 November is a bank holiday since 2024", () => {
  expect(isBankHoliday("2023-11-20")).toBe(false);
  expect(isBankHoliday("2024-11-20")).toBe(true);
});

test("Ash Wednesday and the last day of the year are business days", () => {
  expect(isBankBusinessDay("2026-02-18")).toBe(true);
  expect(isBankBusinessDay("2026-12-31")).toBe(true);
});

test("the next bank business day is the day itself or the first after weekends and holidays", () => {
  expect(nextBankBusinessDay("2026-11-19")).toBe("2026-11-19");
  expect(nextBankBusinessDay("2026-11-20")).toBe("2026-11-23");
  expect(nextBankBusinessDay("2026-02-14")).toBe("2026-02-18");
});

test("banks are never closed for more than five consecutive days", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60_000 }), (days) => {
      const date = addDays("1970-01-01", days);
      const next = nextBankBusinessDay(date);
      expect(isBankBusinessDay(next)).toBe(true);
      expect(daysBetween(date, next)).toBeLessThanOrEqual(5);
    }),
  );
});
