import { expect, onTestFinished, test } from "vitest";
import { type Fixtures } from "../../../src/simulator/platform/seed.ts";
import fc from "fast-check";
import { ACME_ACCOUNT } from "../../partner.ts";
import { acts } from "../../../src/simulator/platform/catalog.ts";
import { journalDigest } from "../../../src/simulator/worlds/timeline.ts";
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

/** One step of a session in a world. */
type Step =
  | { readonly kind: "deposit" | "read" | "snapshot" | "fork" | "advance" | "save"; readonly pick: number }
  | { readonly kind: "fail"; readonly pick: number; readonly afterMs: number }
  | { readonly kind: "pass"; readonly ms: number };

const times = fc.integer({ min: 0, max: 90_000 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("deposit", "read", "snapshot", "fork", "advance", "save"),
    pick: fc.nat(4),
  }),
  fc.record({ kind: fc.constant("fail"), pick: fc.nat(4), afterMs: times }),
  fc.record({ kind: fc.constant("pass"), ms: times }),
);

/** Plays a session in several worlds. Only the worlds of `failing` get timers that fail. */
async function play(session: readonly Step[], count: number, failing: ReadonlySet<number>) {
  let wall = START;
  let worlds = open({ wallNow: () => wall });
  const ids = ["default"];
  while (ids.length < count) ids.push((await worlds.create({})).id);
  const take = async (step: Exclude<Step, { kind: "pass" }>, index: number): Promise<void> => {
    const world = worlds.get(ids[index]!)!;
    if (step.kind === "deposit") {
      const fields = { amount: "1.00" };
      world.execute({ by: "act", name: "deposit" }, (tx) =>
        acts.get("account.deposit")?.run(tx, ACME_ACCOUNT, fields),
      );
    } else if (step.kind === "read") void world.now;
    else if (step.kind === "snapshot") world.snapshots.take(world.image());
    else if (step.kind === "fork") await worlds.fork(world, 3);
    else if (step.kind === "advance") await world.advance({ to: world.now + 60_000 });
    else if (step.kind === "save") {
      worlds.close();
      worlds = open({ wallNow: () => wall, saved: worlds.saved() });
    } else if ("afterMs" in step && failing.has(index)) armFailing(world, world.now + step.afterMs);
  };
  for (const step of session) {
    if (step.kind === "pass") wall += step.ms;
    else {
      const index = step.pick % count;
      // The commands of a stopped world are refused. A command of another world is not.
      await take(step, index).catch((error: unknown) => {
        if (!failing.has(index)) throw error;
      });
    }
  }
  wall += 100_000;
  const shown = ids.map((id, index) => {
    const world = worlds.get(id)!;
    const state = { now: world.now, stopped: world.stopped, digest: journalDigest(world.journal.since(1)) };
    return failing.has(index) ? undefined : state;
  });
  worlds.close();
  return shown;
}

test("a world that fails never harms another", async () => {
  const sessions = fc.array(steps, { minLength: 5, maxLength: 25, size: "max" });
  const failing = fc.uniqueArray(fc.nat(4), { minLength: 1, maxLength: 3 });
  const property = fc.asyncProperty(
    sessions,
    fc.integer({ min: 2, max: 5 }),
    failing,
    async (session, count, some) => {
      const harmed = new Set(some);
      const expected = await play(
        session.filter(({ kind }) => kind !== "fail"),
        count,
        harmed,
      );
      expect(await play(session, count, harmed)).toEqual(expected);
      for (const state of expected) expect(state?.stopped).toBeUndefined();
    },
  );
  await expect(fc.assert(property, { numRuns: 60 })).resolves.toBeUndefined();
});
