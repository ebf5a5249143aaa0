import * as fc from "fast-check";
import { expect, test } from "vitest";
import { addDays } from "../../../../src/simulator/countries/brazil/calendar.ts";
import { cycleOf, cycleStart, type Frequency } from "../../../../src/simulator/countries/brazil/cycles.ts";
import { Bug } from "../../../../src/simulator/engine/assertion.ts";

const frequencies: Frequency[] = ["WEEKLY", "MONTHLY", "QUARTERLY", "SEMIANNUAL", "ANNUAL"];

test.each([
  [
    "2025-09-22",
    "2025-09-22..2025-10-21 2025-10-22..2025-11-21 2025-11-22..2025-12-21 2025-12-22..2026-01-21 2026-01-22..2026-02-21",
  ],
  [
    "2025-10-31",
    "2025-10-31..2025-11-29 2025-11-30..2025-12-30 2025-12-31..2026-01-30 2026-01-31..2026-02-27 2026-02-28..2026-03-30",
  ],
])("the monthly cycles from %s follow one another without a gap", (startDate, cycles) => {
  const reckoned = cycles.split(" ").map((_, index) => {
    const cycle = cycleOf(startDate, "MONTHLY", cycleStart(startDate, "MONTHLY", index));
    return `${cycle?.start}..${cycle?.end}`;
  });
  expect(reckoned.join(" ")).toBe(cycles);
});

test.each<[Frequency, string, string[]]>([
  [
    "MONTHLY",
    "2025-10-31",
    ["2025-10-31", "2025-11-30", "2025-12-31", "2026-01-31", "2026-02-28", "2026-03-31"],
  ],
  ["ANNUAL", "2028-02-29", ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]],
  ["WEEKLY", "2026-11-20", ["2026-11-20", "2026-11-27", "2026-12-04"]],
  ["QUARTERLY", "2025-11-30", ["2025-11-30", "2026-02-28", "2026-05-30"]],
  ["SEMIANNUAL", "2025-08-31", ["2025-08-31", "2026-02-28", "2026-08-31"]],
])("%s cycles from %s begin on the day of the start date", (frequency, startDate, starts) => {
  expect(starts.map((_, index) => cycleStart(startDate, frequency, index))).toEqual(starts);
});

test("the last and the first day of two cycles fall apart", () => {
  expect(cycleOf("2025-10-31", "MONTHLY", "2026-02-27")).toEqual({
    index: 3,
    start: "2026-01-31",
    end: "2026-02-27",
  });
  expect(cycleOf("2025-10-31", "MONTHLY", "2026-02-28")?.index).toBe(4);
});

test("there is no cycle before the start date", () => {
  expect(cycleOf("2026-11-20", "MONTHLY", "2026-11-19")).toBeUndefined();
  expect(() => cycleStart("2026-11-20", "MONTHLY", -1)).toThrow(Bug);
});

test("every day from the start on is in exactly one cycle", () => {
  const frequency = fc.constantFrom(...frequencies);
  const days = fc.integer({ min: 0, max: 20_000 });
  fc.assert(
    fc.property(frequency, days, days, (frequency, startDay, daysOn) => {
      const startDate = addDays("2020-01-01", startDay);
      const date = addDays(startDate, daysOn);
      const cycle = cycleOf(startDate, frequency, date)!;
      expect(cycle.start <= date && date <= cycle.end).toBe(true);
      expect(cycle.start).toBe(cycleStart(startDate, frequency, cycle.index));
      expect(addDays(cycle.end, 1)).toBe(cycleStart(startDate, frequency, cycle.index + 1));
    }),
    { numRuns: 1000 },
  );
});
