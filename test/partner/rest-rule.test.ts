import { describe, expect, test } from "vitest";
import { type Reading, ruleOfRest, watching, workIn } from "../../src/partner/rest-rule.ts";

/** The letters of a recording: a state changes, only a clock in it moves, a call comes, or nothing changes. */
const READINGS: Readonly<Record<string, Reading>> = {
  ".": { change: "none" },
  w: { change: "work" },
  t: { change: "clock" },
  c: { change: "work", isCall: true },
};

/** Applies the rule to a recording with a reading each 20 ms. `lagMs` is the time without a change that a lag asks for. */
function ruled(
  recording: string,
  { quietMs = 100, longestMs = 1_000, sinceMs = 0, lagMs = 0 }: Partial<Record<string, number>> = {},
) {
  let watched = watching({ sinceMs, begunMs: 0, quietMs, longestMs });
  let nowMs = 0;
  for (const letter of recording) {
    nowMs += 20;
    const step = ruleOfRest(watched, { ...(READINGS[letter] as Reading), leastMs: lagMs }, nowMs);
    watched = step.watched;
    if (step.verdict !== "wait") return { verdict: step.verdict, nowMs, ...workIn(watched) };
  }
  return { verdict: "wait", nowMs, ...workIn(watched) };
}

/** Repeats a recording until it has so many readings. */
const cycle = (recording: string, length: number): string => recording.repeat(length).slice(0, length);

describe("the rule of rest, by recordings of 20 ms", () => {
  // The longest time is 1 s, so 50 readings, and rest needs 100 ms without a change, so 5 readings.
  test.each([
    ["a system that works before it answers", ".....", "rest", 100, 0],
    ["the same system too soon", "....", "wait", 80, 0],
    ["work right after the answer", "w.....", "rest", 120, 20],
    ["work 80 ms after the answer", "...w.....", "rest", 180, 80],
    ["work one reading before rest", "....w.....", "rest", 200, 100],
    ["work after rest, which counts no longer", ".....w", "rest", 100, 0],
    ["two parts of work", ".w..w.....", "rest", 200, 100],
    ["a queue of five events", "w.w.w.w.w.....", "rest", 280, 180],
    ["a queue that is longer than the quiet time", `${cycle("w..", 30)}.....`, "rest", 660, 560],
    ["a call", "..c.....", "rest", 160, 60],
    ["a call, and its answer in the state", "..cw.....", "rest", 180, 80],
    ["a call, and its answer in the state much later", "..c...w.....", "rest", 240, 140],
    ["a worker with two calls", ".c...c.....", "rest", 220, 120],
    ["a clock with a tick each second", `..t.....`, "rest", 160, 60],
    ["a clock that ticks all the time", cycle("t", 60), "only clocks", 1_000, 1_000],
    ["a clock that ticks each 60 ms", cycle("..t", 60), "only clocks", 1_000, 960],
    ["a clock, and work at the begin", `w${cycle("t", 60)}`, "only clocks", 1_000, 1_000],
    ["a clock, and work until the end", cycle("tttw", 60), "restless", 1_000, 1_000],
    ["work without end", cycle("w", 60), "restless", 1_000, 1_000],
    ["a log with an entry each 60 ms", cycle("..w", 60), "restless", 1_000, 960],
    ["calls without end", cycle("c.", 60), "restless", 1_000, 980],
    ["work that ends just before the longest time", `${cycle("w", 45)}.....`, "rest", 1_000, 900],
    ["work that ends a reading later", `${cycle("w", 46)}....`, "restless", 1_000, 920],
  ])("%s", (_, recording, verdict, nowMs, paceMs) => {
    expect(ruled(recording)).toMatchObject({ verdict, nowMs, paceMs });
  });

  test.each([
    ["a late machine gives more time", ".........w", { lagMs: 200 }, "wait", 200, 200],
    ["a late machine gives more time also after work", `w${cycle(".", 9)}`, { lagMs: 200 }, "wait", 200, 20],
    ["a longer quiet time", ".........", { quietMs: 200 }, "wait", 180, 0],
    [
      "a longer quiet time shows slower work",
      `.........w${cycle(".", 10)}`,
      { quietMs: 200 },
      "rest",
      400,
      200,
    ],
    ["the time since an earlier exchange counts", "w.....", { sinceMs: -500 }, "rest", 120, 520],
    ["without a change an earlier exchange has no work", ".....", { sinceMs: -500 }, "rest", 100, 0],
    [
      "a quiet time that is longer than the longest time",
      cycle(".", 60),
      { quietMs: 2_000 },
      "restless",
      1_000,
      0,
    ],
  ])("%s", (_, recording, options, verdict, nowMs, paceMs) => {
    expect(ruled(recording, options)).toMatchObject({ verdict, nowMs, paceMs });
  });
});

test("the longest pause of work is between its changes, and not its whole duration", () => {
  expect(ruled("...w....w..w.....")).toMatchObject({ paceMs: 240, pauseMs: 100 });
  expect(ruled("....w.....")).toMatchObject({ paceMs: 100, pauseMs: 100 });
  expect(ruled(".....")).toMatchObject({ paceMs: 0, pauseMs: 0 });
});

test("the tail of work begins with its last call, or with its first change", () => {
  expect(ruled("c..c..w.....")).toMatchObject({ tailMs: 60 });
  expect(ruled(".w..w.....")).toMatchObject({ tailMs: 60 });
  expect(ruled("..c.....")).toMatchObject({ tailMs: 0 });
});
