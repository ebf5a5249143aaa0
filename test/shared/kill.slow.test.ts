import type { ServerProcess } from "./servers.ts";
import { expect, onTestFinished, test } from "vitest";
import { ask, pay as order, payoutsOf, startReceiver, startServer } from "./servers.ts";
import { killUnderLoad } from "./kills.ts";
import { setTimeout as pause } from "node:timers/promises";
import { usePostgres } from "./use-postgres.ts";

/** These take half a minute; `npm run kill` in bench/ does fifty. */
const KILLS = Number(process.env["SANDBANK_TEST_KILLS"] ?? 8);
const LEASE = ["--lease", "PT2S", "--log-level", "warn"];

const postgres = usePostgres();

test(
  `three servers of which one after another is killed ${KILLS} times under load lose nothing that was acknowledged`,
  { timeout: 240_000 },
  async () => {
    const receiver = await startReceiver(onTestFinished);
    const flags = [...LEASE, "--data-schema", "killed", "--webhook-url", receiver.url];
    const start = (): Promise<ServerProcess> => startServer({ data: postgres.url(), flags }, onTestFinished);
    const { payouts, cancellations, ...found } = await killUnderLoad({ kills: KILLS, start, receiver });
    const none = { wrong: [], lost: [], twice: [], unsettled: [], untold: [], unbalanced: [] };
    expect(found).toEqual({ kills: KILLS, ...none });
    expect(payouts).toBeGreaterThan(KILLS * 3);
    expect(cancellations).toBeGreaterThan(0);
  },
);

test(
  "a server that is stopped past its lease, with a request in hand, neither answers it twice nor writes",
  { timeout: 240_000 },
  async () => {
    const flags = [...LEASE, "--data-schema", "stopped"];
    const first = await startServer({ data: postgres.url(), flags }, onTestFinished);
    expect((await order(first.url, "a")).status).toBe(201);
    const second = await startServer({ data: postgres.url(), flags }, onTestFinished);
    first.child.kill("SIGSTOP");
    // One in hand that came directly, and one that the other server passes on.
    const direct = order(first.url, "b");
    const read = ask(first.url, "GET", "/sandbox/resources/payouts");
    const passedOn = order(second.url, "c");
    expect((await passedOn).status).toBe(201);
    expect((await order(second.url, "d")).status).toBe(201);
    first.child.kill("SIGCONT");
    expect((await direct).status).toBe(201);
    const names = async (url: string): Promise<string[]> =>
      (await payoutsOf(url)).map(({ externalId }) => externalId).toSorted();
    const { data } = (await read).body as { data: { externalId: string }[] };
    expect(data.map(({ externalId }) => externalId)).toEqual(expect.arrayContaining(["a", "c", "d"]));
    for (const { url } of [first, second]) expect(await names(url)).toEqual(["a", "b", "c", "d"]);
    expect(first.log()).toContain("did not renew its lease in time");
  },
);

test(
  "servers that are stopped and replaced one after another fail no request",
  { timeout: 240_000 },
  async () => {
    const receiver = await startReceiver(onTestFinished);
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
          const { status, body } = await order(url, key);
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
