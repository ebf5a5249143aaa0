import { describe, expect, test } from "vitest";
import { rulesFor } from "../../../src/partner/states/comparison.ts";
import { unfinishedPlaces } from "../../../src/partner/states/drawn-values.ts";
import { unnamed } from "../../../src/partner/states/own-changes.ts";

function unfinished(one: unknown, other: unknown, moving: readonly string[] = []): string[] {
  const states = [unnamed(one), unnamed(other)] as const;
  return unfinishedPlaces(states, rulesFor(...states), new Set(moving));
}

const rows = (...values: readonly object[]): object => ({ rows: values });

describe("two runs without deviations have unfinished work", () => {
  test.each([
    ["a status that differs", rows({ status: "NEW" }), rows({ status: "PAID" }), ["$.rows[*].status"]],
    ["a count that differs", { paid: 1 }, { paid: 2 }, ["$.paid"]],
    ["a row that is missing", rows({ status: "PAID" }), rows(), ["$.rows[*]"]],
    ["a time that is missing", { sentAt: null }, { sentAt: "2026-11-20T12:00:00Z" }, ["$.sentAt"]],
    ["an order that differs", rows({ a: 1 }, { a: 2 }), rows({ a: 2 }, { a: 1 }), ["$.rows"]],
  ])("with %s", (_, one, other, found) => {
    expect(unfinished(one, other)).toEqual(found);
  });
});

describe("values that differ in each run are no unfinished work", () => {
  test.each([
    ["timestamps", "createdAt", "2026-11-20T12:00:00.123456+00:00", "2026-11-20T12:00:09.654321+00:00"],
    ["milliseconds", "createdAt", 1_795_000_000_000, 1_795_000_009_000],
    ["UUIDs", "reference", "0b9e0c52-7d5c-4b57-8a34-1f3f7b0c9a11", "7c1f2ad0-56aa-41c1-9c55-f1f60dd0a0b2"],
    ["hexadecimal ids", "_id", "65f1c0ffee65f1c0ffee65f1", "65f1c0ffee65f1c0ffee65f2"],
    ["ids in letters and digits", "key", "01JD3K6Z9Q8W7E6R5T4Y3U2I1O", "01JD3K6Z9Q8W7E6R5T4Y3U2I1P"],
    ["row numbers", "id", 17, 18],
    ["row numbers of another table", "orderId", 17, 18],
    ["row numbers of another table, in another spelling", "order_id", 17, 18],
  ])("such as %s", (_, name, one, other) => {
    expect(unfinished(rows({ [name]: one }), rows({ [name]: other }))).toEqual([]);
  });

  test("a place that moves by itself is none either", () => {
    expect(unfinished({ uptime: 1 }, { uptime: 2 }, ["$.uptime"])).toEqual([]);
  });
});
