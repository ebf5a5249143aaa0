import type { SandboxOptions } from "../../../src/server/settings/sandbox-options.ts";
import { expect, onTestFinished, test } from "vitest";
import { ask, launch, pay, serve as open, startServer } from "./servers.ts";
import { CONNECT, startDatabaseProxy } from "./database-proxy.ts";
import { once } from "node:events";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();

/** A server in this process; it is closed with the test. */
const serve = (dataSchema: string, options: SandboxOptions = {}): Promise<string> =>
  open(postgres, { dataSchema, ...options }, onTestFinished);

const list = async (url: string): Promise<Record<string, unknown>[]> =>
  (await ask(url, "GET", "/sandbox/worlds", { token: null })).body["data"] as Record<string, unknown>[];

test("connections that are cut under load fail no request", async () => {
  const url = await serve("cut");
  const load = Array.from({ length: 4 }, async (_, partner) => {
    const answers: unknown[] = [];
    for (let number = 0; number < 15; number++) {
      const { status, body } = await pay(url, `${partner}-${number}`);
      answers.push(status === 201 ? "paid" : body);
    }
    return answers;
  });
  for (let cut = 0; cut < 5; cut++) {
    await postgres.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sandbank'",
    );
    await ask(url, "GET", "/sandbox/clock");
  }
  expect(new Set((await Promise.all(load)).flat())).toEqual(new Set(["paid"]));
  const { body } = await ask(url, "GET", "/sandbox/resources/payouts");
  expect((body["data"] as unknown[]).length).toBe(60);
});

test("connections that are cut while they open are opened again", async () => {
  const proxy = await startDatabaseProxy(postgres.url(), onTestFinished);
  const url = await open({ url: () => proxy.url }, { dataSchema: "opening" }, onTestFinished);
  let cuts = 0;
  proxy.intercept = (statement, moment) => {
    if (statement !== CONNECT || moment !== "answered" || cuts === 3) return "pass";
    cuts++;
    return "cut";
  };
  proxy.cutAll();
  expect((await pay(url, "opening")).status).toBe(201);
  expect(cuts).toBe(3);
});

test("a world that nobody uses sleeps, is listed as it was, and wakes with a request", async () => {
  const options = { worldSleep: "PT1S", lease: "PT1S" };
  const url = await serve("asleep", options);
  const made = await ask(url, "POST", "/sandbox/worlds", {
    token: null,
    body: { name: "frozen", mode: "frozen" },
  });
  const token = `acme-token.${String(made.body["id"])}`;
  const stateOf = async (name: string): Promise<unknown> =>
    (await list(url)).find((world) => world["name"] === name)?.["state"];
  expect((await pay(url, "asleep", token)).status).toBe(201);
  await ask(url, "POST", "/sandbox/clock/advance", { token, body: { until: "idle" } });
  await expect.poll(() => stateOf("frozen")).toBe("asleep");
  const before = (await list(url)).find((world) => world["name"] === "frozen");
  expect(before?.["server"]).toBeNull();
  expect(before?.["companies"]).toEqual(made.body["companies"]);
  const { body } = await ask(url, "GET", "/sandbox/resources/payouts", { token });
  expect(body["data"]).toHaveLength(1);
  expect(await stateOf("frozen")).toBe("awake");
});

test("two servers that start at once on an empty database make one sandbox, with one default world", async () => {
  const urls = await Promise.all([1, 2, 3].map(() => serve("twins", { lease: "PT1S" })));
  const made = await Promise.all(
    urls.map((url) => ask(url, "POST", "/sandbox/worlds", { token: null, body: {} })),
  );
  expect(made.map(({ body }) => String(body["id"])).toSorted((a, b) => a.localeCompare(b))).toEqual([
    "w1",
    "w2",
    "w3",
  ]);
  for (const url of urls) {
    expect((await list(url)).map(({ id }) => id)).toEqual(
      expect.arrayContaining(["default", "w1", "w2", "w3"]),
    );
    for (const id of ["w1", "w2", "w3"])
      expect(
        (await ask(url, "GET", "/order/v1/banking/accounts", { token: `acme-token.${id}` })).status,
      ).toBe(200);
  }
  const [first, second] = urls as [string, string, string];
  const scenario = "name: Posted\nsteps:\n  - advance: P1D\n";
  const posted = await fetch(`${first}/sandbox/scenarios`, { method: "POST", body: scenario });
  expect(posted.status).toBe(201);
  expect((await ask(second, "GET", "/sandbox/scenarios/Posted", { token: null })).status).toBe(200);
});

