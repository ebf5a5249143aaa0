import { expect, onTestFinished, test, vi } from "vitest";
import type { PostgresStorage } from "../../../src/server/cluster/postgres/postgres-storage.ts";
import { Membership } from "../../../src/server/cluster/membership.ts";
import { SILENCE } from "../../../src/base/log.ts";

const HOUR_MS = 3_600_000;

/** A server whose database has the time of the monotonic clock plus `aheadMs`, and answers after `delayMs`. */
function memberOf(database: { aheadMs: number; delayMs: number }): Membership {
  let monotonicMs = 0;
  const monotonic = vi.spyOn(performance, "now").mockImplementation(() => monotonicMs);
  onTestFinished(() => monotonic.mockRestore());
  const storage = {
    server: "first",
    renew: async () => {
      // Only the answer is slow, so half of the round trip is a wrong estimate.
      const now = monotonicMs + database.aheadMs;
      monotonicMs += database.delayMs;
      return { now, isAdded: false };
    },
    removeExpired: async () => undefined,
    readCluster: async () => ({ servers: [], nextDue: null, isOutdated: false }),
  } as unknown as PostgresStorage;
  return new Membership({
    storage,
    log: SILENCE,
    leaseMs: 5_000,
    state: () => ({ worlds: 0, isStopping: false }),
    running: () => [],
    read: () => undefined,
    removed: () => undefined,
  });
}

test("the time of the worlds does not follow the clock of this machine", async () => {
  const member = memberOf({ aheadMs: HOUR_MS, delayMs: 0 });
  await member.renew();
  const before = member.wallNow();
  const wall = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 2 * HOUR_MS);
  onTestFinished(() => wall.mockRestore());
  expect(member.wallNow()).toBe(before);
  await member.renew();
  expect(member.wallNow()).toBe(before);
});

test("a slow answer of the database does not move the time of the worlds, and a set clock of the database does", async () => {
  const database = { aheadMs: HOUR_MS, delayMs: 0 };
  const member = memberOf(database);
  await member.renew();
  database.delayMs = 4_000;
  await member.renew();
  expect(member.wallNow() - performance.now()).toBe(HOUR_MS);
  Object.assign(database, { aheadMs: 2 * HOUR_MS, delayMs: 0 });
  await member.renew();
  expect(member.wallNow() - performance.now()).toBe(2 * HOUR_MS);
});
