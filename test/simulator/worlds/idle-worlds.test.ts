import { expect, onTestFinished, test } from "vitest";
import { loadFixtures } from "../../../src/server/access/fixture-files.ts";
import { ScriptedReceiver } from "../../../src/scenarios/receiver.ts";
import { transportTo } from "../../../src/simulator/webhooks/in-process.ts";
import { Worlds } from "../../../src/simulator/worlds/worlds.ts";

const START = Date.parse("2026-11-20T09:00:00-03:00");

test("idle worlds are dropped after a rollback too, and what former worlds do is not stored", async () => {
  let wall = START;
  const logged: string[] = [];
  const worlds = new Worlds({
    fixtures: loadFixtures(),
    transport: transportTo(new ScriptedReceiver()),
    wallNow: () => wall,
    idleMs: 10,
    log: ({ kind }) => logged.push(kind),
    defaults: { seed: 1, start: START, mode: "frozen", assumptions: {}, webhookUrl: null },
  });
  onTestFinished(() => worlds.close());
  const former = await worlds.create({});
  const saved = worlds.saved();
  worlds.rollBackTo(saved);
  logged.length = 0;
  former.setClockMode("frozen");
  expect(logged).toEqual([]);
  expect(worlds.all()).toHaveLength(2);
  wall += 60_000;
  await expect.poll(() => worlds.all().length).toBe(1);
});
