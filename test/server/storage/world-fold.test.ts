import type { SavedWorld, EventOfWorld } from "../../../src/simulator/worlds/saved-world.ts";
import type { SimulationImage } from "../../../src/simulator/engine/simulation.ts";
import type { World } from "../../../src/simulator/worlds/world.ts";
import { WorldFold } from "../../../src/server/storage/world-fold.ts";
import { type StoredRecord, collection } from "../../../src/simulator/engine/collection.ts";
import { expect, onTestFinished, test } from "vitest";
import { loadFixtures } from "../../../src/server/access/fixture-files.ts";
import { Worlds } from "../../../src/simulator/worlds/worlds.ts";

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

/** One of every kind of event. */
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

/** All that reads show, whatever the order in which records came. */
function shown({ settings, clock, image, snapshots, tokenExpiries }: SavedWorld): object {
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
  return { settings, clock, image: ofImage(image), snapshots: images, tokenExpiries };
}

test("a world as its events say is the one that they happened in, after each of them, read or not", async () => {
  const events: EventOfWorld[] = [];
  const folds = [new WorldFold({ made: 0, worlds: [] }), new WorldFold({ made: 0, worlds: [] })] as const;
  const worlds = new Worlds({
    fixtures: loadFixtures(),
    transport: async () => [],
    wallNow: () => START,
    defaults: { seed: 1, start: START, mode: "frozen", assumptions: {}, webhookUrl: null },
    log: (event) => {
      events.push(event);
      folds[0].take(event);
      folds[1].take(JSON.parse(JSON.stringify(event)) as EventOfWorld);
    },
  });
  onTestFinished(() => worlds.close());
  const world = worlds.default;
  for (const [index, step] of steps.entries()) {
    await step(world);
    for (const fold of folds)
      expect(fold.saved().worlds.map(shown), `after step ${index}`).toEqual([shown(world.saved())]);
  }
  const kinds = new Set(events.map(({ kind }) => kind));
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
  const [entry] = worlds.default.journal.since(world.journal.nextNumber - 1);
  expect(folds[0].saved().worlds[0]?.image.journal.entries.at(-1), "nothing is kept twice").toBe(entry);
});
