import {
  addDuration,
  CLOCK_BOUNDS,
  formatHttpDate,
  formatInstant,
  formatMicroseconds,
  isDuration,
  parseInstant,
} from "../../../src/simulator/engine/instant.ts";
import { expect, test } from "vitest";
import fc from "fast-check";

const saoPaulo = "America/Sao_Paulo";
const at = (text: string): number => parseInstant(text)!;

test("a timestamp is read with its offset and written in UTC", () => {
  expect(formatInstant(at("2026-11-20T09:00:00-03:00"))).toBe("2026-11-20T12:00:00.000Z");
  expect(formatMicroseconds(at("2026-11-20T12:00:00Z") * 1000 + 7)).toBe("2026-11-20T12:00:00.000007Z");
});

test.each(["2026-11-20", "2026-11-20T09:00:00", "yesterday", "", "2026-13-01T00:00:00Z"])(
  "%j is not a timestamp",
  (text) => {
    expect(parseInstant(text)).toBeUndefined();
  },
);

test.each([
  ["2027-01-31T12:00:00-03:00", "P1M", "2027-02-28T15:00:00.000Z"],
  ["2028-02-29T12:00:00-03:00", "P1Y", "2029-02-28T15:00:00.000Z"],
  ["2026-11-20T23:30:00-03:00", "P1D", "2026-11-22T02:30:00.000Z"],
  ["2026-11-20T23:30:00-03:00", "PT36H", "2026-11-22T14:30:00.000Z"],
  ["2026-11-20T23:30:00-03:00", "PT0S", "2026-11-21T02:30:00.000Z"],
])("%s and %s make %s", (start, duration, end) => {
  expect(formatInstant(addDuration(at(start), duration, saoPaulo))).toBe(end);
});

test.each(["P1D", "PT0S", "P9999DT9999H9999M9999S", "PT0.5S", "P2W", "P1Y2M", "P9999Y"])(
  "%j is a duration",
  (text) => {
    expect(isDuration(text)).toBe(true);
  },
);

test.each(["-PT1S", "1 day", "P", "PT", "P1DT", "PT5", "P1H", "P10000Y", "P5", "5"])(
  "%j is not a duration",
  (text) => {
    expect(isDuration(text)).toBe(false);
  },
);

test("timestamps are those of Date, in all years of a clock", () => {
  const { first, last } = CLOCK_BOUNDS;
  const expectDate = (instant: number): void => {
    expect(formatInstant(instant)).toBe(new Date(instant).toISOString());
    expect(formatHttpDate(instant)).toBe(new Date(instant).toUTCString());
  };
  for (const instant of [first, last, 0, -1, 999, -86_400_000, 86_399_999]) expectDate(instant);
  fc.assert(fc.property(fc.integer({ min: first, max: last }), expectDate), {
    numRuns: 2_000,
  });
});
