import { expect, test } from "vitest";
import { wallTime } from "../../src/cli/flags.ts";

test("a time limit is a duration or a number of seconds, of a day at most", () => {
  expect(wallTime("PT5M", "--time")).toBe(300_000);
  expect(wallTime("3", "--time")).toBe(3000);
  for (const written of ["0", "-1", "86401", "P2D", "5m", ""])
    expect(() => wallTime(written, "--time")).toThrow(/or seconds; found/);
});