test("a fork, a snapshot and a token made by one server are the same on another", async () => {
  const [first, second] = [await serve("moved", { lease: "PT1S" }), await serve("moved", { lease: "PT1S" })];
  await pay(first, "kept");
  const snapshot = await ask(first, "POST", "/sandbox/snapshots");
  await ask(second, "POST", "/sandbox/snapshots");
  expect((await ask(second, "DELETE", "/sandbox/snapshots/s2")).status).toBe(200);
  await pay(second, "lost");
  const fork = await ask(second, "POST", "/sandbox/fork", { body: {} });
  const token = `acme-token.${String(fork.body["id"])}`;
  const count = async (url: string, of: string): Promise<number> =>
    ((await ask(url, "GET", "/sandbox/resources/payouts", { token: of })).body["data"] as unknown[]).length;
  expect(await count(first, token)).toBe(2);
  expect(
    (await ask(second, "POST", `/sandbox/snapshots/${String(snapshot.body["id"])}/restore`)).status,
  ).toBe(200);
  expect(await count(first, "acme-token")).toBe(1);
  expect(await count(second, token)).toBe(2);
  expect((await ask(first, "GET", "/sandbox/snapshots")).body["data"]).toMatchObject([{ id: "s1" }]);
});

test("the reference page has the day and the objects of the default world on every server", async () => {
  const [first, second] = [await serve("page"), await serve("page")];
  await ask(first, "POST", "/sandbox/clock/advance", { body: { by: "P40D" } });
  const pages = await Promise.all(
    [first, second].map(async (url) => (await (await fetch(`${url}/docs`)).text()).replaceAll(url, "URL")),
  );
  expect(pages[0]).toContain("Reference");
  expect(pages[1]).toBe(pages[0]);
});

test("each server describes the platform API with the same dates and the same assumptions", async () => {
  const [first, second] = [await serve("described"), await serve("described")];
  await ask(first, "POST", "/sandbox/clock/advance", { body: { by: "P40D" } });
  await ask(first, "PATCH", "/sandbox/settings", {
    body: { assumptions: { "http.statuses": "created-200" } },
  });
  for (const path of ["/openapi.json", "/sandbox/openapi.json", "/llms.txt"]) {
    const documents = await Promise.all(
      [first, second].map(async (url) => (await (await fetch(url + path)).text()).replaceAll(url, "URL")),
    );
    expect([path, documents[1] === documents[0]]).toEqual([path, true]);
  }
});

test("a request that is passed on arrives as it was sent, and so does its answer", async () => {
  const [owner, other] = [await serve("passed", { lease: "PT1S" }), await serve("passed", { lease: "PT1S" })];
  for (let number = 0; number < 20; number++) await pay(owner, `payout ${number}`);
  const answer = async (
    url: string,
    method: string,
    path: string,
    init: { readonly body?: string; readonly headers?: Record<string, string> } = {},
  ): Promise<unknown> => {
    const headers = { authorization: "Bearer acme-token", "x-request-id": "chosen", ...init.headers };
    const response = await fetch(`${url}${path}`, { method, ...init, headers });
    const ofConnection = new Set(["connection", "keep-alive", "transfer-encoding"]);
    const kept = [...response.headers].filter(([name]) => !ofConnection.has(name));
    return [response.status, kept, (await response.text()).replaceAll(/127\.0\.0\.1:\d+/g, "")];
  };
  const asked = [
    ["GET", "/order/v1/banking/accounts"],
    ["HEAD", "/order/v1/banking/accounts"],
    ["GET", "/order/v1/banking/unknown"],
    ["GET", "/order/v1/banking/accounts", { headers: { authorization: "Bearer unknown" } }],
    ["GET", "/sandbox/timeline"],
    ["GET", "/sandbox/recording"],
    ["POST", "/sandbox/plans", { body: "x".repeat(100_000) }],
    ["POST", "/sandbox/plans", { body: "x".repeat(1_100_000) }],
    ["DELETE", "/sandbox/snapshots/unknown"],
  ] as const;
  for (const [method, path, init] of asked)
    expect(await answer(other, method, path, init)).toEqual(await answer(owner, method, path, init));
  await answer(other, "GET", "/order/v1/banking/accounts?pageSize=7", {
    headers: { "x-forwarded-for": "10.0.0.1" },
  });
  const { body } = await ask(owner, "GET", "/sandbox/requests");
  const { path, requestHeaders } = (body["data"] as { path: string; requestHeaders: object }[]).at(-1)!;
  expect(path).toBe("/order/v1/banking/accounts?pageSize=7");
  expect(requestHeaders).toMatchObject({
    "x-forwarded-for": "10.0.0.1, 127.0.0.1",
    "x-request-id": "chosen",
    host: new URL(other).host,
  });
  expect(Object.keys(requestHeaders)).not.toContain("x-sandbank-forwarded");
  // Nobody poses as a server without the secret of the database.
  const forged = {
    "x-sandbank-forwarded": `${String((await list(owner))[0]?.["server"])} ${"A".repeat(43)}`,
  };
  expect(await answer(other, "GET", asked[0][1], { headers: forged })).toEqual(
    await answer(owner, ...asked[0]),
  );
});

