import { expect, test } from "vitest";
import type { LoggedRequest } from "../../src/simulator/api/generated/shapes.ts";
import { PendingRepeats } from "../../src/partner/pending-repeats.ts";
import { systemWall } from "../../src/base/wall.ts";

/** A refused call of a system that never repeats it. */
function refused(operationId: string): LoggedRequest {
  return {
    id: `${operationId}-1`,
    operationId,
    injected: ["fault-1"],
    status: 503,
    responseHeaders: {},
    path: "/",
    requestBody: null,
  } as unknown as LoggedRequest;
}

function pendingRepeats() {
  let nowMs = 0;
  const wall = { ...systemWall, now: () => nowMs, pause: async (ms: number) => void (nowMs += ms) };
  const repeats = new PendingRepeats(wall);
  /** Plays a run with a refused call, and returns how many seconds it waits for the repeat. */
  const waited = async (patience: number, operation = "createPayout"): Promise<number> => {
    repeats.begin({ patience, log: async () => [refused(operation)], isFollower: () => false });
    const beganMs = nowMs;
    await repeats.over();
    return Math.round((nowMs - beganMs) / 1_000);
  };
  return { waited };
}

test("the patient wait for a repeat that never comes is made once for each operation and kind", async () => {
  const { waited } = pendingRepeats();
  expect(await waited(1)).toBe(5);
  expect(await waited(10)).toBeGreaterThanOrEqual(50);
  expect(await waited(1)).toBe(0);
  expect(await waited(10)).toBeLessThan(6);
  expect(await waited(10, "refundOrder")).toBeGreaterThanOrEqual(50);
});
