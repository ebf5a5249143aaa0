import * as fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { expect, test } from "vitest";
import {
  addDays,
  addMonths,
  daysBetween,
  instantAt,
  isDate,
  isWeekend,
  localDate,
  localTime,
  nextWeekday,
  SAO_PAULO,
} from "../../../../src/simulator/countries/brazil/calendar.ts";
import { later } from "../../../../src/simulator/platform/later.ts";
import { Bug } from "../../../../src/simulator/engine/assertion.ts";
import { addDuration, formatInstant, parseInstant } from "../../../../src/simulator/engine/instant.ts";

const instants = fc.integer({
  min: parseInstant("1960-01-01T00:00Z")!,
  max: parseInstant("2100-01-01T00:00Z")!,
});
const dates = fc
  .integer({ min: 0, max: 80_000 })
  .map((days) => Temporal.PlainDate.from("1930-01-01").add({ days }).toString());

test.each(["2026-11-20", "2028-02-29", "2000-02-29", "9999-12-31"])("%s is a date", (text) => {
  expect(isDate(text)).toBe(true);
});

test.each([
  "2026-02-29",
  "2100-02-29",
  "2026-13-01",
  "2026-1-1",
  "20261120",
  "2026-11-20T00:00",
  " 2026-11-20",
  "",
])("%j is not a date", (text) => {
  expect(isDate(text)).toBe(false);
});

test("midnight in São Paulo is three in the morning in UTC", () => {
  const lastMoment = parseInstant("2026-11-21T02:59:59.999Z")!;
  expect([localDate(lastMoment), localTime(lastMoment)]).toEqual(["2026-11-20", "23:59:59"]);
  expect([localDate(lastMoment + 1), localTime(lastMoment + 1)]).toEqual(["2026-11-21", "00:00:00"]);
});

test("a time of day compares with a cut-off as text", () => {
  expect(localTime(instantAt("2026-11-20", "21:00")) >= "21:00").toBe(true);
  expect(localTime(instantAt("2026-11-20", "21:00") - 1) < "21:00").toBe(true);
});

test("a local time is turned into its moment", () => {
  expect(formatInstant(instantAt("2026-11-20", "21:00"))).toBe("2026-11-21T00:00:00.000Z");
  expect(formatInstant(instantAt("2026-11-20", "23:59:59"))).toBe("2026-11-21T02:59:59.000Z");
});

test("summer time, which São Paulo had until 2019, is applied", () => {
  expect(formatInstant(instantAt("2018-12-25", "12:00"))).toBe("2018-12-25T14:00:00.000Z");
  // On the day it began midnight did not exist: the first moment of that day showed one o'clock.
  expect(formatInstant(instantAt("2018-11-04", "00:00"))).toBe("2018-11-04T03:00:00.000Z");
  expect(localTime(instantAt("2018-11-04", "00:00"))).toBe("01:00:00");
  expect(formatInstant(instantAt("2018-11-04", "02:00"))).toBe("2018-11-04T04:00:00.000Z");
  // On the day it ended the last hour came twice: the first of the two counts.
  expect(formatInstant(instantAt("2019-02-16", "23:30"))).toBe("2019-02-17T01:30:00.000Z");
});

test("local dates and times are the time zone's own, and lead back to the moment", () => {
  fc.assert(
    fc.property(instants, (instant) => {
      const zoned = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(SAO_PAULO);
      expect(localDate(instant)).toBe(zoned.toPlainDate().toString());
      expect(localTime(instant)).toBe(zoned.toPlainTime().toString({ smallestUnit: "second" }));
      const local = zoned.toPlainDateTime().round({ smallestUnit: "second", roundingMode: "trunc" });
      expect(instantAt(localDate(instant), localTime(instant))).toBe(
        local.toZonedDateTime(SAO_PAULO).epochMilliseconds,
      );
    }),
    { numRuns: 1000 },
  );
});

test("days and months are added as the calendar has them", () => {
  expect(addDays("2028-02-28", 1)).toBe("2028-02-29");
  expect(addDays("2026-01-01", -1)).toBe("2025-12-31");
  expect(addMonths("2026-01-31", 1)).toBe("2026-02-28");
  expect(addMonths("2026-03-31", -1)).toBe("2026-02-28");
  fc.assert(
    fc.property(dates, fc.integer({ min: -5000, max: 5000 }), (date, count) => {
      const plain = Temporal.PlainDate.from(date);
      expect(addDays(date, count)).toBe(plain.add({ days: count }).toString());
      expect(daysBetween(date, addDays(date, count))).toBe(count);
      const months = count % 600;
      expect(addMonths(date, months)).toBe(plain.add({ months }).toString());
    }),
  );
});

test("a weekend moves to Monday and a weekday stays", () => {
  expect(nextWeekday("2026-11-20")).toBe("2026-11-20");
  expect(nextWeekday("2026-11-21")).toBe("2026-11-23");
  expect(nextWeekday("2026-11-22")).toBe("2026-11-23");
  fc.assert(
    fc.property(dates, (date) => {
      expect(isWeekend(date)).toBe(Temporal.PlainDate.from(date).dayOfWeek > 5);
      expect(isWeekend(nextWeekday(date))).toBe(false);
    }),
  );
});

test("a later instant is the one of the calendar library, also near a change of summer time", () => {
  const durations = fc.constantFrom("P1D", "P1W", "P1M", "P1Y2M3DT4H5M6S", "P1DT12H", "P400D", "PT0.0005S");
  fc.assert(
    fc.property(instants, durations, (instant, duration) => {
      expect(later(instant, duration)).toBe(addDuration(instant, duration, SAO_PAULO));
    }),
    { numRuns: 500 },
  );
});

test("dates and times that do not exist are bugs", () => {
  expect(() => addDays("2026-02-29", 1)).toThrow(Bug);
  expect(() => addDays("9999-12-31", 1)).toThrow(Bug);
  expect(() => addMonths("9999-12-31", 1)).toThrow(Bug);
  expect(() => instantAt("2026-11-20", "24:00")).toThrow(Bug);
});
