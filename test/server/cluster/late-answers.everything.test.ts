import type { SandboxOptions } from "../../../src/server/settings/sandbox-options.ts";
import {
  ask,
  centPayout,
  launch,
  makeWorld,
  pay,
  payoutsOf,
  serve as open,
  startReceiver,
} from "./servers.ts";
import { createServer } from "node:net";
import { type IncomingMessage, request } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { type DatabaseProxy, hold, startDatabaseProxy } from "./database-proxy.ts";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();

interface ProxiedServer {
  readonly url: string;
  readonly proxy: DatabaseProxy;
}

/** So long that a busy machine renews it in time, except where a test holds that up. */
const LEASE = "PT3S";

/** A server in this process whose statements pass a proxy. */
async function serveThroughProxy(dataSchema: string, options: SandboxOptions = {}): Promise<ProxiedServer> {
  const proxy = await startDatabaseProxy(postgres.url(), onTestFinished);
  const url = await open({ url: () => proxy.url }, { dataSchema, lease: LEASE, ...options }, onTestFinished);
  return { url, proxy };
}

const serve = (dataSchema: string): Promise<string> =>
  open(postgres, { dataSchema, lease: LEASE }, onTestFinished);

const worldsOf = async (url: string): Promise<Record<string, unknown>[]> =>
  (await ask(url, "GET", "/sandbox/worlds", { token: null })).body["data"] as Record<string, unknown>[];

/** Returns the addresses of the servers that a server knows. */
async function serversOf(url: string): Promise<string[]> {
  const { body } = await ask(url, "GET", "/sandbox/servers", { token: null });
  return (body["data"] as { url: string }[]).map((server) => server.url);
}

/** Makes a world with a payout, and waits until it sleeps. */
async function sleepingWorld(url: string, made: object = {}): Promise<{ id: string; token: string }> {
  const { id, token } = await makeWorld(url, made);
  expect((await pay(url, "before", token)).status).toBe(201);
  await expect
    .poll(async () => (await worldsOf(url)).find((world) => world["id"] === id)?.["state"])
    .toBe("asleep");
  return { id, token };
}

const names = async (url: string, token: string): Promise<string[]> =>
  (await payoutsOf(url, token)).map(({ externalId }) => externalId);

/** Lets nothing of a server's own connections through, so that others take it for dead. */
function silence(proxy: DatabaseProxy, statements: readonly string[]): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = proxy.intercept;
  proxy.intercept = async (statement, moment) => {
    if (moment === "sent" && statements.includes(statement)) await promise;
    return before(statement, moment);
  };
  return () => {
    proxy.intercept = before;
    resolve();
  };
}

const CHANGES_MAX = 50;

/**
 * Sends changes one after the other until one is held before it is made, and returns that one. An answer of the
 * database counts for a tenth of a second, so a change does not ask it right after a renewal of the lease.
 */
async function heldChange<Answer>(
  held: Promise<void>,
  send: (number: number) => Promise<Answer>,
): Promise<{ readonly number: number; readonly answer: Promise<Answer> }> {
  for (let number = 1; number <= CHANGES_MAX; number++) {
    await pause(150);
    const answer = send(number);
    if (await Promise.race([held.then(() => true), answer.then(() => false)])) return { number, answer };
  }
  throw new Error(`None of ${CHANGES_MAX} changes asked the database before it was made.`);
}

test.for(["load", "claim"])(
  "a world whose %s is answered after another server has taken it over is not run as it was before",
  async (statement) => {
    const schema = `late_${statement}`;
    const slow = await serveThroughProxy(schema, { worldSleep: "PT1S" });
    const other = await serve(schema);
    const { token } = await sleepingWorld(slow.url, { mode: "frozen" });
    const held = hold(slow.proxy, statement);
    const waiting = names(slow.url, token);
    await held.arrived;
    const renewing = silence(slow.proxy, ["renew"]);
    await expect.poll(() => serversOf(other)).not.toContain(slow.url);
    expect((await pay(other, "taken over", token)).status).toBe(201);
    renewing();
    await expect.poll(() => serversOf(other)).toContain(slow.url);
    held.release();
    expect(await waiting).toEqual(["before", "taken over"]);
    expect(await names(slow.url, token)).toEqual(["before", "taken over"]);
    expect((await pay(other, "later", token)).status).toBe(201);
    expect(await names(slow.url, token)).toEqual(["before", "taken over", "later"]);
  },
);

