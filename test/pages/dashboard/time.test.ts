import {
  advanceTarget,
  axisPositions,
  brasilia,
  span,
  worldTime,
} from "../../../src/pages/dashboard/page/time.js";
import { expect, test } from "vitest";
import { openPartner } from "../../partner.ts";

test.each([
  ["next", { until: "next" }],
  [" idle ", { until: "idle" }],
  ["90 s", { by: "PT90S" }],
  ["30m", { by: "PT30M" }],
  ["5 min", { by: "PT5M" }],
  ["2 h", { by: "PT2H" }],
  ["+3d", { by: "P3D" }],
  ["1 w", { by: "P1W" }],
  ["1 mo", { by: "P1M" }],
  ["1 Y", { by: "P1Y" }],
  ["pt1h30m", { by: "PT1H30M" }],
  ["2026-11-25", { to: "2026-11-25T00:00:00-03:00" }],
  ["2026-11-25 21:00", { to: "2026-11-25T21:00:00-03:00" }],
  ["2026-11-25T21:00:05Z", { to: "2026-11-25T21:00:05Z" }],
  ["2026-11-25T21:00:05.5+01:00", { to: "2026-11-25T21:00:05.5+01:00" }],
  ["tomorrow", { to: "tomorrow" }],
])("%j typed into the top bar means %j", (typed, target) => {
  expect(advanceTarget(typed)).toEqual(target);
});

test.each(["90 s", "2 h", "1 w", "1 mo", "1 y", "2026-12-25", "2026-12-25 21:00", "next", "idle"])(
  "the sandbox accepts %j as the top bar sends it",
  async (typed) => {
    await using partner = await openPartner();
    const moved = await partner.ask("POST", "/sandbox/clock/advance", { body: advanceTarget(typed) });
    expect(moved.status).toBe(200);
  },
);

test.each([
  [0, "0 s"],
  [-5, "0 s"],
  [1, "1 s"],
  [252_000, "4 m 12 s"],
  [7_200_000, "2 h 0 m"],
  [97_200_000, "1 d 3 h"],
])("%d milliseconds are shown as %j", (milliseconds, words) => {
  expect(span(milliseconds)).toBe(words);
});

test("an instant is shown in Brasília's time, with Brasília's date", () => {
  expect(brasilia("2026-11-20T02:59:59.000Z")).toEqual({
    weekday: "Thu",
    date: "19 Nov 2026",
    shortDate: "19 Nov",
    offset: "UTC−3",
    time: "23:59:59",
  });
});

test("a running clock advances between two answers, a frozen one does not", () => {
  const answer = { now: "2026-11-20T12:00:00.000Z", readAt: 1000 };
  const noon = Date.parse(answer.now);
  expect(worldTime({ ...answer, mode: "running" }, 3500)).toBe(noon + 2500);
  expect(worldTime({ ...answer, mode: "frozen" }, 3500)).toBe(noon);
});

test("attempts are placed on the time line in order", () => {
  const minutes = [0, 1, 6, 36, 156].map((minute) => minute * 60_000);
  const positions = axisPositions(minutes);
  expect(positions.at(0)).toBe(0);
  expect(positions.at(-1)).toBe(1);
  expect([...positions].sort((one, other) => one - other)).toEqual(positions);
  expect(axisPositions([5])).toEqual([0]);
  expect(axisPositions([5, 5])).toEqual([0, 0]);
  expect(axisPositions([])).toEqual([]);
});
