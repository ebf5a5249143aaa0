import { createSandbox } from "../../../src/index.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { loadFixtures } from "../../../src/server/access/fixture-files.ts";
import { ScriptedReceiver } from "../../../src/scenarios/receiver.ts";
import { transportTo } from "../../../src/simulator/webhooks/in-process.ts";
import { Worlds } from "../../../src/simulator/worlds/worlds.ts";

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
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: START });
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
  vi.advanceTimersByTime(5_000);
  expect(await now()).toBe(5_000);
});

test("a running clock does not jump when the clock of the machine is set back and forward", async () => {
  await using sandbox = await createSandbox({ mode: "running", start: "2026-11-20T09:00:00-03:00" });
  const now = async (): Promise<number> => {
    const answer = await sandbox.fetch("/sandbox/clock");
    return Date.parse(((await answer.json()) as { now: string }).now);
  };
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  for (const year of [2083, 1999, 2083, 2026]) {
    vi.setSystemTime(new Date(`${year}-01-01T00:00:00Z`));
    expect((await now()) - START).toBeLessThan(60_000);
  }
});
