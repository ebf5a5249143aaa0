import { expect, onTestFinished, test } from "vitest";
import { type Fixtures } from "../../../src/simulator/platform/seed.ts";
import { loadFixtures } from "../../../src/server/access/fixture-files.ts";
import { ScriptedReceiver } from "../../../src/scenarios/receiver.ts";
import { transportTo } from "../../../src/simulator/webhooks/in-process.ts";
import { timers } from "../../../src/simulator/engine/timers.ts";
import { Worlds, type WorldsOptions } from "../../../src/simulator/worlds/worlds.ts";
import type { SavedWorlds } from "../../../src/simulator/worlds/saved-world.ts";
import type { World } from "../../../src/simulator/worlds/world.ts";

const START = Date.parse("2026-11-20T09:00:00-03:00");
const fixtures: Fixtures = loadFixtures();

/** Worlds on a running clock of the test. */
function open({
  wallNow,
  saved,
  stopped,
}: Pick<WorldsOptions, "wallNow" | "stopped"> & { saved?: SavedWorlds }) {
  const options: WorldsOptions = {
    fixtures,
    transport: transportTo(new ScriptedReceiver()),
    wallNow,
    ...(stopped && { stopped }),
    defaults: { seed: 1, start: START, mode: "running", assumptions: {}, webhookUrl: null },
  };
  const worlds = new Worlds(options, saved);
  onTestFinished(() => worlds.close());
  return worlds;
}

/** Arms a timer without an owner, whose kind exists and whose object does not: it fails when it is due. */
function armFailing(world: World, due: number): void {
  const outcome = world.execute({ by: "control", name: "test" }, (tx) => {
    tx.arm({ kind: "refund.outcome", owner: "nothing", due, input: { outcome: "unknown" } });
  });
  expect(outcome.ok).toBe(true);
}

test("a world whose timer failed is saved and opened again, and other worlds run on", async () => {
  let wall = START;
  const reasons: string[] = [];
  const stopped = (world: string, reason: string): void => void reasons.push(`${world}: ${reason}`);
  const worlds = open({ wallNow: () => wall, stopped });
  const other = await worlds.create({});
  armFailing(worlds.default, START + 5_000);
  wall += 60_000;
  expect([worlds.default.now - START, other.now - START]).toEqual([5_000, 60_000]);
  expect(() => worlds.default.execute({ by: "control", name: "test" }, () => 1)).toThrow(
    "the record nothing of refund.outcome is missing",
  );
  await expect(worlds.default.advance({ to: START + 90_000 })).rejects.toThrow("refund.outcome");
  expect(worlds.default.clock.nextDueAt).toBeUndefined();

  const again = open({ wallNow: () => wall, saved: worlds.saved(), stopped });
  again.default.reconfigure({ webhookUrl: "http://receiver.example" });
  expect(again.default.records.count(timers)).toBe(1);
  expect(again.default.stopped).toBe(worlds.default.stopped);
  expect(reasons).toHaveLength(2);
  expect(reasons[0]).toMatch(/^default: The world default stopped at 2026-11-20T12:00:05/);
  expect(again.get(other.id)?.stopped).toBeUndefined();

  again.default.reset();
  expect([again.default.stopped, again.default.settings.webhookUrl]).toEqual([
    undefined,
    "http://receiver.example",
  ]);
});
