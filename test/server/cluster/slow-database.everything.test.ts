import { expect, onTestFinished, test } from "vitest";
import { ask, pay, serve } from "./servers.ts";
import { setTimeout as pause } from "node:timers/promises";
import { type Passage, startDatabaseProxy } from "./database-proxy.ts";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();

/** Opens two servers on one database. `slow` delays each statement of the first server, and counts its renewals. */
async function twoServers(dataSchema: string, lease: string) {
  const proxy = await startDatabaseProxy(postgres.url(), onTestFinished);
  const urls = [
    await serve({ url: () => proxy.url }, { dataSchema, lease }, onTestFinished),
    await serve(postgres, { dataSchema, lease }, onTestFinished),
  ] as const;
  const renewals = { count: 0 };
  const slow = (ms: number): void => {
    proxy.intercept = async (statement, moment): Promise<Passage> => {
      if (moment === "answered") return "pass";
      if (statement === "renew") renewals.count++;
      await pause(ms);
      return "pass";
    };
  };
  return { urls, slow, renewals };
}

test("a server whose statements take a third of the lease keeps its worlds and answers", async () => {
  const { urls, slow, renewals } = await twoServers("slow", "PT6S");
  expect((await pay(urls[0], "before")).status).toBe(201);
  const owner = (): Promise<unknown> => postgres.sql("SELECT owner, epoch FROM slow.worlds");
  const before = await owner();
  slow(2_000);
  await expect.poll(() => renewals.count).toBeGreaterThan(2);
  expect((await ask(urls[0], "GET", "/order/v1/banking/accounts")).status).toBe(200);
  expect((await pay(urls[1], "passed on")).status).toBe(201);
  expect(await owner()).toEqual(before);
  slow(0);
});

test("a request is refused with 503 if no lease can be had in time", async () => {
  const { urls, slow } = await twoServers("too_slow", "PT1S");
  expect((await pay(urls[0], "before")).status).toBe(201);
  slow(1_500);
  await expect.poll(async () => (await ask(urls[0], "GET", "/order/v1/banking/accounts")).status).toBe(503);
  slow(0);
});
