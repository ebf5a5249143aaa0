import type { AddressInfo } from "node:net";
import type { PostgresServer } from "./postgres-server.ts";
import type { ServerProcess } from "./server-process.ts";
import { ACME_ACCOUNT } from "../partner.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { ask, startServer } from "./server-process.ts";
import { createServer } from "node:http";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres } from "./postgres-server.ts";

/** `npm run kill` in bench/ does fifty; these take half a minute. */
const KILLS = Number(process.env["SANDBANK_TEST_KILLS"] ?? 8);
const PAYOUTS = "/order/v1/banking/order-payouts";
const LEASE = ["--lease", "PT2S", "--log-level", "warn"];

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres.close());

const payout = (externalId: string): object => ({
  externalId,
  accountId: ACME_ACCOUNT,
  paymentMethod: "PIX",
  paymentData: { pixKey: "ok@pix.example" },
  amount: { currency: "BRL", value: "0.01" },
  description: externalId,
});

/** A receiver on a port that remembers the payouts it was told of. */
async function startReceiver(): Promise<{ readonly url: string; readonly told: Set<string> }> {
  const told = new Set<string>();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { event, code } = JSON.parse(body) as { event: string; code: string };
      if (event === "ORDER-PAYOUT.PAID") told.add(code);
      response.end('{"returnCode":"OK"}');
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, told };
}

test(
  `three servers of which one after another is killed ${KILLS} times under load lose nothing that was acknowledged`,
  { timeout: 240_000 },
  async () => {
    const receiver = await startReceiver();
    const flags = [...LEASE, "--data-schema", "killed", "--webhook-url", receiver.url];
    const start = (): Promise<ServerProcess> => startServer({ data: postgres.url(), flags }, onTestFinished);
    const servers = await Promise.all([start(), start(), start()]);
    const any = (): string => servers[Math.floor(Math.random() * servers.length)]!.url;
    const made = await Promise.all(
      servers.map(({ url }) => ask(url, "POST", "/sandbox/worlds", { token: null, body: {} })),
    );
    const tokens = ["acme-token", ...made.map(({ body }) => `acme-token.${String(body["id"])}`)];
    const answered = new Map<string, Map<string, string>>(tokens.map((token) => [token, new Map()]));
    const wrong: string[] = [];
    let number = 0;
    const load = new AbortController();

    /** Repeats a request with its key until it is answered, as a partner does. */
    async function pay(): Promise<void> {
      while (!load.signal.aborted) {
        const token = tokens[number % tokens.length]!;
        const key = `payout-${number++}`;
        for (;;) {
          const found = await ask(any(), "POST", PAYOUTS, {
            token,
            headers: { "idempotency-key": key },
            body: payout(key),
          }).catch(() => undefined);
          if (found?.status === 201) {
            answered.get(token)?.set(key, String(found.body["id"]));
            await pause(5);
            break;
          }
          if (found !== undefined && found.status !== 503)
            wrong.push(`${found.status} ${JSON.stringify(found.body)}`);
          if (load.signal.aborted && found !== undefined) break;
          await pause(20);
        }
      }
    }

    async function moveClocks(): Promise<void> {
      while (!load.signal.aborted) {
        for (const token of tokens)
          await ask(any(), "POST", "/sandbox/clock/advance", { token, body: { by: "PT1M" } }).catch(
            () => undefined,
          );
        await pause(200);
      }
    }

    const partners = [...Array.from({ length: 6 }, pay), moveClocks()];
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(300 + Math.random() * 700);
      const index = kill % servers.length;
      await servers[index]!.end("SIGKILL");
      servers[index] = await start();
    }
    load.abort();
    await Promise.all(partners);
    expect(wrong).toEqual([]);
    for (const token of tokens) {
      const advanced = await ask(any(), "POST", "/sandbox/clock/advance", { token, body: { by: "PT2H" } });
      expect(advanced.status).toBe(200);
      const { body } = await ask(any(), "GET", "/sandbox/resources/payouts", { token });
      const payouts = body["data"] as { id: string; externalId: string; status: string }[];
      const byKey = Map.groupBy(payouts, ({ externalId }) => externalId);
      const kept = answered.get(token)!;
      expect([...byKey.values()].filter(({ length }) => length > 1)).toEqual([]);
      expect([...kept].filter(([key, id]) => byKey.get(key)?.[0]?.id !== id)).toEqual([]);
      expect(new Set(payouts.map(({ id }) => id)).size).toBe(payouts.length);
      expect(payouts.filter(({ status }) => status !== "PAID")).toEqual([]);
      expect(payouts.filter(({ externalId }) => !receiver.told.has(externalId))).toEqual([]);
      const ledger = await ask(any(), "GET", "/sandbox/ledger", { token });
      expect(ledger.body["balanced"]).toBe(true);
    }
    expect([...answered.values()].reduce((sum, { size }) => sum + size, 0)).toBeGreaterThan(KILLS * 3);
  },
);

