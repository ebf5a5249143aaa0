import { expect, test } from "vitest";
import { Lag } from "../../src/partner/settled-state.ts";
import { Pace } from "../../src/partner/pace.ts";
import { systemWall } from "../../src/base/wall.ts";
import { watchedWork } from "../../src/partner/watched-work.ts";

/** A wall without real time, whose pauses take this much longer than they should. */
function lateWall(lateMs = 0) {
  let nowMs = 0;
  return { ...systemWall, now: () => nowMs, pause: async (ms: number) => void (nowMs += ms + lateMs) };
}

function paceOf({ settleMs = 200, isDefault = true } = {}): Pace {
  return new Pace({ settleMs, isDefault, lag: new Lag(lateWall()) });
}

test("a system without work after its answers is prompt, unless the user names a time for such work", () => {
  const prompt = paceOf();
  expect(prompt.isPrompt).toBe(false);
  prompt.learn({ paceMs: 0, pauseMs: 0 });
  expect(prompt.isPrompt).toBe(true);
  const named = paceOf({ isDefault: false });
  named.learn({ paceMs: 0, pauseMs: 0 });
  expect(named.isPrompt).toBe(false);
});

test("the distance of two readings is twice the longest pause of the work, and at least the time that the user names", () => {
  const pace = paceOf();
  expect(pace.distanceMs()).toBe(200);
  pace.learn({ paceMs: 900, pauseMs: 150 });
  expect(pace.distanceMs()).toBe(300);
  expect(pace.distanceMs(0, 10)).toBe(3_000);
  expect(pace.distanceMs(400)).toBe(800);
});

test("the distance of two readings is five lags of a busy machine", async () => {
  const lag = new Lag(lateWall(100));
  await lag.pause(20);
  expect(new Pace({ settleMs: 200, isDefault: true, lag }).distanceMs()).toBe(500);
});

test("each event in a queue adds three times the time that one event takes there", () => {
  const pace = paceOf();
  pace.learn({ paceMs: 100, pauseMs: 100 });
  pace.learnQueue(5, 200);
  expect(pace.enoughMs()).toBe(200);
  expect(pace.enoughMs(0, 11)).toBe(200 + 10 * 3 * 20);
});

test("a system that needs more time gets it until that is taken back", () => {
  const pace = paceOf();
  pace.learn({ paceMs: 300, pauseMs: 100 });
  pace.slowDown(10);
  expect([pace.workMs, pace.pauseMs, pace.enoughMs()]).toEqual([3_000, 3_000, 6_000]);
  pace.slowDown(0);
  expect([pace.workMs, pace.pauseMs, pace.enoughMs()]).toEqual([300, 100, 600]);
});

test("a system is watched until it rests, or until its readings are enough", async () => {
  const watched = async (isOver?: () => boolean) => {
    const wall = lateWall();
    const read = async () => ({ state: Math.min(3, Math.floor(wall.now() / 100)) });
    const { verdict, last } = await watchedWork(read, {
      sinceMs: 0,
      quietMs: 200,
      changeOf: (one, other) => (one.state === other.state ? "none" : "work"),
      ...(isOver && { isOver }),
      lag: new Lag(wall),
      wall,
    });
    return { verdict, state: last.state, nowMs: wall.now() };
  };
  expect(await watched()).toEqual({ verdict: "rest", state: 3, nowMs: 500 });
  expect(await watched(() => true)).toEqual({ verdict: "wait", state: 0, nowMs: 0 });
});

test("the time without a change before a watch counts, if its end is still shown", async () => {
  const watched = async (last: { readonly state: string }) => {
    const wall = lateWall();
    await watchedWork(async () => ({ state: "paid" }), {
      sinceMs: -500,
      still: { last, sinceMs: -150 },
      quietMs: 200,
      changeOf: (one, other) => (one.state === other.state ? "none" : "work"),
      lag: new Lag(wall),
      wall,
    });
    return wall.now();
  };
  expect(await watched({ state: "paid" })).toBe(60);
  expect(await watched({ state: "open" })).toBe(200);
});
