import { expect, onTestFinished, test } from "vitest";
import { loadFixtures } from "../../src/worlds/fixture-files.ts";
import { ScriptedReceiver } from "../../src/scenarios/receiver.ts";
import { transportTo } from "../../src/webhooks/in-process.ts";
import { Worlds } from "../../src/worlds/worlds.ts";

const START = Date.parse("2026-11-20T09:00:00-03:00");

test("a running clock goes on when the clock of the machine is set back", () => {
  let wall = START;
  const worlds = new Worlds({
    fixtures: loadFixtures(),
    transport: transportTo(new ScriptedReceiver()),
    wallNow: () => wall,
    defaults: { seed: 1, start: START, mode: "running", assumptions: {}, webhookUrl: null },
  });
  onTestFinished(() => worlds.close());
  const world = worlds.default;
  wall += 60_000;
  expect(world.now - START).toBe(60_000);
  wall -= 3_600_000;
  expect(world.now - START).toBe(60_000);
  wall += 5_000;
  expect(world.now - START).toBe(65_000);
});
