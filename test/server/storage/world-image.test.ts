import { openSandbox } from "../../../src/library/sandbox.ts";
import { expect, onTestFinished, test } from "vitest";
import { packWorld, unpackWorld } from "../../../src/server/cluster/postgres/world-image.ts";

test("a world that is read shares its tables and its journal with its snapshots", async () => {
  const { sandbox, worlds } = await openSandbox();
  onTestFinished(() => sandbox.close());
  const world = worlds.default;
  for (let number = 0; number < 3; number++) world.snapshots.take(world.image());
  const saved = world.saved();
  const { entries } = saved.image.journal;
  const journal = [[1, entries.length]] as const;
  const snapshots = new Map(Array.from(saved.snapshots.keys(), (id) => [id, journal] as const));
  const { body } = await packWorld(saved, { journal, snapshots });
  const read = await unpackWorld("default", body, (row) => entries[row - 1]!);
  expect(read.saved.image.store).toEqual(saved.image.store);
  for (const { store, journal: ofSnapshot } of read.saved.snapshots.values()) {
    for (const [name, table] of store) expect(table).toBe(read.saved.image.store.get(name));
    expect(ofSnapshot.entries).toBe(read.saved.image.journal.entries);
  }
  expect(new Set(read.saved.image.store.values()).size).toBe(read.saved.image.store.size);
});
