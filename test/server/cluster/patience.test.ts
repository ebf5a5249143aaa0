import { expect, onTestFinished, test, vi } from "vitest";
import { Patience } from "../../../src/server/cluster/patience.ts";

/** A lease of a second, at a time that a test moves. */
function patienceAt(clock: { ms: number }): Patience {
  const now = vi.spyOn(performance, "now").mockImplementation(() => clock.ms);
  onTestFinished(() => now.mockRestore());
  return new Patience(1_000);
}

test("a request tries for four leases", () => {
  const clock = { ms: 0 };
  const patience = patienceAt(clock);
  for (; clock.ms < 4_000; clock.ms += 100) expect(patience.hasNext()).toBe(true);
  expect(patience.hasNext()).toBe(false);
});

test("a request whose server was paused for longer still has some tries", () => {
  const clock = { ms: 0 };
  const patience = patienceAt(clock);
  expect(patience.hasNext()).toBe(true);
  clock.ms = 60_000;
  expect([1, 2, 3, 4].map(() => patience.hasNext())).toEqual([true, true, true, false]);
});
