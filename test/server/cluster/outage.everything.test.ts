import type { SandboxOptions } from "../../../src/server/settings/sandbox-options.ts";
import { expect, onTestFinished, test } from "vitest";
import { ask, launch, pay, payoutsOf, serve as open } from "./servers.ts";
import { Client } from "pg";
import { freePort } from "../../free-port.ts";
import { once } from "node:events";
import { usePostgres } from "./use-postgres.ts";

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
  const unlock = (): Promise<void> => client.end().catch(() => undefined);
  onTestFinished(unlock);
  return unlock;
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
  // Reads go on until the lease ends, also on a busy machine.
  const url = await serve("flight", { lease: "PT1M" });
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

test("a database whose disk is full refuses changes and says so, reads go on, and then changes do", async () => {
  const url = await serve("full");
  await pay(url, "before");
  await ask(url, "POST", "/sandbox/clock/advance", { body: { until: "idle" } });
  const before = await payoutsOf(url);
  await postgres.sql(`
    CREATE FUNCTION "full".refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON "full".entries EXECUTE FUNCTION "full".refuse()`);
  for (let time = 0; time < 3; time++) {
    const refused = await pay(url, "during");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(refused.body["message"]).toMatch(
      /^Failed to save the change in the database 127\.0\.0\.1:\d+\/postgres: its disk is full\. Check the database, and send the request again\.$/,
    );
    expect(await payoutsOf(url)).toEqual(before);
    const ready = await ask(url, "GET", "/sandbox/ready", { token: null });
    expect([ready.status, ready.body["message"]]).toEqual([503, refused.body["message"]]);
  }
  await postgres.sql('DROP TRIGGER refuse ON "full".entries');
  expect((await pay(url, "during")).status).toBe(201);
  expect(await payoutsOf(url)).toHaveLength(2);
});

test("a new world that could not be stored is not acknowledged, whatever becomes of others made at the same time", async () => {
  const url = await serve("half");
  await postgres.sql(`
    CREATE FUNCTION half.refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON half.worlds FOR EACH ROW
      WHEN (NEW.id ~ '[02468]$') EXECUTE FUNCTION half.refuse()`);
  const make = (path: string): Promise<Awaited<ReturnType<typeof ask>>> =>
    ask(url, "POST", path, { ...(path === "/sandbox/worlds" && { token: null }), body: {} });
  const paths = Array.from({ length: 20 }, (_, number) =>
    number < 10 ? "/sandbox/worlds" : "/sandbox/fork",
  );
  const made = await Promise.all(paths.map(make));
  expect(made.filter(({ status }) => status === 503)).toHaveLength(10);
  const acknowledged = made.filter(({ status }) => status === 201).map(({ body }) => body["id"]);
  expect(acknowledged).toHaveLength(10);
  const { body } = await ask(url, "GET", "/sandbox/worlds", { token: null });
  const listed = (body["data"] as { id: string }[]).map(({ id }) => id);
  expect(listed).toEqual(expect.arrayContaining(acknowledged));
});

test("a server all of whose connections wait keeps its lease, refuses what it cannot store, and goes on", async () => {
  const url = await serve("waiting", { lease: "PT2S" });
  const made = await Promise.all(
    Array.from({ length: 12 }, () => ask(url, "POST", "/sandbox/worlds", { token: null, body: {} })),
  );
  const tokens = made.map(({ body }) => `acme-token.${String(body["id"])}`);
  const unlock = await lockWorlds("waiting");
  const paid = Promise.all(tokens.map((token) => pay(url, "while locked", token)));
  // The lease is renewed on another connection, so it does not hide that nothing can be written.
  await expect.poll(async () => (await ask(url, "GET", "/sandbox/ready", { token: null })).status).toBe(503);
  // Longer than a lease: a server that could not renew it would lose its worlds here.
  const accounts = await ask(url, "GET", "/order/v1/banking/accounts");
  expect(accounts.status).toBe(200);
  await unlock();
  const statuses = (await paid).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([201, 503]));
  for (const [index, token] of tokens.entries()) {
    expect((await pay(url, "while locked", token)).status).toBe(201);
    expect((await payoutsOf(url, token)).length, `${statuses[index]}`).toBe(1);
  }
});

test("pg_dump of a running sandbox restores to a consistent one", async () => {
  const { dump } = postgres;
  if (dump === undefined) return;
  const url = await serve("dumped");
  const load = new AbortController();
  const acknowledged: string[] = [];
  const pays = async (partner: number): Promise<void> => {
    for (let number = 0; !load.signal.aborted; number++) {
      const name = `${partner}-${number}`;
      if ((await pay(url, name)).status === 201) acknowledged.push(name);
    }
  };
  const partners = [pays(1), pays(2)];
  await expect.poll(() => acknowledged.length).toBeGreaterThan(20);
  const before = [...acknowledged];
  await postgres.sql("CREATE DATABASE restored");
  await dump("dumped", "restored");
  load.abort();
  await Promise.all(partners);
  const restored = await open(
    { url: () => postgres.url("restored") },
    { dataSchema: "dumped", lease: "PT1S" },
    onTestFinished,
  );
  const names = (await payoutsOf(restored)).map(({ externalId }) => externalId);
  expect(names).toEqual(expect.arrayContaining(before));
  expect(new Set(names).size).toBe(names.length);
  expect((await ask(restored, "GET", "/sandbox/ledger")).body["balanced"]).toBe(true);
  expect((await pay(restored, "after")).status).toBe(201);
});

test("a server whose database does not come ends with 1 after thirty seconds, and says what it waits for", async () => {
  const data = `postgres://sandbank:secret-password@127.0.0.1:${await freePort()}/sandbank`;
  const began = performance.now();
  const { child, log } = launch({ data }, onTestFinished);
  await once(child, "exit");
  expect(child.exitCode).toBe(1);
  expect(performance.now() - began).toBeGreaterThan(30_000);
  expect(log()).toContain("Waiting up to 30 s for the database 127.0.0.1:");
  expect(log()).toContain("nothing listens there. Start it, or name another one with --data.");
  expect(log()).not.toContain("secret-password");
}, 90_000);