test.for(["the default world", "a made world"])(
  "a change of %s that is lost while its server waits for the database is made at the next server",
  async (which) => {
    const isDefault = which === "the default world";
    const schema = `late_reach_${isDefault}`;
    const slow = await serveThroughProxy(schema);
    const other = await serve(schema);
    const { token } = isDefault ? { token: "acme-token" } : await makeWorld(slow.url);
    const held = hold(slow.proxy, "reach");
    const waiting = await heldChange(held.arrived, (number) => pay(slow.url, `waits ${number}`, token));
    const renewing = silence(slow.proxy, ["renew"]);
    await expect.poll(() => serversOf(other)).not.toContain(slow.url);
    expect((await pay(other, "taken over", token)).status).toBe(201);
    renewing();
    await expect.poll(() => serversOf(other)).toContain(slow.url);
    held.release();
    expect((await waiting.answer).status).toBe(201);
    const numbered = Array.from({ length: waiting.number }, (_, index) => `waits ${index + 1}`);
    expect(await names(other, token)).toEqual([
      ...numbered.slice(0, -1),
      "taken over",
      ...numbered.slice(-1),
    ]);
  },
);

const RIGHT = JSON.stringify(centPayout("in pieces"));
const NOT_UTF8 = Buffer.from("{\xff}", "latin1");

