import type { SandboxOptions } from "../../src/sandbox-interface.ts";
import { expect, onTestFinished, test } from "vitest";
import { ask, pay, payoutsOf, serve as open } from "./servers.ts";
import { Client } from "pg";
import { usePostgres } from "./postgres-server.ts";

const postgres = usePostgres();

/** A server in this process; it is closed with the test. */
const serve = (dataSchema: string, options: SandboxOptions = {}): Promise<string> =>
  open(postgres, { dataSchema, ...options }, onTestFinished);

test("without the database changes are refused, reads work until the lease ends, and then all goes on", async () => {
  const { stop, start } = postgres;
  if (stop === undefined || start === undefined) return;
  const url = await serve("away", { lease: "PT3S" });
  expect((await pay(url, "before")).status).toBe(201);
  // The outcome of a webhook is a change too: nothing is in flight when the database goes away.
  await ask(url, "POST", "/sandbox/clock/advance", { body: { until: "idle" } });
  await stop();
  const refused = await pay(url, "during");
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(JSON.stringify(refused.body)).not.toContain("secret-password");
  expect(await payoutsOf(url)).toHaveLength(1);
  expect((await ask(url, "GET", "/sandbox/health", { token: null })).status).toBe(503);
  expect((await ask(url, "GET", "/sandbox/ready", { token: null })).status).toBe(503);
  await expect.poll(async () => (await ask(url, "GET", "/sandbox/clock")).status).toBe(503);
  await start();
  await expect.poll(async () => (await pay(url, "during")).status).toBe(201);
  expect((await payoutsOf(url)).map(({ externalId }) => externalId)).toEqual(["before", "during"]);
  expect((await ask(url, "GET", "/sandbox/health", { token: null })).status).toBe(200);
});

/** Lets no change of a world be stored until the function it returns is called. */
async function lockWorlds(schema: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: postgres.url() });
  client.on("error", () => undefined);
  await client.connect();
  await client.query("BEGIN");
  await client.query(`SELECT id FROM ${schema}.worlds FOR UPDATE`);
  return () => client.end().catch(() => undefined);
}

const changes: Readonly<Record<string, (url: string) => Promise<{ readonly status: number }>>> = {
  "a payout": (url) => pay(url, "during"),
  "a move of the clock": (url) => ask(url, "POST", "/sandbox/clock/advance", { body: { by: "P1D" } }),
  "a snapshot": (url) => ask(url, "POST", "/sandbox/snapshots"),
  "a restore": (url) => ask(url, "POST", "/sandbox/snapshots/s1/restore"),
  "a reset": (url) => ask(url, "POST", "/sandbox/reset"),
};

test("a change that is in flight when the database goes away is undone, and reads go on", async () => {
  const { crash, start } = postgres;
  if (crash === undefined || start === undefined) return;
  const url = await serve("flight", { lease: "PT10S" });
  const seen = async (): Promise<unknown[]> => [
    await payoutsOf(url),
    (await ask(url, "GET", "/sandbox/clock")).body,
    (await ask(url, "GET", "/sandbox/snapshots")).body,
    (await ask(url, "GET", "/sandbox/timeline")).body,
    (await ask(url, "GET", "/order/v1/banking/accounts")).body,
  ];
  await ask(url, "POST", "/sandbox/snapshots");
  await pay(url, "before");
  await ask(url, "POST", "/sandbox/clock/advance", { body: { until: "idle" } });
  const before = await seen();
  for (const [what, change] of Object.entries(changes)) {
    const unlock = await lockWorlds("flight");
    const inFlight = change(url);
    await expect.poll(() => postgres.sql("SELECT 1 FROM pg_locks WHERE NOT granted")).not.toEqual([]);
    // It sees the change, so it waits for it.
    const waiting = payoutsOf(url);
    await crash();
    await unlock();
    expect([what, (await inFlight).status]).toEqual([what, 503]);
    expect([what, await waiting]).toEqual([what, before[0]]);
    expect([what, await seen()]).toEqual([what, before]);
    expect([what, (await pay(url, "refused")).status]).toEqual([what, 503]);
    expect([what, await seen()]).toEqual([what, before]);
    await start();
    // A change loads the world again as it is stored, also one that is refused.
    const path = "/sandbox/acts/account.deposit";
    expect([what, (await ask(url, "POST", path, { body: { id: "unknown" } })).status]).toEqual([what, 400]);
    expect([what, await seen()]).toEqual([what, before]);
  }
  expect((await pay(url, "after")).status).toBe(201);
}, 120_000);