test("what was only read, and what was covered, goes with a world that sleeps or changes its server", async () => {
  const url = await serve("observed", { lease: "PT1S", worldSleep: "PT1S" });
  const made = await ask(url, "POST", "/sandbox/worlds", { token: null, body: { mode: "frozen" } });
  const token = `acme-token.${String(made.body["id"])}`;
  const account = (of: string): Promise<unknown> =>
    ask(url, "GET", `/order/v1/banking/accounts?companyId=${of}`, { token });
  const requests = async (): Promise<unknown[]> => {
    const { body } = await ask(url, "GET", "/sandbox/requests", { token });
    return (body["data"] as { path: string }[]).map(({ path }) => path.split("=").at(-1));
  };
  const coverage = async (): Promise<unknown> =>
    (await ask(url, "GET", "/sandbox/coverage", { token })).body["areas"];
  await account("first");
  expect((await pay(url, "paid", token)).status).toBe(201);
  await ask(url, "GET", "/order/v1/banking/subscriptions/unknown", { token });
  await ask(url, "POST", "/sandbox/snapshots", { token });
  await account("second");
  await ask(url, "POST", "/sandbox/clock/advance", { token, body: { until: "idle" } });
  const before = [await requests(), await coverage()];
  expect(before[0]).toHaveLength(4);
  for (let sleep = 0; sleep < 2; sleep++) {
    await expect
      .poll(async () => (await list(url)).find(({ id }) => id === made.body["id"])?.["state"])
      .toBe("asleep");
    expect([await requests(), await coverage()]).toEqual(before);
  }
  await ask(url, "POST", "/sandbox/snapshots/s1/restore", { token });
  expect(await requests()).toEqual((before[0] as unknown[]).slice(0, 3));
  expect(await coverage()).toEqual(before[1]);
});

test("a long history is the same after its world was asleep, in a fork of it, and after a restore", async () => {
  const url = await serve("long", { lease: "PT1S", worldSleep: "PT1S" });
  const make = async (
    path: string,
    body: object,
    of: string | null,
  ): Promise<[id: string, token: string]> => {
    const made = String((await ask(url, "POST", path, { token: of, body })).body["id"]);
    return [made, `acme-token.${made}`];
  };
  const [id, token] = await make("/sandbox/worlds", { mode: "frozen" }, null);
  const act = (path: string, body: object): Promise<unknown> => ask(url, "POST", path, { token, body });
  for (let number = 0; number < 60; number++) await pay(url, `paid ${number}`, token);
  await act("/sandbox/snapshots", {});
  await act("/sandbox/clock/advance", { by: "PT1H" });
  // How long a request took is known only where it was answered.
  const seen = async (of: string): Promise<string[]> => {
    const paths = ["timeline", "digest", "requests", "recording", "coverage"];
    return Promise.all(
      paths.map(async (path) => {
        const { body } = await ask(url, "GET", `/sandbox/${path}`, { token: of });
        return JSON.stringify(body).replaceAll(/"durationMs":[^,]+/g, "");
      }),
    );
  };
  const count = async (table: string): Promise<unknown> =>
    (await postgres.sql(`SELECT count(*)::integer AS count FROM long.${table} WHERE world = '${id}'`))[0]?.[
      "count"
    ];
  const sleep = (of: string): Promise<void> =>
    expect.poll(async () => (await list(url)).find((world) => world["id"] === of)?.["state"]).toBe("asleep");
  const before = await seen(token);
  await sleep(id);
  expect([await count("entries"), await count("history")]).toEqual([0, 1]);
  expect(await seen(token)).toEqual(before);
  const [forkId, forkToken] = await make("/sandbox/fork", {}, token);
  const forked = await seen(forkToken);
  expect(forked[0]).toEqual(before[0]);
  await sleep(forkId);
  expect(await seen(forkToken)).toEqual(forked);
  // What the snapshot does not need is deleted with the next image, and what it needs is not.
  await act("/sandbox/snapshots/s1/restore", {});
  for (let number = 0; number < 60; number++) await pay(url, `paid again ${number}`, token);
  await act("/sandbox/clock/advance", { by: "PT1H" });
  const restored = await seen(token);
  await sleep(id);
  expect([await count("entries"), await count("history")]).toEqual([0, 2]);
  expect(await seen(token)).toEqual(restored);
});

