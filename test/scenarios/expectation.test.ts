import { assert, dictionary, integer, jsonValue, property, stringMatching } from "fast-check";
import { expect, test } from "vitest";
import { differencesOf } from "../../src/scenarios/expectation.ts";

const matches = (expected: unknown, actual: unknown): boolean => differencesOf(expected, actual).length === 0;

test("any value without a dollar key matches itself, and with more fields still", () => {
  const value = jsonValue().filter((json) => !JSON.stringify(json).includes('"$'));
  assert(property(value, (json) => matches(json, structuredClone(json))));
  assert(
    property(dictionary(stringMatching(/^[a-z]+$/), integer()), (fields) =>
      matches(fields, { ...fields, MORE: 1 }),
    ),
  );
});

test("a value of another type or size is a difference, with its path", () => {
  expect(differencesOf({ a: [{ b: 1 }, 2] }, { a: [{ b: "1" }] }, "body")).toEqual([
    { path: "body.a[0].b", expected: 1, actual: "1" },
    { path: "body.a[1]", expected: 2, actual: undefined },
  ]);
});

test("a list is matched as a prefix in order, an empty one only by an empty one", () => {
  expect(matches([1, 2], [1, 2, 3])).toBe(true);
  expect(matches([2, 1], [1, 2])).toBe(false);
  expect(matches([], [])).toBe(true);
  expect(matches([], [1])).toBe(false);
  expect(matches([1], "1")).toBe(false);
});

test("null matches null, and not what is missing", () => {
  expect(matches({ a: null }, { a: null })).toBe(true);
  expect(matches({ a: null }, {})).toBe(false);
});

const table: [unknown, unknown, boolean][] = [
  [{ $any: true }, null, true],
  [{ $any: true }, undefined, false],
  [{ $any: "string" }, "x", true],
  [{ $any: "string" }, 1, false],
  [{ $any: "integer" }, 1.5, false],
  [{ $any: "array" }, [], true],
  [{ $any: "object" }, [], false],
  [{ $any: "null" }, null, true],
  [{ $any: "uuid" }, "11111111-1111-4111-8111-111111111111", true],
  [{ $any: "date" }, "2026-02-30", false],
  [{ $any: "date" }, "2026-02-28", true],
  [{ $any: "date-time" }, "2026-11-20T12:00:00.000Z", true],
  [{ $any: "decimal" }, "10.50", true],
  [{ $absent: true }, undefined, true],
  [{ $absent: true }, null, false],
  [{ $absent: false }, null, true],
  [{ $regex: "^E\\d{8}" }, "E99999004", true],
  [{ $regex: "^E" }, 1, false],
  [{ $gt: 1 }, 2, true],
  [{ $gt: 1 }, 1, false],
  [{ $gte: 1, $lt: 3 }, 1, true],
  [{ $gte: 1, $lt: 3 }, 3, false],
  [{ $lte: "9.50" }, "10.00", false],
  [{ $gt: "9.50" }, "10.00", true],
  [{ $gt: "2026-11-20T09:00:00-03:00" }, "2026-11-20T11:59:59.000Z", false],
  [{ $gt: "2026-11-20" }, "2026-11-21", true],
  [{ $gt: 1 }, "2026-11-21", false],
  [{ $lt: 5 }, undefined, false],
  [{ $length: 2 }, [1, 2], true],
  [{ $length: 2 }, "abc", false],
  [{ $length: { $gt: 1 } }, [1, 2], true],
  [{ $length: 0 }, undefined, false],
  [{ $unordered: [2, 1] }, [1, 2, 3], true],
  [{ $unordered: [2, 2] }, [1, 2, 3], false],
  [{ $unordered: [{ $any: "number" }, 1] }, [1, 2], true],
  [{ $unordered: [2, 1], $length: 2 }, [1, 2, 3], false],
  [{ $inOrder: [1, 3] }, [0, 1, 2, 3, 4], true],
  [{ $inOrder: [3, 1] }, [1, 2, 3], false],
  [{ $inOrder: [1, 1] }, [1], false],
  [{ $each: { a: 1 } }, [{ a: 1, b: 2 }, { a: 1 }], true],
  [{ $each: { a: 1 } }, [{ a: 1 }, { a: 2 }], false],
  [{ $each: { a: 1 } }, [], false],
  [{ $oneOf: ["PAID", "ERROR"] }, "ERROR", true],
  [{ $oneOf: ["PAID"] }, "ERROR", false],
  [{ $not: { status: "PAID" } }, { status: "ERROR" }, true],
  [{ $not: "PAID" }, "PAID", false],
  [{ $exactly: { a: 1 } }, { a: 1, b: 2 }, false],
  [{ $exactly: { a: [1] } }, { a: [1] }, true],
];

test.each(table)("the matcher %j on %j gives %j", (expected, actual, verdict) => {
  expect(matches(expected, actual)).toBe(verdict);
});

test("an item without a match in an unordered list is reported with the nearest of the elements left over", () => {
  expect(differencesOf({ $unordered: [1, 9] }, [1, 2, 3], "webhooks")).toEqual([
    { path: "webhooks[*]", expected: 9, actual: 2, nearestOf: 2 },
  ]);
  expect(differencesOf({ $inOrder: [9] }, [], "webhooks")).toEqual([
    { path: "webhooks[*]", expected: 9, actual: undefined, nearestOf: 0 },
  ]);
});

test("an exact value that differs is reported with the fields that differ, in both directions", () => {
  const expected = { $exactly: { a: { b: 1, c: [1, 2] }, d: 1 } };
  expect(differencesOf(expected, { a: { b: 2, c: [1, 2, 3] }, d: 1, e: 0 }, "body")).toEqual([
    { path: "body.a.b", expected: 1, actual: 2 },
    { path: "body.a.c[2]", expected: undefined, actual: 3 },
    { path: "body.e", expected: undefined, actual: 0 },
  ]);
});

test("an item that nearly matches is reported with the differences of the most similar element", () => {
  const sent = [
    { event: "PAID", data: { amount: "1.00", payer: "x" } },
    { event: "PAID", data: { amount: "2.00", payer: "y" } },
    { event: "ERROR", data: { amount: "2.00", payer: "z" } },
  ];
  const expected = { event: "PAID", data: { amount: "3.00", payer: "y" } };
  const difference = [{ path: "webhooks[1].data.amount", expected: "3.00", actual: "2.00" }];
  expect(differencesOf({ $inOrder: [expected] }, sent, "webhooks")).toEqual(difference);
  expect(differencesOf({ $unordered: [expected] }, sent, "webhooks")).toEqual(difference);
});

test("a missing item is reported with the nearest of the elements there are, in the expected fields", () => {
  const sent = [
    { event: "ERROR", at: 2 },
    { event: "PAID", at: 1, data: { amount: "1.00", payer: "x" } },
  ];
  const expected = { event: "CANCELED", data: { amount: "1.00" } };
  expect(differencesOf({ $inOrder: [expected] }, sent, "webhooks")).toEqual([
    {
      path: "webhooks[*]",
      expected,
      actual: { event: "PAID", data: { amount: "1.00" } },
      nearestOf: 2,
    },
  ]);
});
