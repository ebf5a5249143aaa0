import { expect, test } from "vitest";
import { isoDuration, roundValue, scaleOf, shownDuration } from "../../../src/checks/calibration/values.ts";

test.each([
  [0, "0 ms"],
  [999.4, "999 ms"],
  [999.6, "1 s"],
  [4_240, "4.2 s"],
  [59_980, "1 min"],
  [599_990, "10 min"],
  [880_000, "14 min 40 s"],
  [3_599_700, "1 h"],
  [86_399_000, "1 d"],
  [129_600_000, "1 d 12 h"],
])("a person reads %d ms as %s", (ms, shown) => {
  expect(shownDuration(ms)).toBe(shown);
});

test.each([
  [0, "PT0S"],
  [90_000, "PT1M30S"],
  [1_500, "PT1.5S"],
  [86_400_000, "P1D"],
  [129_605_000, "P1DT12H5S"],
])("%d ms are %s", (ms, written) => {
  expect(isoDuration(ms)).toBe(written);
});

test("an interval becomes the roundest value in it, without days where an assumption takes none", () => {
  const [ofSandbox, ofWall] = (["sandbox", "wall"] as const).map((clock) =>
    scaleOf({ kind: "duration", clock }),
  );
  const day = 86_400_000;
  expect(roundValue(ofSandbox!, 4_200, 5_600)).toBe("PT5S");
  expect(roundValue(ofSandbox!, 5 * day, 7 * day)).toBe("P5D");
  expect(roundValue(ofSandbox!, 6.5 * day, 7.4 * day)).toBe("P7D");
  expect(roundValue(ofSandbox!, day, day)).toBe("P1D");
  expect(roundValue(ofWall!, day, day)).toBe("PT24H");
});
