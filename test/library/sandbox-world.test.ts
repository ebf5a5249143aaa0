import {
  OptionMistake,
  type Sandbox,
  type SandboxWorld,
  connectSandbox,
  createSandbox,
} from "../../src/index.ts";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { isCpf } from "../../src/simulator/countries/brazil/documents.ts";
import { subscriptionBody } from "../partner.ts";

const START = "2026-11-20T09:00:00-03:00";
const ACCOUNTS = "/order/v1/banking/accounts";
const SUBSCRIPTIONS = "/order/v1/banking/subscriptions";

async function openServer(
  options: Parameters<typeof createSandbox>[0] = {},
): Promise<{ server: Sandbox; url: string }> {
  const server = await createSandbox({ seed: 3, ...options });
  onTestFinished(() => server.close());
  return { server, ...(await server.listen()) };
}

/** A webhook receiver on a port of its own. */
async function openReceiver(): Promise<{ url: string; arrived: string[] }> {
  const arrived: string[] = [];
  const server = createServer((request, response) => {
    arrived.push(String(request.url));
    request.resume().on("end", () => response.end());
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`, arrived };
}

interface OpenOptions {
  readonly webhookUrl?: string;
}

/** Nothing listens there. */
const NO_RECEIVER = "http://127.0.0.1:9/webhooks";

const OPENED: Readonly<Record<string, (options?: OpenOptions) => Promise<SandboxWorld>>> = {
  createSandbox: (options = {}) => createSandbox({ start: START, webhookUrl: NO_RECEIVER, ...options }),
  connectSandbox: async (options = {}) =>
    connectSandbox((await openServer()).url, { start: START, webhookUrl: NO_RECEIVER, ...options }),
};

async function subscribe(world: SandboxWorld, changed: object = {}): Promise<string> {
  const response = await world.fetch(SUBSCRIPTIONS, {
    method: "POST",
    headers: { authorization: `Bearer ${world.company("acme").token}` },
    body: JSON.stringify(subscriptionBody(changed)),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

afterEach(() => {
  vi.useRealTimers();
});

describe.each(Object.entries(OPENED))("a world of %s", (_name, open) => {
  test("invents people, the same ones in the same order for its seed", async () => {
    await using world = await open();
    const [first, second] = [await world.fakePerson(), await world.fakePerson()];
    expect(first).not.toEqual(second);
    expect(isCpf(first.document.number)).toBe(true);
    await world.reset();
    expect([await world.fakePerson(), await world.fakePerson()]).toEqual([first, second]);
  });

  test("reports an advance in the words of the API", async () => {
    await using world = await open();
    await world.act("subscription.accept", { id: await subscribe(world) });
    const other = await subscribe(world, { externalId: "another" });
    await world.act("subscription.request-cancellation", { id: other, reason: "FRAUD_SUSPICION" });
    const { id } = await world.snapshot();
    const report = await world.advance("P1M");
    await world.restore(id);
    const answer = await world.fetch("/sandbox/clock/advance", {
      method: "POST",
      headers: { authorization: `Bearer ${world.company("acme").token}` },
      body: JSON.stringify({ by: "P1M" }),
    });
    expect(report).toStrictEqual(await answer.json());
    expect(report.happened.length).toBeGreaterThan(0);
  });

  test("has companies with the credentials by which it is called", async () => {
    await using world = await open();
    const { id, token, clientId, clientSecret, webhookSecret, accounts } = world.company("acme");
    expect([id, webhookSecret, accounts.length > 0]).toEqual(["acme", "acme-webhook-secret", true]);
    const listed = await world.fetch(ACCOUNTS, { headers: { authorization: `Bearer ${token}` } });
    expect(
      ((await listed.json()) as { data: { id: string }[] }).data.map((one) => one.id).toSorted(),
    ).toEqual(accounts);
    const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
    const body = new URLSearchParams({ ...form, scope: "api://app-order-prd/.default" });
    expect((await world.fetch("/oauth2/v2.0/token", { method: "POST", body })).status).toBe(200);
    expect(() => world.company("acmee")).toThrow(
      'Failed to find the company "acmee": it does not exist. Did you mean acme?',
    );
  });

  test("takes a path, a URL and a Request of any address, with the tokens of the fixtures", async () => {
    await using world = await open();
    const headers = { authorization: "Bearer acme-token" };
    const url = `https://api.platform.example${ACCOUNTS}?limit=1`;
    const request = new Request(url.replace("limit=1", "limit=2"), { headers });
    const posted = new Request(`http://localhost${SUBSCRIPTIONS}`, {
      method: "POST",
      headers,
      body: JSON.stringify(subscriptionBody()),
    });
    const statuses = [
      await world.fetch(ACCOUNTS, { headers }),
      await world.fetch(new URL(url), { headers }),
      await world.fetch(request),
      await world.fetch(request, { headers: { authorization: "Bearer nobody" } }),
      await world.fetch(posted),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 401, 201]);
    expect((await world.requests()).map(({ path, status }) => `${path} ${status}`)).toEqual([
      `${ACCOUNTS} 200`,
      `${ACCOUNTS}?limit=1 200`,
      `${ACCOUNTS}?limit=2 200`,
      `${ACCOUNTS}?limit=2 401`,
      `${SUBSCRIPTIONS} 201`,
    ]);
    expect(await world.resources("subscriptions")).toHaveLength(1);
  });

  test("an act resolves after the webhooks that it caused were attempted", async () => {
    const receiver = await openReceiver();
    await using world = await open({ webhookUrl: receiver.url });
    const id = await subscribe(world);
    const changed = await world.act("subscription.accept", { id });
    expect(changed.status).toBe("ACCEPTED");
    expect(receiver.arrived).toHaveLength(1);
    const [delivery] = await world.deliveries({ event: "SUBSCRIPTION.ACCEPTED", object: id });
    expect([delivery?.status, delivery?.attempts.length]).toEqual(["delivered", 1]);
    expect(delivery?.body.data.status).toBe("ACCEPTED");
    expect(await world.deliveries({ event: "SUBSCRIPTION.REJECTED" })).toEqual([]);
    expect((await world.resource("subscriptions", id)).status).toBe("ACCEPTED");
  });

  test("plans, faults, the clock, snapshots, forks and a reset work as they are declared", async () => {
    await using world = await open();
    const untouched = await world.digest();
    const id = await subscribe(world);
    const plan = await world.plan({ plan: "subscription.authorization", on: id, outcomes: ["REJECTED"] });
    expect(plan).toMatchObject({ plan: "subscription.authorization", on: id, outcomes: ["REJECTED"] });
    const { id: fault } = await world.fault({ on: "api", effect: "error", status: 503, times: 1 });
    expect(fault).toBe("f1");
    const { id: snapshot } = await world.snapshot();
    const { from, happened } = await world.advance("PT1H");
    expect(from).toBe("2026-11-20T12:00:00.000Z");
    expect(happened).toEqual(expect.arrayContaining([expect.objectContaining({ objectId: id })]));
    const fork = await world.fork();
    expect(fork.companies.map((company) => company.id)).toContain("acme");
    expect((await world.restore(snapshot)).clock.now).toBe(from);
    expect((await world.ledger()).balanced).toBe(true);
    expect(await world.recording()).toContain("call: createSubscription");
    await world.reset();
    expect(await world.digest()).toBe(untouched);
  });

  test("a refusal rejects with its sentence, an unknown object too", async () => {
    await using world = await open();
    await expect(world.act("subscription.acept" as "subscription.accept", { id: "1" })).rejects.toThrow(
      'There is no act "subscription.acept". Did you mean subscription.accept?',
    );
    await expect(world.resource("orders", "a/b")).rejects.toThrow('There is no object "a/b" in orders.');
  });

  test("every method fails with a sentence after it is closed, and closing again does nothing", async () => {
    const world = await open();
    await world.close();
    await world.close();
    const closed = "Failed to use the sandbox: it is closed. Open another one.";
    const calls: readonly (() => unknown)[] = [
      () => world.fetch(ACCOUNTS),
      () => world.act("subscription.accept", { id: "1" }),
      () => world.advance("PT1S"),
      () => world.settled(),
      () => world.plan({ plan: "order.payment", outcomes: ["PAID"] }),
      () => world.fault({ on: "webhook", effect: "drop" }),
      () => world.deliveries(),
      () => world.resource("orders", "1"),
      () => world.resources("orders"),
      () => world.requests(),
      () => world.ledger(),
      () => world.snapshot(),
      () => world.restore("s1"),
      () => world.fork(),
      () => world.recording(),
      () => world.reset(),
      () => world.listen(),
      () => world.digest(),
      () => world.company("acme"),
    ];
    for (const call of calls) await expect((async () => call())()).rejects.toThrow(closed);
  });

  test("fake timers with the defaults of the runner do not stop it", async () => {
    const receiver = await openReceiver();
    vi.useFakeTimers({ now: 0 });
    await using world = await open({ webhookUrl: receiver.url });
    // What a client of Node keeps of its connections, it must not time with these.
    vi.advanceTimersByTime(60_000);
    const id = await subscribe(world);
    await world.act("subscription.accept", { id });
    await world.advance("P1D");
    expect((await world.deliveries()).map(({ status }) => status)).toEqual(["delivered"]);
  });
});

