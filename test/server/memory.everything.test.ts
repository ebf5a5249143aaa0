import { connect } from "node:net";
import { createServer } from "node:http";
import { freePort } from "../free-port.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { once } from "node:events";
import { serve } from "../cli/command.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ACME_ACCOUNT, subscriptionBody } from "../partner.ts";

const SUBSCRIPTIONS = "/order/v1/banking/subscriptions";
const authorization = "Bearer acme-token";

/** A journal keeps so much of a body, so that the memory is full before long. */
const PADDING = "x".repeat(15_000);

/** Requests that are sent at a time, and in all. */
const ABREAST = 16;
const REQUESTS_MAX = 20_000;

interface Sent {
  readonly path: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Megabytes of the server's heap: so little that it is full before long. */
const HEAP_MB = 320;
const SMALL_HEAP_MB = 96;

/** A payout of three hundred transfers, each with its own record: the threshold of a batch is one centavo. */
const pay = (number: number): Sent => ({
  path: "/order/v1/banking/order-payouts",
  headers: { "idempotency-key": `key-${number}` },
  body: JSON.stringify({
    accountId: ACME_ACCOUNT,
    externalId: `payout-${number}`,
    description: "A large payout",
    amount: { currency: "BRL", value: "3.00" },
    paymentMethod: "PIX",
    paymentData: { pixKey: "slow@pix.example" },
  }),
});

/** Requests that each make the server keep something, by what it is; every one meets a bound. */
const WAYS: Readonly<Record<string, (number: number) => Sent>> = {
  "payouts with idempotency keys": pay,
  plans: () => ({
    path: "/sandbox/plans",
    body: JSON.stringify({
      plan: "scheduled-payment.settlement",
      outcomes: Array.from({ length: 1_000 }, () => "INSUFFICIENT_BALANCE"),
    }),
  }),
  worlds: (number) => ({ path: "/sandbox/worlds", body: JSON.stringify({ name: `world ${number}` }) }),
  "posted scenarios": (number) => ({
    path: "/sandbox/scenarios",
    body: `name: scenario ${number}\nsteps: []\n# ${"x".repeat(900_000)}\n`,
  }),
  faults: () => ({
    path: "/sandbox/faults",
    body: JSON.stringify({ on: "webhook", effect: "delay", by: "PT1H" }),
  }),
  "snapshots of a growing world": (number) =>
    number % 20 === 0 ? { path: "/sandbox/snapshots", body: "{}" } : pay(number),
  "forks of a growing world": (number) =>
    number % 20 === 0 ? { path: "/sandbox/fork", body: "{}" } : pay(number),
};

interface Answered {
  readonly status: number;
  readonly text: string;
}

async function open(heapMb: number, ...flags: readonly string[]) {
  const server = await serve(
    { env: { NODE_OPTIONS: `--max-old-space-size=${heapMb}` } },
    "--frozen",
    "--start",
    "2026-11-20T09:00:00-03:00",
    "--assume",
    "payout.batch-threshold=0.01",
    ...flags,
  );
  /** The status of a read, whose answer may be far larger than what is kept. */
  const statusOf = async (path: string): Promise<number> => {
    const answer = await fetch(server.url + path, { headers: { authorization } });
    await answer.body?.cancel();
    return answer.status;
  };
  const ask = async (method: string, path: string, sent: Partial<Sent> = {}): Promise<Answered> => {
    const { body, headers } = sent;
    const answer = await fetch(server.url + path, {
      method,
      headers: { authorization, ...headers },
      ...(body !== undefined && { body }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  return { ...server, ask, statusOf };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** 503 where memory is the bound, of the server or of the world, and else the issue LIMIT. */
function isRefusedAtABound({ status, text }: Answered): boolean {
  return status === 503 ? /The memory of|The world .* keeps/.test(text) : /"LIMIT"/.test(text);
}

/** Everything can still be read, and after a reset and with the worlds dropped the server works as at the start. */
async function expectToWorkAgain({ ask, statusOf }: Opened): Promise<void> {
  // Those that were not read end when the webhooks that they waited for have.
  await expect.poll(() => statusOf("/sandbox/recording"), { interval: 200, timeout: 60_000 }).toBe(200);
  for (const path of [
    "/order/v1/banking/accounts",
    "/sandbox/timeline?last=999999999",
    "/sandbox/resources/subscriptions",
    "/sandbox/deliveries?last=999999999",
  ])
    expect([path, await statusOf(path)]).toEqual([path, 200]);
  const { data } = JSON.parse((await ask("GET", "/sandbox/worlds")).text) as { data: { id: string }[] };
  for (const { id } of data.filter((world) => world.id !== "default"))
    expect((await ask("DELETE", `/sandbox/worlds/${id}`)).status).toBe(200);
  const snapshots = JSON.parse((await ask("GET", "/sandbox/snapshots")).text) as { data: { id: string }[] };
  for (const { id } of snapshots.data)
    expect((await ask("DELETE", `/sandbox/snapshots/${id}`)).status).toBe(200);
  expect((await ask("POST", "/sandbox/reset")).status).toBe(200);
  const { path, ...sent } = pay(0);
  expect((await ask("POST", path, sent)).status).toBe(201);
}

for (const [what, requestOf] of Object.entries(WAYS))
  test(`memory filled with ${what} is refused at a bound, reads are answered, and a reset frees it`, async () => {
    await using server = await open(what === "worlds" ? HEAP_MB : SMALL_HEAP_MB);
    const send = async (number: number): Promise<Answered> => {
      const { path, ...sent } = requestOf(number);
      return server.ask("POST", path, sent);
    };
    const sendSome = (from: number): Promise<Answered[]> =>
      Promise.all(Array.from({ length: ABREAST }, (_, index) => send(from + index)));
    let refused: Answered | undefined;
    for (let number = 1; number < REQUESTS_MAX && refused === undefined; number += ABREAST)
      refused = (await sendSome(number)).find(isRefusedAtABound);
    expect(refused).toBeDefined();
    for (let number = 0; number < 3; number++) await sendSome(REQUESTS_MAX + number * ABREAST);
    await expectToWorkAgain(server);
  }, 300_000);

/** What is written on as many connections, whose answers are not read. */
const UNREAD: Readonly<Record<string, string>> = {
  "bodies that never end": `POST ${SUBSCRIPTIONS} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\ntransfer-encoding: chunked\r\n\r\nf4240\r\n${"x".repeat(999_000)}`,
  "requests that wait with a large body": `POST /sandbox/clock/advance HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000013\r\n\r\n{"by":"PT1S"}${" ".repeat(1_000_000)}`,
  "streams that are not read": "GET /sandbox/timeline/stream?since=1 HTTP/1.1\r\nhost: localhost\r\n\r\n",
  "recordings that are not read": "GET /sandbox/recording HTTP/1.1\r\nhost: localhost\r\n\r\n",
  "lists that are not read": "GET /sandbox/deliveries?last=999999999 HTTP/1.1\r\nhost: localhost\r\n\r\n",
};

describe("a server works while the answers of 300 connections are not read", () => {
  let port = 0;
  let server: Opened;
  beforeAll(async () => {
    port = await freePort();
    server = await open(HEAP_MB, "--webhook-url", `http://127.0.0.1:${port}/`);
  });
  afterAll(() => server.stop());

  test.each(Object.entries(UNREAD))(
    "after %s, and as at the start when they have ended",
    async (_, text) => {
      const receiver = createServer(() => undefined).listen(port, "127.0.0.1");
      await once(receiver, "listening");
      for (let number = 0; number < 100; number++) {
        const body = JSON.stringify(
          subscriptionBody({ externalId: `subscription-${number}`, padding: PADDING }),
        );
        const made = await server.ask("POST", SUBSCRIPTIONS, { body });
        const { id } = JSON.parse(made.text) as { id: string };
        await server.ask("POST", "/sandbox/acts/subscription.accept", { body: JSON.stringify({ id }) });
      }
      const sockets = Array.from({ length: 300 }, () => {
        const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
        socket.on("error", () => undefined).pause();
        socket.write(text);
        return socket;
      });
      for (let turn = 0; turn < 50; turn++) {
        expect((await server.ask("GET", "/sandbox/health")).status).toBe(200);
        await nextTurn();
      }
      for (const socket of sockets) socket.destroy();
      receiver.closeAllConnections();
      receiver.close();
      await expectToWorkAgain(server);
    },
    120_000,
  );
});
