import { createSandbox } from "../../src/index.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { loadFixtures } from "../../src/worlds/fixture-files.ts";
import { ScriptedReceiver } from "../../src/tools/scenarios/receiver.ts";
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

test("a running clock goes on when the clock of the machine was set back while the world was saved", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.useFakeTimers({ toFake: ["Date"], now: START });
  onTestFinished(() => void vi.useRealTimers());
  const data = join(folder, "worlds");
  const first = await createSandbox({ data, mode: "running" });
  await first.close();
  vi.setSystemTime(START - 3_600_000);
  await using sandbox = await createSandbox({ data });
  const now = async (): Promise<number> => {
    const clock = (await (await sandbox.fetch("/sandbox/clock")).json()) as { now: string };
    return Date.parse(clock.now) - START;
  };
  expect(await now()).toBe(0);
  vi.setSystemTime(START - 3_595_000);
  expect(await now()).toBe(5_000);
});
