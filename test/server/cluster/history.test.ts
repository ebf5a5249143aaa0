import { expect, test } from "vitest";
import fc from "fast-check";
import { zstdDecompressSync } from "node:zlib";
import type { Change } from "../../../src/simulator/engine/store.ts";
import type { JournalEntry } from "../../../src/simulator/engine/journal.ts";
import { packHistory, StoredEvents } from "../../../src/server/cluster/postgres/history.ts";

interface ItemRecord {
  readonly id: string;
  readonly status: string;
  readonly attempts: readonly { readonly number: number; readonly text: string }[];
}

/** A step: it changes or deletes some records, and may grow the list of a record or replace it. */
const steps = fc.array(
  fc.array(
    fc.record({ id: fc.constantFrom("a", "b", "c"), does: fc.constantFrom("grow", "set", "delete") }),
    {
      maxLength: 3,
    },
  ),
  { maxLength: 30 },
);

/** With `isTwice` each entry changes its first record twice. */
function entriesOf(
  all: readonly (readonly { readonly id: string; readonly does: string }[])[],
  isTwice = false,
): JournalEntry[] {
  const records = new Map<string, ItemRecord>();
  return all.map((step, index) => {
    const changes = [...new Map(step.map((one) => [one.id, one])).values()].map(({ id, does }): Change => {
      const before = records.get(id);
      const { attempts = [] } = before ?? {};
      const next = { number: index, text: `${index}`.repeat(200) };
      const after =
        does === "delete"
          ? undefined
          : { id, status: `after ${index}`, attempts: does === "grow" ? [...attempts, next] : [next] };
      if (after === undefined) records.delete(id);
      else records.set(id, after);
      return { collection: "items", id, ...(before && { before }), ...(after && { after }) };
    });
    const [first] = changes;
    const record = first && records.get(first.id);
    if (isTwice && record !== undefined) {
      const after = { ...record, status: "after all" };
      records.set(record.id, after);
      changes.push({ collection: "items", id: record.id, before: record, after });
    }
    return { number: index + 1, at: index, cause: { by: "control", name: "step" }, timeline: [], changes };
  });
}

async function readBack(entries: readonly JournalEntry[], places: readonly number[]): Promise<unknown[]> {
  const chunks = await packHistory(entries.map((entry) => [entry.number, entry]));
  const stored = new StoredEvents("default", { chunks, rows: [] });
  return places.map((place) => JSON.parse(JSON.stringify(stored.entry(place + 1, place + 1))) as unknown);
}

test("each entry of a history is read as it was written, in any order", async () => {
  const property = fc.asyncProperty(
    steps,
    fc.boolean(),
    fc.infiniteStream(fc.nat()),
    async (all, isTwice, order) => {
      const entries = entriesOf(all, isTwice);
      const places = Array.from({ length: entries.length }, () => order.next().value! % entries.length);
      const written = places.map((place) => JSON.parse(JSON.stringify(entries[place])) as unknown);
      expect(await readBack(entries, places)).toEqual(written);
    },
  );
  await fc.assert(property, { numRuns: 200 });
});

test("a chunk has each version of a growing record as its difference, and gives the last one first", async () => {
  const entries = entriesOf(Array.from({ length: 400 }, () => [{ id: "a", does: "grow" }]));
  const [chunk] = await packHistory(entries.map((entry) => [entry.number, entry]));
  const { length } = zstdDecompressSync(chunk!.body);
  expect(JSON.stringify(entries).length).toBeGreaterThan(50_000_000);
  expect(length).toBeLessThan(1_000_000);
  expect(await readBack(entries, [399, 0])).toEqual(JSON.parse(JSON.stringify([entries[399], entries[0]])));
});