test("a connected world is its own: with a seed, a clock and ids that another one does not have", async () => {
  const { server, url } = await openServer({ start: START });
  const made = await Promise.all([connectSandbox(url, { name: "mine" }), connectSandbox(`${url}/`)]);
  const ids = await Promise.all(made.map((world) => subscribe(world)));
  expect(new Set(ids).size).toBe(2);
  await made[0].advance("P1D");
  const response = await server.fetch("/sandbox/worlds");
  const { data } = (await response.json()) as {
    data: { id: string; name: string; clock: { now: string } }[];
  };
  expect(data.map(({ id, name, clock }) => `${id} ${name} ${clock.now}`)).toEqual([
    "default default 2026-11-20T12:00:00.000Z",
    "w1 mine 2026-11-21T12:00:00.000Z",
    "w2 w2 2026-11-20T12:00:00.000Z",
  ]);
  expect([made[0].id, made[0].url, made[0].dashboard, await made[0].listen()]).toEqual([
    "w1",
    url,
    `${url}/?world=w1`,
    { url },
  ]);
  await made[0].close();
  expect((await server.fetch("/sandbox/worlds").then((one) => one.json())) as object).toMatchObject({
    data: [{ id: "default" }, { id: "w2" }],
  });
});

test("a connected world has the options it is given; keep leaves it on the server", async () => {
  const { server, url } = await openServer({ adminToken: "secret" });
  const options = { start: START, seed: 9, mode: "running", adminToken: "secret" } as const;
  const assumptions = { "refund.delay": "PT9S" } as const;
  {
    await using world = await connectSandbox(url, { ...options, assumptions, keep: true });
    const clock = await world.fetch("/sandbox/clock");
    expect(await clock.json()).toMatchObject({ mode: "running" });
    const assumed = (await (await world.fetch("/sandbox/assumptions")).json()) as {
      data: { id: string; value: unknown }[];
    };
    expect(assumed.data.find(({ id }) => id === "refund.delay")?.value).toBe("PT9S");
  }
  const listed = await server.fetch("/sandbox/worlds", { headers: { "x-admin-token": "secret" } });
  expect(await listed.json()).toMatchObject({ data: [{}, { id: "w1", seed: 9 }] });
});

