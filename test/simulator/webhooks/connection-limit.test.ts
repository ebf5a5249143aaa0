import { expect, test } from "vitest";
import { ConnectionLimit } from "../../../src/simulator/webhooks/transport.ts";

/** Exchanges that last until the test ends them. */
class Exchanges {
  readonly begunFor: string[] = [];
  readonly #ends: (() => void)[] = [];

  start(limit: ConnectionLimit, origin: string, world = "default"): Promise<void> {
    return limit.run({ world, origin }, async () => {
      this.begunFor.push(origin);
      await new Promise<void>((resolve) => this.#ends.push(resolve));
    });
  }

  /** Ends the one that began first, and lets what follows from it happen. */
  async end(): Promise<void> {
    this.#ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }

  async begun(): Promise<string[]> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.begunFor.splice(0);
  }
}

/** Limits without places that belong to a world. */
const NO_MORE = { worldMax: 1_000, perWorld: 0, inAll: 1_000 };

test("an origin has at most its limit of connections, and further exchanges wait in order", async () => {
  const limit = new ConnectionLimit({ ...NO_MORE, perOrigin: 2, shared: 10 });
  const exchanges = new Exchanges();
  for (let index = 0; index < 5; index++) void exchanges.start(limit, "slow");
  expect(await exchanges.begun()).toEqual(["slow", "slow"]);
  await exchanges.end();
  expect(await exchanges.begun()).toEqual(["slow"]);
});

test("an origin that hangs does not block another", async () => {
  const limit = new ConnectionLimit({ ...NO_MORE, perOrigin: 2, shared: 10 });
  const exchanges = new Exchanges();
  for (let index = 0; index < 100; index++) void exchanges.start(limit, "hangs");
  await exchanges.begun();
  void exchanges.start(limit, "quick");
  expect(await exchanges.begun()).toEqual(["quick"]);
});

test("where all connections are used, the next is for the origin that has the fewest", async () => {
  const limit = new ConnectionLimit({ ...NO_MORE, perOrigin: 3, shared: 3 });
  const exchanges = new Exchanges();
  for (let index = 0; index < 5; index++) void exchanges.start(limit, "many");
  void exchanges.start(limit, "few");
  expect(await exchanges.begun()).toEqual(["many", "many", "many"]);
  await exchanges.end();
  expect(await exchanges.begun()).toEqual(["few"]);
});

test("an exchange that fails releases its connection", async () => {
  const limit = new ConnectionLimit({ ...NO_MORE, perOrigin: 1, shared: 1 });
  await expect(
    limit.run({ world: "default", origin: "a" }, () => Promise.reject(new Error("broken"))),
  ).rejects.toThrow("broken");
  expect(await limit.run({ world: "default", origin: "a" }, () => Promise.resolve("served"))).toBe("served");
});

test("a world whose receivers hang does not block another world", async () => {
  const limit = new ConnectionLimit({ perOrigin: 2, worldMax: 6, shared: 6, perWorld: 2, inAll: 8 });
  const exchanges = new Exchanges();
  for (let index = 0; index < 400; index++) void exchanges.start(limit, `hangs ${index % 50}`, "hanging");
  expect(await exchanges.begun()).toHaveLength(6);
  void exchanges.start(limit, "quick", "other");
  void exchanges.start(limit, "quick", "other");
  expect(await exchanges.begun()).toEqual(["quick", "quick"]);
  void exchanges.start(limit, "quick", "third");
  expect(await exchanges.begun()).toEqual([]);
  await exchanges.end();
  expect(await exchanges.begun()).toEqual(["quick"]);
});

test("a free place goes to the world that has the fewest", async () => {
  const limit = new ConnectionLimit({ ...NO_MORE, perOrigin: 4, shared: 4 });
  const exchanges = new Exchanges();
  for (let index = 0; index < 10; index++) void exchanges.start(limit, `a ${index}`, "a");
  for (let index = 0; index < 10; index++) void exchanges.start(limit, "b", "b");
  expect((await exchanges.begun()).map(([first]) => first)).toEqual(["a", "a", "a", "a"]);
  for (let count = 0; count < 2; count++) await exchanges.end();
  expect(await exchanges.begun()).toEqual(["b", "b"]);
});

test("a world has at most its limit of connections, however many are free", async () => {
  const limit = new ConnectionLimit({ ...NO_MORE, perOrigin: 2, worldMax: 3, shared: 10 });
  const exchanges = new Exchanges();
  for (const origin of ["a", "b", "c"])
    for (let index = 0; index < 2; index++) void exchanges.start(limit, origin, "w1");
  expect(await exchanges.begun()).toHaveLength(3);
  void exchanges.start(limit, "d", "w2");
  expect(await exchanges.begun()).toEqual(["d"]);
});
