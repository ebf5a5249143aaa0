import { expect, test } from "vitest";
import { Rest } from "../../src/partner/rest.ts";
import { SpentTime, timeSentence } from "../../src/base/spent-time.ts";
import { systemWall } from "../../src/base/wall.ts";

/**
 * A system whose worker makes one call, so long after a request. Webhooks need no work after their answer. Without
 * `isCalling` the worker changes only the state.
 */
function workingSystem(workMs: number, { isCalling = true } = {}) {
  let nowMs = 0;
  let workAt = Infinity;
  let calls = 0;
  const wall = {
    ...systemWall,
    now: () => nowMs,
    pause: async (ms: number) => {
      nowMs += ms;
      if (nowMs < workAt) return;
      calls += 1;
      workAt = Infinity;
    },
  };
  const spent = new SpentTime(wall);
  const rest = new Rest({
    wall: spent.wallOf("rest"),
    settleMs: 200,
    isDefault: true,
    repeatsOver: async () => false,
    // Its threads can be seen, and sleep.
    pids: () => [0],
  });
  const begin = (isTiming: boolean, patience = 1): void =>
    rest.begin({
      patience,
      isTiming,
      glance: async () => ({ state: calls, calls: isCalling ? calls : 0 }),
      calls: () => (isCalling ? calls : 0),
      isFollower: () => false,
    });
  const exchange = async (kind: string, isWork: boolean, ms = workMs): Promise<number> => {
    if (isWork) workAt = nowMs + ms;
    rest.disturb(1, kind);
    const beganMs = nowMs;
    await rest.settle();
    return nowMs - beganMs;
  };
  /** An exchange after which books are read, and compared, before the rest. */
  const exchangeWithBooks = async (kind: string): Promise<void> => {
    workAt = nowMs + workMs;
    rest.disturb(1, kind);
    await rest.read(async () => calls);
    await rest.settle();
  };
  return { begin, exchange, exchangeWithBooks, spent, calls: () => calls };
}

test("a webhook without work after its answer needs no wait, although a request starts a worker", async () => {
  const { begin, exchange } = workingSystem(300);
  begin(true);
  await exchange("step 1", true);
  await exchange("ORDER-PAYOUT.PAID", false);
  begin(false);
  expect(await exchange("ORDER-PAYOUT.PAID", false)).toBe(5);
  begin(false, 10);
  expect(await exchange("ORDER-PAYOUT.PAID", false)).toBeGreaterThan(900);
});

test("a rest ends when the usual calls have come, and waits twice the usual time for them", async () => {
  const { begin, exchange, calls } = workingSystem(300);
  begin(true);
  await exchange("step 1", true);
  begin(false);
  expect(await exchange("step 1", true)).toBeLessThan(400);
  expect(calls()).toBe(2);
  expect(await exchange("step 1", false)).toBeGreaterThanOrEqual(600);
});

test("an exchange that the baselines did not have gets the time of the slowest work", async () => {
  const { begin, exchange } = workingSystem(300);
  begin(true);
  await exchange("step 1", true);
  begin(false);
  expect(await exchange("step 2", false)).toBeGreaterThanOrEqual(600);
});

test("work that comes while the books are compared counts as usual work", async () => {
  const { begin, exchange, exchangeWithBooks, calls } = workingSystem(150);
  begin(true);
  await exchangeWithBooks("ORDER-PAYIN.PAID");
  begin(false);
  await exchange("ORDER-PAYIN.PAID", true);
  expect(calls()).toBe(2);
});

test("a rest ends when the state has changed as usual, if the worker makes no call", async () => {
  const { begin, exchange, calls } = workingSystem(300, { isCalling: false });
  begin(true);
  await exchange("ORDER-PAYIN.PAID", true);
  begin(false);
  expect(await exchange("ORDER-PAYIN.PAID", true)).toBeLessThan(400);
  expect(calls()).toBe(2);
});

