import { expect, test } from "vitest";
import {
  endToEndId,
  recurrenceId,
  returnId,
  tedControlNumber,
  transactionId,
} from "../../../../src/simulator/countries/brazil/identifiers.ts";
import { platformInstitution } from "../../../../src/simulator/countries/brazil/institutions.ts";
import { Bug } from "../../../../src/simulator/engine/assertion.ts";
import { parseInstant } from "../../../../src/simulator/engine/instant.ts";
import { seededChance } from "../../../../src/simulator/engine/random.ts";

const { ispb } = platformInstitution;
const lateEvening = parseInstant("2026-11-20T23:59:59.999-03:00")!;
const chance = seededChance(7, "identifiers");

test("an end-to-end id carries the institution and the minute in UTC", () => {
  const id = endToEndId({ ispb, instant: lateEvening, chance });
  expect(id).toMatch(/^E99999004202611210259[a-zA-Z0-9]{11}$/);
  expect(id).toHaveLength(32);
});

test("a return id is an end-to-end id with a D", () => {
  expect(returnId({ ispb, instant: lateEvening, chance })).toMatch(/^D99999004202611210259[a-zA-Z0-9]{11}$/);
});

test("the end-to-end ids of one minute differ", () => {
  const ids = Array.from({ length: 1000 }, () => endToEndId({ ispb, instant: lateEvening, chance }));
  expect(new Set(ids).size).toBe(1000);
});

test("a recurrence id says whether charges may be retried", () => {
  const recurrence = { ispb, date: "2026-11-20", chance };
  expect(recurrenceId({ ...recurrence, retriesAllowed: true })).toMatch(
    /^RR9999900420261120[a-zA-Z0-9]{11}$/,
  );
  expect(recurrenceId({ ...recurrence, retriesAllowed: false })).toMatch(
    /^RN9999900420261120[a-zA-Z0-9]{11}$/,
  );
  expect(recurrenceId({ ...recurrence, retriesAllowed: true })).toHaveLength(29);
});

test("a transaction id is 32 lower-case hexadecimal digits", () => {
  expect(transactionId(chance)).toMatch(/^[0-9a-f]{32}$/);
});

test("a TED control number has twenty characters and counts within its day", () => {
  expect(tedControlNumber({ date: "2026-11-20", sequence: 1 })).toBe("STR20261120000000001");
  expect(tedControlNumber({ date: "2026-11-20", sequence: 123_456_789 })).toBe("STR20261120123456789");
});

test("an identifier from impossible parts is a bug", () => {
  expect(() => endToEndId({ ispb: "123", instant: lateEvening, chance })).toThrow(Bug);
  expect(() => recurrenceId({ retriesAllowed: true, ispb, date: "2026-02-30", chance })).toThrow(Bug);
  expect(() => tedControlNumber({ date: "2026-11-20", sequence: 0 })).toThrow(Bug);
});
