import { expect, test } from "vitest";
import { Rest } from "../../src/partner/rest.ts";
import { systemWall } from "../../src/base/wall.ts";

test("the last look after a timed run ends after five seconds, however late the machine is", async () => {
  let nowMs = 0;
  let lateMs = 1_000;
  const wall = {
    ...systemWall,
    now: () => nowMs,
    pause: async (ms: number) => void (nowMs += ms + lateMs),
  };
  const rest = new Rest({ wall, settleMs: 5, isDefault: false, retryAfterOver: async () => false });
  rest.begin({ patience: 1, isTiming: true, glance: async () => "same", isFollower: () => false });
  rest.disturb(1);
  await rest.settle();
  lateMs = 0;
  const beganMs = nowMs;
  await rest.lookAgain();
  expect(nowMs - beganMs).toBe(5_000);
});
