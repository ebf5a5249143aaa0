import { ACCOUNTS, HEADERS, sandbank, SUBSCRIPTIONS } from "./peers.ts";
import { join } from "node:path";
import { type Asked, type Measured, load } from "./load.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type Server, processorMs, startServer } from "./server.ts";
import { startPostgres } from "../test/server/cluster/postgres-server.ts";
import { startReceiver } from "../test/server/cluster/servers.ts";
import { subscriptionBody } from "./bodies.ts";
import { tmpdir } from "node:os";

/**
 * Starts a PostgreSQL database and measures servers that share it. Prints JSON. The measurements are:
 *
 * 1. one server, next to the same server on a file and in memory
 * 2. several servers, next to one server
 * 3. the takeover after a kill
 * 4. many worlds, most of them asleep
 *
 * node shared.ts [seconds for each measurement, default 5] [load | servers | takeover | worlds]
 */
const SECONDS = Number(process.argv[2] ?? 5);
const ONLY = process.argv[3];
const PAYOUTS = "/order/v1/banking/order-payouts";
const LEASE_MS = 5_000;
const TAKEOVERS = 5;

/** The number of worlds, the number of used worlds, and the number of objects in the large world. */
const WORLDS = 10_000;
const AWAKE = 100;
const OBJECTS = 1_000;
const WAKES = 10;

const payoutBody = {
  accountId: "11111111-1111-4111-8111-111111111111",
  paymentMethod: "PIX",
  paymentData: { pixKey: "ok@pix.example" },
  amount: { currency: "BRL", value: "0.01" },
  description: "one of many",
};
let made = 0;

const folder = mkdtempSync(join(tmpdir(), "sandbank-bench-"));
const postgres = await startPostgres();
const receiver = await startReceiver(() => undefined);
const started: Server[] = [];
const measurements = {
  load: measureLoad,
  servers: measureServers,
  takeover: measureTakeover,
  worlds: measureWorlds,
};
try {
  for (const [name, measure] of Object.entries(measurements)) {
    if (ONLY !== undefined && ONLY !== name) continue;
    process.stderr.write(`${name}\n`);
    process.stdout.write(`${JSON.stringify({ [name]: await measure() })}\n`);
    await Promise.all(started.splice(0).map((server) => server.stop()));
  }
} finally {
  await Promise.all(started.map((server) => server.stop()));
  await postgres.close();
  rmSync(folder, { recursive: true });
}
process.exit(0);

async function start(...flags: readonly string[]): Promise<Server> {
  const server = await startServer(sandbank("--log-level", "warn", "--webhook-url", receiver.url, ...flags));
  started.push(server);
  return server;
}

function onPostgres(schema: string, ...flags: readonly string[]): Promise<Server> {
  return start("--data", postgres.url(), "--data-schema", schema, ...flags);
}

/** One server on PostgreSQL, on a file and in memory. */
async function measureLoad(): Promise<object> {
  const places = {
    "in memory": () => start(),
    "on a file": () => start("--data", join(folder, "data.json")),
    "on PostgreSQL": () => onPostgres("load"),
  };
  const measured: Record<string, Record<string, Measured>> = {};
  for (const [place, open] of Object.entries(places)) {
    const server = await open();
    measured[place] = {};
    for (const [what, ask] of Object.entries(questions(HEADERS.authorization)))
      measured[place][what] = await load(server, ask, SECONDS);
    await server.stop();
  }
  return measured;
}

/**
 * Measures one, two and three servers, each over fifty connections. Each server is asked first for its own world, and
 * then for all of the worlds. With three servers, other servers have most of these worlds.
 */
async function measureServers(): Promise<object> {
  const measured: Record<string, object> = {};
  for (const count of [1, 2, 3]) {
    const servers: Server[] = [];
    for (let index = 0; index < count; index++) servers.push(await onPostgres(`servers_${count}`));
    const tokens: string[] = [];
    for (const server of servers) tokens.push(await makeWorld(server));
    const own = (index: number): string | undefined => tokens[index];
    const any = (_: number, number: number): string | undefined => tokens[number % count];
    for (const [whose, tokenFor] of Object.entries({ "its own world": own, "any world": any })) {
      for (const what of Object.keys(questions("")) as (keyof ReturnType<typeof questions>)[]) {
        const found = await Promise.all(
          servers.map((server, index) =>
            load(server, (number) => questions(`Bearer ${tokenFor(index, number)}`)[what](), SECONDS),
          ),
        );
        const perSecond = sum(found.map((one) => one.perSecond));
        // The processor time of all servers, for each request.
        const processorUs = sum(found.map((one) => one.processorUs * one.perSecond)) / perSecond;
        const failed = sum(found.map((one) => one.failed));
        measured[`${count} servers, ${whose}, ${what}`] = {
          perSecond,
          processorUs: Math.round(processorUs),
          failed,
        };
      }
    }
    await Promise.all(servers.map((server) => server.stop()));
  }
  return measured;
}

/** Measures from the kill of the server with a world to the first answer of another server, including the lease. */
async function measureTakeover(): Promise<object> {
  const flags = ["--lease", `PT${LEASE_MS / 1_000}S`];
  let owner = await onPostgres("takeover", ...flags);
  const durationsMs: number[] = [];
  for (let takeover = 0; takeover < TAKEOVERS; takeover++) {
    const other = await onPostgres("takeover", ...flags);
    await get(owner, ACCOUNTS, "acme-token");
    await owner.stop();
    const began = performance.now();
    await get(other, ACCOUNTS, "acme-token");
    durationsMs.push(Math.round(performance.now() - began));
    owner = other;
  }
  return { leaseMs: LEASE_MS, durationsMs };
}

