import { expect, onTestFinished, test } from "vitest";
import { ACME_ACCOUNT } from "../../partner.ts";
import {
  type ServerProcess,
  ask,
  centPayout,
  makeWorld,
  pay as order,
  payoutsOf,
  startReceiver,
  startServer,
} from "./servers.ts";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { hold, startDatabaseProxy } from "./database-proxy.ts";
import { usePostgres } from "./use-postgres.ts";

const LEASE = ["--lease", "PT2S", "--log-level", "warn"];

const postgres = usePostgres();

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

/** Sends a request on a connection of its own, and returns every answer that comes until it ends. */
async function answersOf(url: string, path: string, headers: object, body: object): Promise<Twin[]> {
  const { hostname, port, host } = new URL(url);
  const text = JSON.stringify(body);
  const all = { host, authorization: "Bearer acme-token", connection: "close", ...headers };
  const lines = Object.entries({ ...all, "content-length": text.length }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const socket = connect(Number(port), hostname);
  socket.write([`POST ${path} HTTP/1.1`, ...lines, "", text].join("\r\n"));
  let received = "";
  try {
    for await (const chunk of socket.setEncoding("utf8")) received += chunk as string;
  } catch {
    // It was killed: the answer, if there is one, is not whole.
    return [];
  }
  return received.split(/^(?=HTTP\/1\.1 )/m).flatMap((answer) => {
    const [head = "", json = ""] = answer.split("\r\n\r\n");
    const status = Number(head.split(" ")[1]);
    return head === "" ? [] : [{ status, body: status < 300 ? (JSON.parse(json) as object) : { json } }];
  });
}

interface Twin {
  readonly status: number;
  readonly body: { readonly id?: string };
}

test(
  "the same request that two servers get at once takes effect once for a key, and is answered once, also while its world changes its server",
  { timeout: 240_000 },
  async () => {
    const flags = ["--lease", "PT1S", "--log-level", "warn", "--data-schema", "twins"];
    const start = (): Promise<ServerProcess> => startServer({ data: postgres.url(), flags }, onTestFinished);
    const servers = await Promise.all([start(), start()]);
    async function split(): Promise<[owner: ServerProcess, other: ServerProcess]> {
      const { body } = await ask(servers[0].url, "GET", "/sandbox/worlds", { token: null });
      const [{ server } = { server: "" }] = body["data"] as { server: string }[];
      const listed = await ask(servers[0].url, "GET", "/sandbox/servers", { token: null });
      const { url } = (listed.body["data"] as { id: string; url: string }[]).find(({ id }) => id === server)!;
      const index = servers.findIndex((one) => one.url === url);
      return [servers[index]!, servers[1 - index]!];
    }
    const deposit = { id: ACME_ACCOUNT, amount: "1.00" };
    let deposited = 0;
    let unknown = 0;
    const rounds = [
      { signal: undefined, answered: 2, unknownMax: 0 },
      { signal: "SIGKILL", answered: 0, unknownMax: Infinity },
      { signal: "SIGSTOP", answered: 2, unknownMax: Infinity },
    ] as const;
    /** A busy machine may keep a server from renewing its lease in time. The others then take its world over. */
    const lostLease = (one: ServerProcess): boolean => one.log().includes("did not renew its lease");
    for (const [round, { signal, answered, unknownMax }] of rounds.entries()) {
      const [owner, other] = await split();
      const both = [owner.url, other.url];
      const keys = Array.from({ length: 8 }, (_, number) => `twin ${round}-${number}`);
      const paid = keys.map((key) =>
        Promise.all(
          both.map((url) =>
            answersOf(url, "/order/v1/banking/order-payouts", { "idempotency-key": key }, centPayout(key)),
          ),
        ),
      );
      const deposits = both.flatMap((url) =>
        Array.from({ length: 6 }, () => answersOf(url, "/sandbox/acts/account.deposit", {}, deposit)),
      );
      // Some of the requests are answered by now, and some are in hand.
      await Promise.race(paid);
      if (signal !== undefined) owner.child.kill(signal);
      const [byKey] = await Promise.all([
        Promise.all(paid),
        // The other server has the world only now.
        order(other.url, `after ${round}`).then(() => owner.child.kill("SIGCONT")),
      ]);
      for (const answers of await Promise.all(deposits)) {
        expect(answers.length).toBeLessThanOrEqual(1);
        expect([undefined, 200, 503]).toContain(answers[0]?.status);
        if (answers[0]?.status === 200) deposited++;
        else unknown++;
      }
      if (signal === "SIGKILL") servers[servers.indexOf(owner)] = await start();
      const finals = await Promise.all(keys.map((key) => order(other.url, key)));
      const payouts = await payoutsOf(other.url);
      const isSteady = !lostLease(other) && (signal !== undefined || !lostLease(owner));
      for (const [index, key] of keys.entries()) {
        const [answers, final] = [byKey[index]!, finals[index]!];
        for (const one of answers) expect(one.length).toBeLessThanOrEqual(1);
        const found = payouts.filter(({ externalId }) => externalId === key);
        expect([key, found.map(({ id }) => id)]).toEqual([key, [final.body["id"]]]);
        const bodies = answers
          .flat()
          .filter(({ status }) => status === 201)
          .map(({ body }) => body);
        for (const body of bodies) expect(body).toEqual(final.body);
        const isEnough = bodies.length >= (isSteady ? answered : 0);
        expect({ answers, isEnough }).toMatchObject({ isEnough: true });
      }
      expect(unknown).toBeLessThanOrEqual(isSteady ? unknownMax : Infinity);
    }
    const { body } = await ask(servers[0].url, "GET", "/sandbox/timeline?last=999999999");
    const effects = (body["data"] as { cause: string }[]).filter(
      ({ cause }) => cause === "act account.deposit",
    );
    expect(effects.length).toBeGreaterThanOrEqual(deposited);
    expect(effects.length).toBeLessThanOrEqual(deposited + unknown);
    expect((await ask(servers[0].url, "GET", "/sandbox/ledger")).body["balanced"]).toBe(true);
  },
);

test("a world that is made in a server that stops wakes in another one", { timeout: 240_000 }, async () => {
  const receiver = await startReceiver(onTestFinished);
  const flags = [...LEASE, "--data-schema", "stopping", "--webhook-url", receiver.url];
  const proxy = await startDatabaseProxy(postgres.url(), onTestFinished);
  const stopping = await startServer({ data: proxy.url, flags }, onTestFinished);
  await startServer({ data: postgres.url(), flags }, onTestFinished);
  // While it gives back its world, it stops and still answers.
  const release = hold(proxy, "release");
  const ended = stopping.end("SIGTERM");
  await release.arrived;
  expect((await ask(stopping.url, "GET", "/sandbox/ready", { token: null })).status).toBe(503);
  const body = { mode: "running", assumptions: { "payout.pix-delay": "PT3S" } };
  const { token } = await makeWorld(stopping.url, body);
  const paid = await order(stopping.url, "paid later", token);
  expect(paid.status).toBe(201);
  release.release();
  expect(await ended).toBe(0);
  await expect.poll(() => receiver.events.get("paid later")).toContain("ORDER-PAYOUT.PAID");
});

/** A server answers for a lease, two seconds here, after it has said that it is not ready. An older look is worth nothing. */
const OLD_LOOK_MS = 1_000;

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
    // What a load balancer does: it looks often, and sends requests to the servers that just said they are ready.
    let ready = [...servers];
    let lookedMs = performance.now();
    async function balance(): Promise<void> {
      while (!load.signal.aborted) {
        const beganMs = performance.now();
        const states = await Promise.all(
          servers.map(async (server) => [server, await isReady(server)] as const),
        );
        lookedMs = beganMs;
        ready = states.flatMap(([server, is]) => (is ? [server] : []));
        await pause(100);
      }
    }
    async function pay(): Promise<void> {
      while (!load.signal.aborted) {
        if (performance.now() - lookedMs > OLD_LOOK_MS) {
          await pause(20);
          continue;
        }
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
