import type { SavedWorld } from "../../src/worlds/saved-world.ts";
import type { SimulationImage } from "../../src/engine/simulation.ts";
import type { World } from "../../src/worlds/world.ts";
import { assertDefined } from "../../src/engine/assertion.ts";
import {
  type Undoable,
  replacedStateAfter,
  isUndoneByState,
  undoneWorld,
} from "../../src/storage/world-fold.ts";
import { type StoredRecord, collection } from "../../src/engine/collection.ts";
import { expect, onTestFinished, test } from "vitest";
import { loadFixtures } from "../../src/worlds/fixture-files.ts";
import { Worlds } from "../../src/worlds/worlds.ts";

const START = Date.parse("2026-11-20T09:00:00-03:00");

interface Thing extends StoredRecord {
  readonly value: number;
}

const things = collection<Thing>("things", {});

const put = (world: World, id: string, value: number) =>
  world.execute({ by: "control", name: "put" }, (tx) => {
    tx.log({ kind: "event", objectId: id, event: "THING.PUT", what: "put" });
    return tx.put(things, { id, value });
  });

/** One of every kind of event, and several that are undone together. */
const steps: readonly ((world: World) => unknown)[] = [
  (world) => put(world, "a", 1),
  (world) => world.snapshots.take(world.image()),
  (world) => put(world, "a", 2),
  (world) => put(world, "b", 1),
  (world) => world.execute({ by: "control", name: "delete" }, (tx) => tx.delete(things, "a")),
  (world) => world.setTokenExpiry("token", START + 1),
  (world) => world.advance({ to: START + 86_400_000 }),
  (world) => put(world, "c", 3),
  (world) => world.reconfigure({ webhookUrl: "http://receiver.example/" }),
  (world) => world.setClockMode("frozen"),
  (world) => world.snapshots.take(world.image()),
  (world) => world.restore("s1"),
  (world) => put(world, "d", 4),
  (world) => world.reset(undefined, 9),
  (world) => put(world, "e", 5),
  (world) => world.restore("s2"),
  (world) => world.snapshots.remove("s1"),
];

const saved = (world: World): SavedWorld => ({ ...world.saved(), coverage: world.coverage.counts() });

/** All that reads show, whatever the order in which records came. */
function shown({ settings, clock, image, snapshots, tokenExpiries, coverage }: SavedWorld): object {
  const ofImage = ({ seed, now, store, journal }: SimulationImage): object => ({
    seed,
    now,
    entries: journal.entries,
    dropped: journal.dropped,
    store: new Map(
      Array.from(store, ([name, records]) => [name, records] as const).filter(([, { size }]) => size > 0),
    ),
  });
  const images = Array.from(snapshots, ([id, one]) => [id, ofImage(one)]);
  return { settings, clock, image: ofImage(image), snapshots: images, tokenExpiries, coverage };
}

test("whatever events are undone, the world is as it was before them", async () => {
  const events: Undoable[] = [];
  const worlds = new Worlds({
    fixtures: loadFixtures(),
    transport: async () => [],
    wallNow: () => START,
    defaults: { seed: 1, start: START, mode: "frozen", assumptions: {}, webhookUrl: null },
    log: (event) => {
      events.push({ event, before: isUndoneByState(event) ? saved(worlds.default) : undefined });
    },
  });
  onTestFinished(() => worlds.close());
  const world = worlds.default;
  const moments = [{ count: events.length, saved: saved(world) }];
  for (const step of steps) {
    await step(world);
    moments.push({ count: events.length, saved: saved(world) });
  }
  const kinds = new Set(events.map(({ event }) => event.kind));
  for (const kind of [
    "committed",
    "clock",
    "settings",
    "token",
    "snapshot",
    "snapshot-removed",
    "begun",
    "restored",
  ] as const)
    expect(kinds).toContain(kind);
  for (const [index, now] of moments.entries()) {
    for (const then of moments.slice(0, index)) {
      const replaced = events
        .slice(0, then.count)
        .reduce<ReturnType<typeof replacedStateAfter>>(
          (all, { event }) => replacedStateAfter(all, event),
          undefined,
        );
      const undone = undoneWorld(
        now.saved,
        events.slice(then.count, now.count),
        assertDefined(replaced, "it"),
      );
      expect(shown(assertDefined(undone, "the world")), `${now.count} to ${then.count}`).toEqual(
        shown(then.saved),
      );
    }
  }
  const all = events.slice(0, moments.at(-1)?.count);
  const { settings, clock } = world.saved();
  expect(
    undoneWorld(world.saved(), all, { settings, clock, now: START }),
    "before it was made",
  ).toBeUndefined();
});