test.for([
  ["a right body", "its own server", RIGHT, 201, /"in pieces"/],
  ["a right body", "another server", RIGHT, 201, /"in pieces"/],
  ["a body that is not UTF-8", "its own server", NOT_UTF8, 400, /"The body is not valid UTF-8/],
  ["a body that is not UTF-8", "another server", NOT_UTF8, 400, /"The body is not valid UTF-8/],
] as const)(
  "%s that arrives while its world is lost is answered as it came, at %s",
  async ([, where, body, status, text], { task }) => {
    const schema = `pieces_${task.id.replaceAll(/\W/g, "_")}`;
    const slow = await serveThroughProxy(schema);
    const other = await serve(schema);
    const { token } = await makeWorld(slow.url);
    const headers = { authorization: `Bearer ${token}`, "idempotency-key": "pieces" };
    const sent = request(`${slow.url}/order/v1/banking/order-payouts`, {
      method: "POST",
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
    });
    const answered = once(sent, "response");
    sent.write(Buffer.from(body).subarray(0, 1));
    const renewing = silence(slow.proxy, ["renew"]);
    await expect.poll(() => serversOf(other)).not.toContain(slow.url);
    if (where === "another server") await pay(other, "takes the world over", token);
    renewing();
    await expect.poll(() => serversOf(other)).toContain(slow.url);
    sent.end(Buffer.from(body).subarray(1));
    const [response] = (await answered) as [IncomingMessage];
    expect([response.statusCode, await textOf(response)]).toEqual([status, expect.stringMatching(text)]);
  },
);

test("a world that another server takes over before its drop is dropped there", async () => {
  const schema = "late_drop";
  const slow = await serveThroughProxy(schema);
  const other = await serve(schema);
  const { id, token } = await makeWorld(slow.url);
  const renewing = silence(slow.proxy, ["renew"]);
  const dropped = hold(slow.proxy, "drop", "sent");
  const lookedUp = hold(slow.proxy, "dropped");
  const dropping = ask(slow.url, "DELETE", `/sandbox/worlds/${id}`, { token: null });
  await dropped.arrived;
  await expect.poll(() => serversOf(other)).not.toContain(slow.url);
  expect((await pay(other, "taken over", token)).status).toBe(201);
  dropped.release();
  await Promise.race([lookedUp.arrived, dropping]);
  lookedUp.release();
  renewing();
  expect((await dropping).status).toBe(200);
  expect((await worldsOf(other)).map((world) => world["id"])).not.toContain(id);
});

test("a change whose answer is lost with the lease is not made again if nobody can know whether it was stored, also with a key that its operation does not read", async () => {
  const slow = await serveThroughProxy("doubled");
  const other = await serve("doubled");
  const deposit = (url: string): ReturnType<typeof ask> =>
    ask(url, "POST", "/sandbox/acts/account.deposit", {
      headers: { "idempotency-key": "deposit" },
      body: { id: "11111111-1111-4111-8111-111111111111", amount: "1.00" },
    });
  const deposits = async (): Promise<number> => {
    const { body } = await ask(other, "GET", "/sandbox/timeline");
    return (body["data"] as { cause: string }[]).filter(({ cause }) => cause === "act account.deposit")
      .length;
  };
  expect((await deposit(slow.url)).status).toBe(200);
  const before = await deposits();
  const held = hold(slow.proxy, "write");
  const uncertain = deposit(slow.url);
  await held.arrived;
  const renewing = silence(slow.proxy, ["renew"]);
  expect((await pay(other, "taken over")).status).toBe(201);
  renewing();
  const refused = await uncertain;
  expect(refused.status).toBe(503);
  expect(refused.body["message"]).toContain("Read its result before you send it again");
  held.release();
  expect(await deposits()).toBe(2 * before);
});

test("a world that is due wakes also where the connection is cut after its claim", async () => {
  const receiver = await startReceiver(onTestFinished);
  const { url, proxy } = await serveThroughProxy("cut_due", { worldSleep: "PT1S", webhookUrl: receiver.url });
  let cuts = 0;
  proxy.intercept = (statement, moment) =>
    statement === "claim due" && moment === "answered" && ++cuts === 1 ? "cut" : "pass";
  await sleepingWorld(url, { mode: "running", assumptions: { "payout.pix-delay": "PT4S" } });
  await expect.poll(() => receiver.events.get("before")).toContain("ORDER-PAYOUT.PAID");
  expect(cuts).toBeGreaterThan(1);
});

test("names that no database stores, and ids that no world has, are refused as without a database", async () => {
  const url = await serve("names");
  const scenario = 'name: "a\\0b"\nsteps:\n  - advance: P1D\n';
  const refused = {
    "DELETE /sandbox/worlds/%zz": [404, {}],
    "DELETE /sandbox/worlds/%00": [404, {}],
    "GET /pay/%00/orders/one": [404, {}],
    "GET /pay/subscriptions/one?world=%00": [404, {}],
    "GET /sandbox/scenarios/a%00b": [404, {}],
    "POST /sandbox/worlds": [400, { body: JSON.stringify({ name: "a\0b" }) }],
    "POST /sandbox/scenarios": [400, { body: scenario }],
  } as const;
  for (const [request, [status, init]] of Object.entries(refused)) {
    const [method = "", path = ""] = request.split(" ");
    expect([request, (await fetch(url + path, { method, ...init })).status]).toEqual([request, status]);
  }
});

test("a server that waits for its database ends soon after SIGTERM, with 0", async () => {
  // It accepts connections and never says anything.
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await once(silent, "listening");
  const { port } = silent.address() as { port: number };
  const { child, log } = launch({ data: `postgres://127.0.0.1:${port}/sandbank` }, onTestFinished);
  await expect.poll(log).toContain("Waiting up to 30 s for the database");
  const began = performance.now();
  child.kill("SIGTERM");
  await once(child, "exit");
  expect(child.exitCode).toBe(0);
  expect(performance.now() - began).toBeLessThan(10_000);
});
