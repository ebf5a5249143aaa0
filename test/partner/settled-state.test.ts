import { describe, expect, test } from "vitest";
import { Lag, longestFor, settledState } from "../../src/partner/settled-state.ts";
import type { Wall } from "../../src/base/wall.ts";

/** A wall whose pauses take this much longer than they should, and end at once. */
function lateWall(lateMs: () => number): Wall {
  let nowMs = 0;
  return {
    now: () => nowMs,
    date: () => nowMs,
    pause: async (ms) => void (nowMs += ms + lateMs()),
    deadline: () => ({ leftMs: 0, [Symbol.dispose]: () => undefined }),
  };
}

/** A probe that shows these states one after another, and the last of them from then on. */
function probeOf(...states: readonly unknown[]) {
  const left = [...states];
  return async () => (left.length > 1 ? left.shift() : left[0]);
}

const wall = lateWall(() => 0);
const distanceMs = (): number => 200;

describe("a state at rest", () => {
  test("is the first state that two readings show", async () => {
    expect(await settledState(probeOf(1, 2, 3, 3, 4), { wall, distanceMs })).toEqual({ state: 3 });
  });

  test("still moves if ten readings differ, and the last two are both known", async () => {
    const states = Array.from({ length: 20 }, (_, index) => index + 1);
    expect(await settledState(probeOf(...states), { wall, distanceMs })).toEqual({ state: 10, before: 9 });
  });

  test("still moves if its time is over, which is 5 s or ten distances", async () => {
    const states = Array.from({ length: 100 }, (_, index) => index);
    const longestMs = (): number => longestFor(200);
    const timed = { wall, distanceMs, readsMax: Infinity, longestMs };
    expect(await settledState(probeOf(...states), timed)).toEqual({ state: 25, before: 24 });
    expect(longestFor(1_000)).toBe(10_000);
  });

  test("is not known from a single reading, which says nothing about movement", async () => {
    expect(await settledState(probeOf(1, 2), { wall, distanceMs, readsMax: 1 })).toEqual({ state: 1 });
  });
});

test("the lag of the machine is its newest delay, or an earlier one that fades", async () => {
  const delays = [50, 0, 48];
  const lag = new Lag(lateWall(() => delays.shift() ?? 0));
  await lag.pause(20);
  expect(lag.ms).toBe(50);
  await lag.pause(200);
  expect(lag.ms).toBe(45);
  await lag.pause(0);
  expect(lag.ms).toBe(48);
});
