import { createSandbox } from "../dist/index.js";
import { join } from "node:path";
import { HEADERS as headers, ACCOUNTS, sandbank, SUBSCRIPTIONS } from "./peers.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { setFlagsFromString } from "node:v8";
import { startServer } from "./server.ts";
import { tmpdir } from "node:os";
import { ACKNOWLEDGED, subscriptionBody } from "./bodies.ts";

type Sandbox = Awaited<ReturnType<typeof createSandbox>>;

const START = "2026-11-20T09:00:00-03:00";
const SIZES = [1_000, 10_000, 100_000];

/** Measures the engine alone, in process. The name of each figure says what it counts. */
export async function measureAlone(): Promise<Record<string, number>> {
  return {
    ...(await measureGrowth()),
    ...(await measureWorlds()),
    ...(await measureReads()),
    ...(await measureYear()),
  };
}

/** Measures requests while the state grows. */
async function measureGrowth(): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  await using sandbox = await createSandbox({ start: START });
  let made = 0;
  for (const size of SIZES) {
    const took = await timed(async () => void (await create(sandbox, size - made, `s-${size}`)));
    figures[`POST up to ${size} objects, µs each`] = Math.round((took * 1_000) / (size - made));
    made = size;
    process.stderr.write(`${size} objects\n`);
    const [id = ""] = await create(sandbox, 1, `one-${size}`);
    // The garbage of a hundred thousand creations must not count as the cost of a read.
    collectGarbage();
    figures[`GET subscription with ${size} objects, µs`] = await perRequest(
      sandbox,
      `${SUBSCRIPTIONS}/${id}`,
    );
    figures[`GET accounts with ${size} objects, µs`] = await perRequest(sandbox, ACCOUNTS);
  }
  collectGarbage();
  figures["heap with 100000 objects, MB"] = Math.round(process.memoryUsage().heapUsed / 1e6);
  figures["reset of 100000 objects, ms"] = await timed(() => sandbox.reset());
  return figures;
}

/**
 * Measures the processor time of work with a whole world: a fork, a snapshot, the first list of the dashboard, and the
 * start from a data file to the first answer.
 */
async function measureWorlds(): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const size of [1_000, 10_000]) {
    const folder = mkdtempSync(join(tmpdir(), "sandbank-bench-"));
    const program = sandbank("--data", join(folder, "data.json"));
    const { url, stop } = await startServer(program);
    for (let made = 0; made < size; made += 100) {
      const posts = Array.from({ length: 100 }, (_, number) => {
        const body = subscriptionBody(`stored-${made + number}`);
        return fetch(url + SUBSCRIPTIONS, { method: "POST", headers, body }).then((answer) => answer.text());
      });
      await Promise.all(posts);
    }
    await stop();
    const server = await startServer(program);
    figures[`start from a data file of ${size} subscriptions, ms`] = server.processorMs();
    const ask = async (path: string, init?: RequestInit): Promise<number> => {
      const before = server.processorMs();
      for (let count = 0; count < 10; count++) {
        const answer = await fetch(server.url + path, init);
        if (!answer.ok) throw new Error(`Failed to measure ${path}: ${await answer.text()}`);
        await answer.text();
      }
      return (server.processorMs() - before) / 10;
    };
    figures[`first list of the dashboard with ${size} subscriptions, ms`] = await ask(
      "/sandbox/resources/subscriptions?last=50",
    );
    figures[`fork of ${size} subscriptions, ms`] = await ask("/sandbox/fork", { method: "POST" });
    figures[`snapshot of ${size} subscriptions, ms`] = await ask("/sandbox/snapshots", { method: "POST" });
    await server.stop();
    rmSync(folder, { recursive: true });
  }
  return figures;
}

/** Collects all garbage, so that only live objects remain. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

/** Measures a read of one webhook: before its outcome is part of the world, and afterwards. */
async function measureReads(): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  await using sandbox = await createSandbox({ start: START, transport: unheard });
  let made = 0;
  for (const size of [1_000, 10_000]) {
    const ids = await create(sandbox, size - made, `read-${size}`);
    made = size;
    const looked = ids.splice(0, 100);
    for (const id of ids) await sandbox.act("subscription.accept", { id });
    const read = async (): Promise<unknown> => (await sandbox.fetch("/sandbox/deliveries?last=1")).text();
    let pending = 0;
    let settled = 0;
    for (const id of looked) {
      await sandbox.act("subscription.accept", { id, wait: false });
      await new Promise((resolve) => void setTimeout(resolve, 1));
      pending += await timed(read);
      await sandbox.settled();
      settled += await timed(read);
    }
    figures[`read with an outcome to come, ${size} webhooks, µs`] = Math.round(pending * 10);
    figures[`read without one, ${size} webhooks, µs`] = Math.round(settled * 10);
  }
  return figures;
}

/** Measures a year of a thousand monthly subscriptions, each with a charge a month. The receiver costs nothing. */
async function measureYear(): Promise<Record<string, number>> {
  await using sandbox = await createSandbox({ start: START, transport: unheard });
  const ids = await create(sandbox, 1_000);
  for (const id of ids) await sandbox.act("subscription.accept", { id });
  let ordering = 0;
  let passing = 0;
  let fired = 0;
  for (let month = 0; month < 12; month++) {
    const { now } = (await (await sandbox.fetch("/sandbox/clock")).json()) as { now: string };
    const dueDate = new Date(Date.parse(now) + 5 * 86_400_000).toISOString().slice(0, 10);
    ordering += await timed(async () => {
      for (const [index, id] of ids.entries()) await charge(sandbox, id, `charge-${month}-${index}`, dueDate);
    });
    passing += await timed(async () => {
      fired += ((await sandbox.advance("P1M")) as { fired: number }).fired;
    });
  }
  return {
    "a year of 1000 subscriptions: ordering 12000 charges, ms": Math.round(ordering),
    "a year of 1000 subscriptions: letting it pass, ms": Math.round(passing),
    "a year of 1000 subscriptions: timers per second": Math.round((fired * 1_000) / passing),
  };
}

async function charge(sandbox: Sandbox, id: string, externalId: string, dueDate: string): Promise<void> {
  const path = `/public/v1/banking/subscriptions/${id}/payments`;
  const body = JSON.stringify({ externalId, dueDate, amount: { currency: "BRL", value: "59.90" } });
  const answer = await sandbox.fetch(path, { method: "PUT", headers, body });
  if (!answer.ok) throw new Error(`Failed to create a charge: ${await answer.text()}`);
}

/** A receiver that costs nothing. */
const unheard = async (requests: readonly unknown[]) => requests.map(() => ACKNOWLEDGED);

async function create(sandbox: Sandbox, count: number, name = "subscription"): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number++) {
    const body = subscriptionBody(`${name}-${number}`);
    const answer = await sandbox.fetch(SUBSCRIPTIONS, { method: "POST", headers, body });
    ids.push(((await answer.json()) as { id: string }).id);
  }
  return ids;
}

const REQUESTS = 2_000;

async function perRequest(sandbox: Sandbox, path: string): Promise<number> {
  const took = await timed(async () => {
    for (let number = 0; number < REQUESTS; number++) await (await sandbox.fetch(path, { headers })).text();
  });
  return Math.round((took * 1_000) / REQUESTS);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return Math.round((performance.now() - began) * 10) / 10;
}
