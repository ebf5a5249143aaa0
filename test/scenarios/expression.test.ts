import { expect, test } from "vitest";
import { CommandFailure } from "../../src/base/failures.ts";
import { interpolate, substitute } from "../../src/scenarios/expression.ts";

const values = new Map<string, unknown>([
  ["sub", { id: "s-1", count: 2, list: [{ code: "a" }], none: null }],
  ["matrix.x", 5],
]);
// 22:30 in Brasília is the next day in UTC.
const scope = { values, now: "2026-11-21T01:30:00.000Z" };

test("a value that is only an expression keeps its type, an expression inside a text becomes text", () => {
  expect(interpolate({ a: "${sub.count}", b: ["no. ${sub.count}"], c: "${sub.none}" }, scope)).toEqual({
    a: 2,
    b: ["no. 2"],
    c: null,
  });
  expect(interpolate("${sub}", scope)).toBe(values.get("sub"));
});

test("a path goes into lists, with dots or brackets", () => {
  expect(interpolate("${sub.list[0].code}${sub.list.0.code}", scope)).toBe("aa");
});

test("today is the date in Brasília, and durations count on its calendar", () => {
  expect(interpolate("${today}", scope)).toBe("2026-11-20");
  expect(interpolate("${today + P3D}", scope)).toBe("2026-11-23");
  expect(interpolate("${today - P1M + P1D}", scope)).toBe("2026-10-21");
  expect(interpolate("${today+P3D}T21:00:00-03:00", scope)).toBe("2026-11-23T21:00:00-03:00");
});

test("now is written as the platform API writes timestamps", () => {
  expect(interpolate("${now}", scope)).toBe("2026-11-21T01:30:00.000Z");
  expect(interpolate("${now + PT1H}", scope)).toBe("2026-11-21T02:30:00.000Z");
});

test("a doubled dollar escapes an expression", () => {
  expect(interpolate("$${sub.id} costs $5", scope)).toBe("${sub.id} costs $5");
});

test("a missing value is reported with the names that exist", () => {
  const failing = (text: string) => () => interpolate(text, scope);
  expect(failing("${sub.idd}")).toThrow("`${sub.idd}` has no value: `sub` has no `idd`. Did you mean `id`?");
  expect(failing("${sub.id.x}")).toThrow('`${sub.id.x}` has no value: `sub.id` has no `x`. It is "s-1".');
  expect(failing("${sbu}")).toThrow("`${sbu}` is not known. Did you mean `sub`?");
  expect(failing("x ${sub.list}")).toThrow("inside a text");
});

test("an expression without a value is an error of the expression, not a bug", () => {
  expect(() => interpolate("${nobody}", scope)).toThrow(CommandFailure);
});

test("substituting fills in known names and leaves the rest", () => {
  expect(substitute("${matrix.x}", values)).toBe(5);
  expect(substitute("a ${matrix.x} ${other.id} $${y} ${today + P1D}", values)).toBe(
    "a 5 ${other.id} $${y} ${today + P1D}",
  );
  expect(substitute("${broken", values)).toBe("${broken");
});
