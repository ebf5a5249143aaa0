import { expect, test } from "vitest";
import { type IgnoredPath, readIgnoredPath } from "../../src/partner/states/ignored-paths.ts";
import { Rest } from "../../src/partner/rest.ts";
import { systemWall } from "../../src/base/wall.ts";

const TIME = Date.parse("2026-11-20T12:00:00Z");
const MONEY = { balance: "10.00" };

/** A wall without real time. Each pause takes longer by the time that the machine is late. */
function virtualWall(lateMs = () => 0) {
  let nowMs = 0;
  return {
    ...systemWall,
    now: () => nowMs,
    pause: async (ms: number) => void (nowMs += ms + lateMs()),
  };
}

test("the last look after a timed run ends after five seconds, however late the machine is", async () => {
  let lateMs = 1_000;
  const wall = virtualWall(() => lateMs);
  const rest = new Rest({ wall, settleMs: 5, isDefault: false, repeatsOver: async () => false });
  rest.begin({
    patience: 1,
    isTiming: true,
    glance: async () => ({ state: "same", calls: 0 }),
    isFollower: () => false,
  });
  rest.disturb(1);
  await rest.settle();
  lateMs = 0;
  const beganMs = wall.now();
  await rest.lookAgain();
  expect(wall.now() - beganMs).toBe(5_000);
});

/**
 * Times the work of a prompt system that shows such a state, and returns the wall time of one more reading. The time that
 * was watched before counts for it.
 */
async function timed(
  stateAt: (nowMs: number) => unknown,
  { ignored, isLearned = true }: { readonly ignored?: string; readonly isLearned?: boolean } = {},
) {
  const wall = virtualWall();
  const rest = new Rest({
    wall,
    settleMs: 200,
    isDefault: true,
    repeatsOver: async () => false,
    ignored: ignored === undefined ? [] : [readIgnoredPath(ignored) as IgnoredPath],
  });
  const read = async () => stateAt(wall.now());
  if (isLearned) await rest.learnMoving(read);
  const glance = async () => ({ state: await read(), calls: 0 });
  rest.begin({ patience: 1, isTiming: true, glance, isFollower: () => false });
  rest.disturb(1);
  await rest.settle();
  await rest.lookAgain();
  const beganMs = wall.now();
  const { before } = await rest.read(read);
  return { isPrompt: rest.isPrompt, readMs: wall.now() - beganMs, isMoving: before !== undefined };
}

test.each([
  [0, 5],
  [1, 6],
  [2, 12],
  [30, 50],
])(
  "the quick reading of a prompt system on a machine that is %i ms late comes after %i ms",
  async (lateMs, afterMs) => {
    const wall = virtualWall(() => lateMs);
    const rest = new Rest({ wall, settleMs: 200, isDefault: true, repeatsOver: async () => false });
    const glance = async () => ({ state: MONEY, calls: 0 });
    rest.begin({ patience: 1, isTiming: true, glance, isFollower: () => false });
    rest.disturb(1);
    await rest.settle();
    rest.begin({ patience: 1, isTiming: false, glance, isFollower: () => false });
    const beganMs = wall.now();
    await rest.read(async () => MONEY, { isQuick: true });
    expect(wall.now() - beganMs).toBe(afterMs);
  },
);

const AT_ONCE = { isPrompt: true, readMs: 40, isMoving: false };

test.each([
  ["milliseconds", (nowMs: number) => ({ now: TIME + nowMs, ...MONEY })],
  ["a timestamp", (nowMs: number) => ({ now: new Date(TIME + nowMs).toISOString(), ...MONEY })],
  ["an uptime", (nowMs: number) => ({ up: nowMs, ...MONEY })],
])("%s in the state do not count for rest", async (_, stateAt) => {
  expect(await timed(stateAt)).toEqual(AT_ONCE);
});

test("a counter of readings does not count for rest", async () => {
  let reads = 0;
  expect(await timed(() => ({ reads: ++reads, ...MONEY }))).toEqual(AT_ONCE);
});

test("a clock that only shows during the work is found at the deadline", async () => {
  const stateAt = (nowMs: number) => ({ rows: [{ now: Math.floor((TIME + nowMs) / 1000), ...MONEY }] });
  expect(await timed(stateAt, { isLearned: false })).toEqual(AT_ONCE);
});

test("ignored paths do not count for rest", async () => {
  const stateAt = (nowMs: number) => ({ log: Array.from({ length: Math.floor(nowMs / 20) }), ...MONEY });
  expect(await timed(stateAt, { ignored: "$.log" })).toEqual(AT_ONCE);
  expect(await timed(stateAt)).toMatchObject({ isPrompt: false, isMoving: true });
});

test("a system gets more time only until that is shown to change nothing", async () => {
  const wall = virtualWall();
  const rest = new Rest({ wall, settleMs: 100, isDefault: false, repeatsOver: async () => false });
  const readMs = async (): Promise<number> => {
    const beganMs = wall.now();
    await rest.read(async () => MONEY);
    return wall.now() - beganMs;
  };
  const usualMs = await readMs();
  rest.slowDown(10);
  expect(await readMs()).toBe(4_000);
  rest.slowDown(0);
  expect(await readMs()).toBe(usualMs);
});

test("late work that a baseline without enough time took for the work of the next webhook is no usual work of it", async () => {
  let paidMs = 0;
  const wall = virtualWall();
  const rest = new Rest({ wall, settleMs: 200, isDefault: true, repeatsOver: async () => false });
  const calls = (): number => (wall.now() >= paidMs + 1_900 ? 1 : 0);
  const run = {
    patience: 1,
    glance: async () => ({ state: {}, calls: calls() }),
    calls,
    isFollower: () => false,
  };
  /** The system calls the platform 1.9 s after `paid`, and has no work after `shown`. Returns the wall time of `shown`. */
  const played = async (isTiming: boolean): Promise<number> => {
    rest.begin({ ...run, isTiming });
    paidMs = wall.now();
    rest.disturb(1, "paid");
    await rest.settle();
    const beganMs = wall.now();
    rest.disturb(1, "shown");
    await rest.settle();
    return wall.now() - beganMs;
  };
  await played(true);
  expect(rest.isSure).toBe(false);
  for (let again = 0; again < 3 && !rest.isSure; again++) await played(true);
  expect(rest.isSure).toBe(true);
  expect(await played(false)).toBeLessThan(100);
});