test("a worker that polls, and was early once by chance, gets the time of its other work", async () => {
  const early = workingSystem(300);
  early.begin(true);
  await early.exchange("step 1", true);
  // The poll came right after the answer.
  await early.exchange("step 2", true, 20);
  early.begin(false);
  await early.exchange("step 2", true);
  expect(early.calls()).toBe(3);
});

/** A system that changes its state so many times after a request, with pauses of 100 ms. `lateMs` is the machine's lag. */
function systemWithParts(parts: number) {
  let nowMs = 0;
  let lateMs = 0;
  let asked: number[] = [];
  const wall = {
    ...systemWall,
    now: () => nowMs,
    pause: async (ms: number) => void (nowMs += ms + lateMs),
  };
  const changes = (): number =>
    asked.reduce((sum, atMs) => sum + Math.min(parts, Math.floor((nowMs - atMs) / 100)), 0);
  const glance = async () => ({ state: changes(), calls: 0 });
  const rest = new Rest({
    wall,
    settleMs: 100,
    isDefault: true,
    repeatsOver: async () => false,
    pids: () => [0],
  });
  const begin = (isTiming: boolean): void => {
    asked = [];
    rest.begin({ patience: 1, isTiming, glance, isFollower: () => false });
  };
  const exchange = async (kind = "step 1", isWork = true): Promise<number> => {
    if (isWork) asked.push(nowMs);
    rest.disturb(1, kind);
    const beganMs = nowMs;
    await rest.settle();
    return nowMs - beganMs;
  };
  return { rest, begin, exchange, delay: (ms: number) => (lateMs = ms) };
}

test("work that does not come is awaited twice as long as work pauses, and not twice its whole time", async () => {
  const { begin, exchange } = systemWithParts(6);
  begin(true);
  await exchange();
  begin(false);
  expect(await exchange("step 1", false)).toBeLessThan(300);
});

test("a pause of the work that is short makes a timed run sure, and the next one is timed without a longer quiet time", async () => {
  const { rest, begin, exchange } = systemWithParts(6);
  begin(true);
  const firstMs = await exchange();
  expect([rest.isSure, firstMs]).toEqual([true, 600 + 500]);
  begin(true);
  expect(await exchange()).toBe(600 + 200);
});

test("a system that has had its whole time since its last change is not read twice", async () => {
  const { rest, begin, exchange } = systemWithParts(1);
  begin(true);
  await exchange();
  begin(false);
  await exchange();
  const { usualMs } = rest.watched;
  expect(await rest.lateWork(usualMs)).toBe(true);
  expect(await rest.lateWork(usualMs)).toBe(false);
});

test("a busy machine lengthens the wait without usual work less if the threads of the system are seen", async () => {
  const { begin, exchange, delay } = systemWithParts(0);
  begin(true);
  await exchange("ORDER-PAYOUT.PAID");
  await exchange("step 1");
  begin(false);
  delay(50);
  await exchange("ORDER-PAYOUT.PAID");
  expect(await exchange("ORDER-PAYOUT.PAID")).toBeLessThan(150);
});

test("the time of a tool is divided among its waits, and each moment counts once", async () => {
  let nowMs = 0;
  const wall = { ...systemWall, now: () => nowMs, pause: async (ms: number) => void (nowMs += ms) };
  const spent = new SpentTime(wall);
  const rest = spent.wallOf("rest");
  await spent.during("answers", async () => {
    await wall.pause(1_000);
    await rest.pause(8_000);
  });
  await wall.pause(1_000);
  const report = spent.report(4);
  expect(report).toEqual({ seconds: 10, runs: 4, shares: { rest: 0.8, answers: 0.1, own: 0.1 } });
  expect(timeSentence(report)).toBe(
    "Time: 10 s for 4 runs (2.5 s each): waiting for rest 80 %, your system's answers 10 %, the sandbox 10 %.",
  );
});
