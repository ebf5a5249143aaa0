import { type StoredRecord, collection } from "../../../src/simulator/engine/collection.ts";
import { expect, test } from "vitest";
import { type Condition, meets } from "../../../src/simulator/engine/facets.ts";
import { Store, type StoreImage } from "../../../src/simulator/engine/store.ts";
import fc from "fast-check";

interface Item extends StoredRecord {
  readonly group: string;
  readonly value: number;
}

const items = collection<Item, "group">("items", { group: ({ group }) => group });

/** A store whose tables are its own, with the records of an image. */
function copyOf(image: StoreImage): Store {
  return Store.fromImage(new Map(Array.from(image, ([name, records]) => [name, new Map(records)])));
}

/** A store that has the same records in the same order, and never had others. */
function loaded(store: Store): Store {
  const again = new Store();
  for (const item of store.all(items)) again.put(items, item);
  return again;
}

function groupOf({ group }: Item): string {
  return group;
}

/** An item has two words under this facet. */
function valuesOf({ value }: Item): readonly string[] {
  return [value % 2 === 0 ? "even" : "odd", value < 5 ? "small" : "large"];
}

const CONDITIONS: readonly Condition<Item>[] = [
  { facet: groupOf, fits: (group) => group !== "b" },
  { facet: valuesOf, fits: (word) => word === "odd" },
];

/** Everything that can be read: the records, and those of each group of the index and of conditions, in their order. */
function contentsOf(store: Store): unknown {
  const groups = ["a", "b", "c"].map((group) => store.find(items, "group", group));
  return {
    all: [...store.all(items)],
    groups,
    count: store.count(items),
    newestFirst: [...store.newestFirst(items)],
    selected: [...store.newestFirst(items, CONDITIONS)],
    counts: [...store.counts(items, groupOf)],
  };
}

/** The same by a look at every record. */
function expectedOf(store: Store): unknown {
  const all = [...store.all(items)];
  const selected = all.filter((item) => CONDITIONS.every((condition) => meets(item, condition)));
  const counts = [...Map.groupBy(all, groupOf)].map(([group, { length }]) => [group, length]);
  return { newestFirst: all.toReversed(), selected: selected.reverse(), counts };
}

const step = fc.record({
  kind: fc.constantFrom("put", "put", "put", "delete", "image", "undo", "fork"),
  id: fc.constantFrom("1", "2", "3", "4", "5"),
  group: fc.constantFrom("a", "b", "c"),
  value: fc.nat(9),
});

test("stores that share an image read and change as stores of their own do", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(3), step), { maxLength: 60 }), (steps) => {
      const stores = [{ shared: new Store(), own: new Store() }];
      for (const [at, { kind, ...record }] of steps) {
        const { shared, own } = stores[at % stores.length]!;
        if (kind === "image" || kind === "fork") {
          const image = shared.image();
          if (kind === "fork") stores.push({ shared: Store.fromImage(image), own: copyOf(own.image()) });
          continue;
        }
        for (const store of [shared, own]) {
          if (kind === "delete") store.delete(items, record.id);
          else store.put(items, { ...record });
          if (kind === "undo") store.undo();
          else store.takeChanges();
        }
        for (const one of stores) {
          expect(contentsOf(one.shared)).toEqual(contentsOf(one.own));
          expect(contentsOf(one.shared), "as loaded again").toEqual(contentsOf(loaded(one.shared)));
          expect(contentsOf(one.shared), "record by record").toMatchObject(expectedOf(one.shared) as object);
        }
      }
    }),
  );
});

test("a loop over records sees what it changes itself, also where an image shares them", () => {
  const seen = [false, true].map((isShared) => {
    const store = new Store();
    for (const id of ["1", "2", "3"]) store.put(items, { id, group: "a", value: 0 });
    store.takeChanges();
    if (isShared) store.image();
    const values: unknown[] = [];
    for (const item of store.all(items)) {
      values.push(item);
      if (item.id !== "1") continue;
      store.put(items, { id: "2", group: "b", value: 7 });
      store.delete(items, "3");
      store.put(items, { id: "4", group: "a", value: 8 });
    }
    return values;
  });
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[0]).toHaveLength(3);
});

test("an image stays as it was, whatever is written afterwards", () => {
  const store = new Store();
  store.put(items, { id: "1", group: "a", value: 1 });
  store.takeChanges();
  const image = store.image();
  store.put(items, { id: "1", group: "b", value: 2 });
  store.put(items, { id: "2", group: "a", value: 3 });
  store.takeChanges();
  const before = Store.fromImage(image);
  expect(contentsOf(before)).toMatchObject({ all: [{ id: "1", group: "a", value: 1 }], count: 1 });
  expect(store.find(items, "group", "a")).toEqual([{ id: "2", group: "a", value: 3 }]);
});

test("a thousand records are selected by their words, the newest first, while they change", () => {
  const store = new Store();
  const put = (number: number, value: number) =>
    store.put(items, { id: String(number), group: number % 100 === 0 ? "a" : "b", value });
  for (let number = 0; number < 1_000; number++) put(number, number);
  const idsIn = (group: string) =>
    Array.from(
      store.newestFirst(items, [{ facet: groupOf, fits: (word) => word === group }]),
      ({ id }) => id,
    );
  expect(idsIn("a")).toEqual(["900", "800", "700", "600", "500", "400", "300", "200", "100", "0"]);
  for (let number = 1_000; number < 1_101; number++) put(number, number);
  store.delete(items, "500");
  store.put(items, { id: "7", group: "a", value: 7 });
  expect(idsIn("a")).toEqual([
    "1100",
    "1000",
    "900",
    "800",
    "700",
    "600",
    "400",
    "300",
    "200",
    "100",
    "7",
    "0",
  ]);
  expect(idsIn("c")).toEqual([]);
  for (const limit of [0, 1, 31, 32, 33, 64, 1_000, 1_101])
    expect([...store.newestFirst(items, [], ({ value }) => value < limit)]).toEqual(
      [...store.all(items)].filter(({ value }) => value < limit).reverse(),
    );
  expect([...store.newestFirst(collection<Item>("empty", {}))]).toEqual([]);
});