test("a takeover after a kill counts again what the journal says", async () => {
  const flags = ["--data-schema", "recounted", "--lease", "PT1S"];
  const first = await startServer({ data: postgres.url(), flags }, onTestFinished);
  await pay(first.url, "paid");
  await ask(first.url, "POST", "/sandbox/clock/advance", { body: { until: "idle" } });
  const covered = async (url: string): Promise<unknown[]> => {
    const { body } = await ask(url, "GET", "/sandbox/coverage");
    const { transitions, events, faults } = body["areas"] as Record<string, unknown>;
    return [transitions, events, faults];
  };
  const before = await covered(first.url);
  expect(JSON.stringify(before)).toContain('"ORDER-PAYOUT.PAID","count":1');
  await first.end("SIGKILL");
  const second = await startServer({ data: postgres.url(), flags }, onTestFinished);
  expect(await covered(second.url)).toEqual(before);
});

test("tables that are newer than the server are refused with exit code 2, without the password", async () => {
  await serve("newer");
  await postgres.sql("UPDATE newer.schema_version SET version = 99");
  const { child, log } = launch({ data: postgres.url(), flags: ["--data-schema", "newer"] }, onTestFinished);
  await once(child, "exit");
  expect(child.exitCode).toBe(2);
  expect(log()).toContain("Failed to open the schema newer: it has version 99");
  expect(log()).not.toContain("secret-password");
});

test("a server whose tables are migrated by a newer version is not ready any more, and leaves the worlds to others", async () => {
  const url = await serve("outdated", { lease: "PT1S" });
  expect((await pay(url, "before")).status).toBe(201);
  await postgres.sql("UPDATE outdated.schema_version SET version = 99");
  const ready = (): ReturnType<typeof ask> => ask(url, "GET", "/sandbox/ready", { token: null });
  await expect.poll(async () => (await ready()).status).toBe(503);
  expect((await ready()).body["message"]).toContain("A newer version has migrated the tables");
  const worlds = (): Promise<unknown> => postgres.sql("SELECT owner FROM outdated.worlds");
  await expect.poll(worlds).toEqual([{ owner: null }]);
  // There is no other server, so it still answers.
  expect((await pay(url, "after")).status).toBe(201);
});

test("older tables are migrated, and keep what they contain", async () => {
  const url = await serve("older");
  expect((await pay(url, "one")).status).toBe(201);
  const { Client } = await import("pg");
  const { migrate, MIGRATIONS, NEWEST_VERSION } =
    await import("../../../src/server/cluster/postgres/schema.ts");
  const client = new Client({ connectionString: postgres.url() });
  await client.connect();
  const later = (schema: string): string => `ALTER TABLE ${schema}.worlds ADD COLUMN later integer DEFAULT 7`;
  for (let start = 0; start < 2; start++)
    await migrate(client, "older", { lockTimeoutMs: 1000, migrations: [...MIGRATIONS, later] });
  await client.end();
  expect(
    await postgres.sql("SELECT version, (SELECT later FROM older.worlds) FROM older.schema_version"),
  ).toEqual([{ version: NEWEST_VERSION + 1, later: 7 }]);
});

test.each([1, 2, 3, 4])(
  "tables of the development version %i are refused and stay as they are",
  async (version) => {
    const schema = `development${version}`;
    await postgres.sql(`CREATE SCHEMA ${schema}`);
    await postgres.sql(`CREATE TABLE ${schema}.schema_version (version integer NOT NULL)`);
    await postgres.sql(`INSERT INTO ${schema}.schema_version VALUES (${version})`);
    await expect(serve(schema)).rejects.toThrow("a development version before this one made it");
    const tables = `SELECT count(*)::int AS count FROM information_schema.tables WHERE table_schema = '${schema}'`;
    expect(await postgres.sql(tables)).toEqual([{ count: 1 }]);
  },
);

test("metrics count requests, worlds and what was stored", async () => {
  const url = await serve("measured", { metrics: true });
  await pay(url, "measured");
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text).toContain('sandbank_http_requests_total{operation="createPayout",status="201"} 1');
  expect(text).toContain('sandbank_worlds{state="awake"} 1');
  expect(text).toMatch(/^sandbank_journal_entries_total [1-9]/m);
  expect(text).toMatch(/^sandbank_storage_round_trips_total [1-9]/m);
  expect(text).toContain("nodejs_eventloop_lag_seconds");
});