test(
  "a server that is stopped past its lease, with a request in hand, neither answers it twice nor writes",
  { timeout: 240_000 },
  async () => {
    const flags = [...LEASE, "--data-schema", "stopped"];
    const first = await startServer({ data: postgres.url(), flags }, onTestFinished);
    expect(
      (await ask(first.url, "POST", PAYOUTS, { headers: { "idempotency-key": "a" }, body: payout("a") }))
        .status,
    ).toBe(201);
    const second = await startServer({ data: postgres.url(), flags }, onTestFinished);
    first.child.kill("SIGSTOP");
    // One in hand that came directly, and one that the other server passes on.
    const direct = ask(first.url, "POST", PAYOUTS, {
      headers: { "idempotency-key": "b" },
      body: payout("b"),
    });
    const read = ask(first.url, "GET", "/sandbox/resources/payouts");
    const passedOn = ask(second.url, "POST", PAYOUTS, {
      headers: { "idempotency-key": "c" },
      body: payout("c"),
    });
    expect((await passedOn).status).toBe(201);
    expect(
      (await ask(second.url, "POST", PAYOUTS, { headers: { "idempotency-key": "d" }, body: payout("d") }))
        .status,
    ).toBe(201);
    first.child.kill("SIGCONT");
    expect((await direct).status).toBe(201);
    const names = (body: Record<string, unknown>): string[] =>
      (body["data"] as { externalId: string }[]).map(({ externalId }) => externalId).toSorted();
    expect(names((await read).body)).toEqual(expect.arrayContaining(["a", "c", "d"]));
    for (const { url } of [first, second]) {
      expect(names((await ask(url, "GET", "/sandbox/resources/payouts")).body)).toEqual(["a", "b", "c", "d"]);
    }
    expect(first.log()).toContain("did not renew its lease in time");
  },
);

test(
  "servers that are stopped and replaced one after another fail no request",
  { timeout: 240_000 },
  async () => {
    const receiver = await startReceiver();
    const flags = [...LEASE, "--data-schema", "rolling", "--webhook-url", receiver.url];
    const start = (): Promise<ServerProcess> => startServer({ data: postgres.url(), flags }, onTestFinished);
    const servers = await Promise.all([start(), start()]);
    const failed: string[] = [];
    const load = new AbortController();
    let number = 0;
    const isReady = async ({ url }: ServerProcess): Promise<boolean> =>
      (await ask(url, "GET", "/sandbox/ready", { token: null }).catch(() => undefined))?.status === 200;
    // What a load balancer does: it sends requests to the servers that say they are ready, and looks often.
    let ready = [...servers];
    async function balance(): Promise<void> {
      while (!load.signal.aborted) {
        const states = await Promise.all(
          servers.map(async (server) => [server, await isReady(server)] as const),
        );
        ready = states.flatMap(([server, is]) => (is ? [server] : []));
        await pause(100);
      }
    }
    async function pay(): Promise<void> {
      while (!load.signal.aborted) {
        const key = `payout-${number++}`;
        const { url } = ready[number % ready.length]!;
        try {
          const { status, body } = await ask(url, "POST", PAYOUTS, {
            headers: { "idempotency-key": key },
            body: payout(key),
          });
          if (status !== 201) failed.push(`${status} ${JSON.stringify(body)}`);
        } catch (error) {
          failed.push(`${key}: ${String((error as Error).cause)}`);
        }
        await pause(20);
      }
    }
    const partners = [balance(), ...Array.from({ length: 4 }, pay)];
    for (let index = 0; index < 2; index++) {
      await pause(500);
      const next = await start();
      const old = servers[index]!;
      servers.push(next);
      expect(await old.end("SIGTERM")).toBe(0);
    }
    await pause(300);
    load.abort();
    await Promise.all(partners);
    expect(failed).toEqual([]);
    expect(number).toBeGreaterThan(50);
    const { body } = await ask(servers.at(-1)!.url, "GET", "/sandbox/servers", { token: null });
    expect((body["data"] as unknown[]).length).toBe(2);
  },
);