test("a server that is not there, or is none, or does not let in, is said in a sentence", async () => {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  free.close();
  await expect(connectSandbox(`http://127.0.0.1:${port}`)).rejects.toThrow(
    `Failed to reach http://127.0.0.1:${port}: nothing answers there (ECONNREFUSED). Start a server with "sandbank serve", or correct the address.`,
  );
  const other = createServer((_request, response) => response.end("<html>")).listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { port: otherPort } = other.address() as AddressInfo;
  await expect(connectSandbox(`http://127.0.0.1:${otherPort}`)).rejects.toThrow(
    "it answered with 200, which no sandbank does. Correct the address.",
  );
  const json = createServer((_request, response) => response.end('{"ok":true}')).listen(0, "127.0.0.1");
  onTestFinished(() => void json.close());
  await once(json, "listening");
  const { port: jsonPort } = json.address() as AddressInfo;
  await expect(connectSandbox(`http://127.0.0.1:${jsonPort}`)).rejects.toThrow(
    "it answered with 200, which no sandbank does. Correct the address.",
  );
  const { url } = await openServer({ adminToken: "secret" });
  await expect(connectSandbox(url)).rejects.toThrow("x-admin-token");
  await expect(connectSandbox("localhost:4010")).rejects.toThrow(
    'Failed to connect to the sandbox at "localhost:4010": it is not an http or https URL. Use a URL such as http://127.0.0.1:4010.',
  );
});

test("a connection to a sandbox refuses a URL with a password, and does not print it", async () => {
  const message = await connectSandbox("http://me:pass-word@127.0.0.1:4010").then(
    () => "connected",
    (error: Error) => error.message,
  );
  expect(message).toContain("its URL has a user or a password");
  expect(message).not.toContain("pass-word");
});

test("wrong options of connectSandbox are reported together, before anything is dialled", async () => {
  const wrong = { seeed: 1, mode: "slow", keep: "yes", assumptions: { "refund.dely": "PT1S" } };
  const error: unknown = await connectSandbox("http://127.0.0.1:1", wrong as never).catch(
    (one: unknown) => one,
  );
  expect(error).toBeInstanceOf(OptionMistake);
  expect((error as Error).message.split("\n")).toHaveLength(4);
});
