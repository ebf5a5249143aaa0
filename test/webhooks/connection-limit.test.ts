import { expect, test } from "vitest";
import { ConnectionLimit } from "../../src/webhooks/transport.ts";

/** Exchanges that last until the test ends them. */
class Exchanges {
  readonly begunFor: string[] = [];
  readonly #ends: (() => void)[] = [];

  start(limit: ConnectionLimit, origin: string): Promise<void> {
    return limit.run(origin, async () => {
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

test("an origin has at most its limit of connections, and further exchanges wait in order", async () => {
  const limit = new ConnectionLimit({ perOrigin: 2, inAll: 10 });
  const exchanges = new Exchanges();
  for (let index = 0; index < 5; index++) void exchanges.start(limit, "slow");
  expect(await exchanges.begun()).toEqual(["slow", "slow"]);
  await exchanges.end();
  expect(await exchanges.begun()).toEqual(["slow"]);
});

test("an origin that hangs does not block another", async () => {
  const limit = new ConnectionLimit({ perOrigin: 2, inAll: 10 });
  const exchanges = new Exchanges();
  for (let index = 0; index < 100; index++) void exchanges.start(limit, "hangs");
  await exchanges.begun();
  void exchanges.start(limit, "quick");
  expect(await exchanges.begun()).toEqual(["quick"]);
});

test("where all connections are used, the next is for the origin that has the fewest", async () => {
  const limit = new ConnectionLimit({ perOrigin: 3, inAll: 3 });
  const exchanges = new Exchanges();
  for (let index = 0; index < 5; index++) void exchanges.start(limit, "many");
  void exchanges.start(limit, "few");
  expect(await exchanges.begun()).toEqual(["many", "many", "many"]);
  await exchanges.end();
  expect(await exchanges.begun()).toEqual(["few"]);
});

test("an exchange that fails releases its connection", async () => {
  const limit = new ConnectionLimit({ perOrigin: 1, inAll: 1 });
  await expect(limit.run("a", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await limit.run("a", () => Promise.resolve("served"))).toBe("served");
});