/**
 * Makes the worlds with one server. Then starts another server, which finds them asleep, and measures its memory and
 * the time until a world is awake.
 */
async function measureWorlds(): Promise<object> {
  const sleepMs = 2_000;
  const open = (): Promise<Server> =>
    onPostgres("worlds", "--metrics", "--world-sleep", `PT${sleepMs / 1_000}S`);
  const maker = await open();
  const large = await makeWorld(maker);
  const { "POST payout": payout } = questions(`Bearer ${large}`);
  for (let number = 0; number < OBJECTS; number++) await send(maker, payout());
  // This settles the payouts and sends their webhooks.
  const settle = { ...payout(), path: "/sandbox/clock/advance", body: '{"by":"PT1H"}' };
  await send(maker, settle);
  const tokens: string[] = [];
  const began = performance.now();
  const make = async (): Promise<void> => {
    while (tokens.length < WORLDS) tokens.push(await makeWorld(maker));
  };
  await Promise.all(Array.from({ length: 8 }, make));
  const madeS = Math.round((performance.now() - began) / 1_000);
  await maker.stop();
  const server = await open();
  const asleepMb = server.residentMb();
  for (const token of tokens.slice(0, AWAKE)) await get(server, ACCOUNTS, token);
  const awakeMb = server.residentMb();
  const small: Wake[] = [];
  const big: Wake[] = [];
  for (const token of tokens.slice(AWAKE, AWAKE + WAKES)) {
    small.push(await wake(server, token));
    big.push(await wake(server, large));
  }
  const wakes = { [`${OBJECTS} payouts`]: leastOf(big), "a new world": leastOf(small) };
  return { worlds: WORLDS, madeS, asleepMb, [`${AWAKE} awake, MB`]: awakeMb, wakes };
}

/** The cost of a request to a sleeping world. */
interface Wake {
  readonly durationMs: number;
  /** The processor time of the server, and of the database's connections. */
  readonly serverMs: number;
  readonly databaseMs: number;
  readonly roundTrips: number;
}

/** Waits until all worlds are asleep, and asks for one of them. */
async function wake(server: Server, token: string): Promise<Wake> {
  const metrics = async (): Promise<{ awake: number; roundTrips: number }> => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const value = (name: string): number =>
      Number(
        text
          .split("\n")
          .find((line) => line.startsWith(name))
          ?.split(" ")[1],
      );
    return {
      awake: value('sandbank_worlds{state="awake"}'),
      roundTrips: value("sandbank_storage_round_trips_total"),
    };
  };
  while ((await metrics()).awake > 0) await pause(250);
  const connections = await postgres.sql(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'sandbank'",
  );
  const databaseMs = (): number => sum(connections.map(({ pid }) => processorMs(pid as number)));
  const { roundTrips } = await metrics();
  const [server0, database0] = [server.processorMs(), databaseMs()];
  const durationMs = await duration(() => get(server, ACCOUNTS, token));
  const [server1, database1] = [server.processorMs(), databaseMs()];
  return {
    durationMs,
    serverMs: server1 - server0,
    databaseMs: database1 - database0,
    roundTrips: (await metrics()).roundTrips - roundTrips,
  };
}

/** Returns the least of each figure, without the noise of other processes and of the server's heartbeat. */
function leastOf(wakes: readonly Wake[]): Wake {
  const least = (of: (one: Wake) => number): number => Math.round(Math.min(...wakes.map(of)) * 10) / 10;
  return {
    durationMs: least((one) => one.durationMs),
    serverMs: least((one) => one.serverMs),
    databaseMs: least((one) => one.databaseMs),
    roundTrips: least((one) => one.roundTrips),
  };
}

function questions(authorization: string) {
  const headers = { ...HEADERS, authorization };
  return {
    "GET accounts": (): Asked => ({ method: "GET", path: ACCOUNTS, headers }),
    "POST subscription": (): Asked => ({
      method: "POST",
      path: SUBSCRIPTIONS,
      headers,
      body: subscriptionBody(`subscription-${made++}`),
    }),
    "POST payout": (): Asked => {
      const externalId = `payout-${made++}`;
      const body = { ...payoutBody, externalId };
      return {
        method: "POST",
        path: PAYOUTS,
        headers: { ...headers, "idempotency-key": externalId },
        body: JSON.stringify(body),
      };
    },
  };
}

async function makeWorld({ url }: Server): Promise<string> {
  const made = await fetch(`${url}/sandbox/worlds`, { method: "POST", body: "{}" });
  const text = await made.text();
  if (!made.ok) throw new Error(`${made.status} ${text}`);
  const { companies } = JSON.parse(text) as { companies: readonly [{ token: string }] };
  return companies[0].token;
}

function get(server: Server, path: string, token: string): Promise<void> {
  return send(server, { method: "GET", path, headers: { authorization: `Bearer ${token}` } });
}

async function send({ url }: Server, { path, body, ...init }: Asked): Promise<void> {
  const answer = await fetch(url + path, { ...init, ...(body !== undefined && { body }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${text}`);
}

async function duration(run: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await run();
  return Math.round((performance.now() - began) * 10) / 10;
}

function sum(all: readonly number[]): number {
  return all.reduce((total, one) => total + one, 0);
}
