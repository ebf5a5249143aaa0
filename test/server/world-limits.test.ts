import type { SandboxOptions } from "../../src/server/settings/sandbox-options.ts";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/library/sandbox.ts";
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import { loadFixtures } from "../../src/server/access/fixture-files.ts";
import { NOT_SENT } from "../../src/simulator/webhooks/transport.ts";
import { World } from "../../src/simulator/worlds/world.ts";
import { once } from "node:events";
import { FairLimit } from "../../src/server/limits.ts";
import { ACME_ACCOUNT } from "../partner.ts";

interface Opened {
  readonly url: string;
  readonly ask: (token: string, method: string, path: string, body?: object) => Promise<Answered>;
  readonly makeWorld: () => Promise<string>;
}

interface Answered {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: { readonly message?: string; readonly stoppedBy?: string; readonly id?: string };
}

async function open(options: SandboxOptions): Promise<Opened> {
  const sandbox = await createSandbox({ start: "2026-11-20T09:00:00-03:00", ...options });
  onTestFinished(() => sandbox.close());
  const { url } = await sandbox.listen();
  const ask: Opened["ask"] = async (token, method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "idempotency-key": randomUUID() },
      ...(body && { body: JSON.stringify(body) }),
    });
    const retryAfter = answer.headers.get("retry-after");
    return { status: answer.status, retryAfter, body: (await answer.json()) as Answered["body"] };
  };
  const makeWorld = async (): Promise<string> => {
    const { body } = await ask("acme-token", "POST", "/sandbox/worlds", {});
    return (body as { companies: [{ token: string }] }).companies[0].token;
  };
  return { url, ask, makeWorld };
}

function pay({ ask }: Opened, token: string, value: string): Promise<Answered> {
  return ask(token, "POST", "/order/v1/banking/order-payouts", {
    accountId: ACME_ACCOUNT,
    externalId: "payout-1",
    description: "A payout",
    amount: { currency: "BRL", value },
    paymentMethod: "PIX",
    paymentData: { pixKey: "ok@pix.example" },
  });
}

/** A receiver that answers once it is told to. */
async function openReceiver() {
  const arrived = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const receiver = createServer((_request, response) => {
    arrived.resolve();
    void told.promise.then(() => response.end("{}"));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  await once(receiver, "listening");
  const { port } = receiver.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/`, arrived: arrived.promise, answer: told.resolve };
}

test("a world that answers as many requests as it may refuses another, and other worlds go on", async () => {
  const receiver = await openReceiver();
  const opened = await open({ worldRequests: 1, webhookUrl: receiver.url });
  const { ask } = opened;
  const other = await opened.makeWorld();
  await pay(opened, "acme-token", "10.00");
  const waiting = ask("acme-token", "POST", "/sandbox/clock/advance", { by: "PT1M" });
  await receiver.arrived;
  const refused = await ask("acme-token", "GET", "/order/v1/banking/accounts");
  expect([refused.status, refused.retryAfter]).toEqual([503, "1"]);
  expect(refused.body.message).toBe(
    "1 requests to this world are being answered at the moment, which is its limit (--world-requests). Send the request again in a second.",
  );
  expect((await ask(other, "GET", "/order/v1/banking/accounts")).status).toBe(200);
  expect((await ask("acme-token", "GET", "/sandbox/health")).status).toBe(200);
  receiver.answer();
  expect((await waiting).status).toBe(200);
  expect((await ask("acme-token", "GET", "/order/v1/banking/accounts")).status).toBe(200);
});

test("a world that keeps as much as it may refuses what would add to it, until it is reset", async () => {
  const assumptions = { "payout.batch-threshold": "0.01" };
  const opened = await open({ worldMemory: 1, assumptions });
  const { ask } = opened;
  const world = await opened.makeWorld();
  let answer = await pay(opened, world, "3.00");
  for (let number = 0; number < 20 && answer.status === 201; number++)
    answer = await pay(opened, world, "3.00");
  expect(answer.status).toBe(503);
  expect(answer.body.message).toMatch(
    /^The world w1 keeps about \d MB, and its limit is 1 MB \(--world-memory\)\. Reset it/,
  );
  const advanced = await ask(world, "POST", "/sandbox/clock/advance", { by: "P1D" });
  expect(advanced.status).toBe(503);
  expect((await ask(world, "GET", "/order/v1/banking/accounts")).status).toBe(200);
  expect((await ask("acme-token", "POST", "/sandbox/clock/advance", { by: "P1D" })).status).toBe(200);
  expect((await ask(world, "POST", "/sandbox/reset")).status).toBe(200);
  expect((await pay(opened, world, "3.00")).status).toBe(201);
});

test("an advance ends where its world keeps as much as it may", async () => {
  const world = new World({
    id: "w1",
    name: "w1",
    settings: { seed: 1, start: 0, mode: "frozen", assumptions: {}, webhookUrl: null },
    fixtures: loadFixtures(),
    credentialSuffix: "",
    transport: async (requests) => requests.map(() => NOT_SENT),
    wallNow: () => 0,
    isFull: () => true,
  });
  onTestFinished(() => world.close());
  world.execute({ by: "control", name: "test" }, (tx) =>
    tx.arm({ kind: "payout.settlement", owner: "nobody", due: 1_000 }),
  );
  expect((await world.advance({ to: 2_000 })).stoppedBy).toBe("memoryMax");
  expect(world.now).toBe(0);
});

test("a snapshot that is removed cannot be restored, and takes no place", async () => {
  const { ask } = await open({});
  const take = async (): Promise<string | undefined> =>
    (await ask("acme-token", "POST", "/sandbox/snapshots")).body.id;
  expect([await take(), await take()]).toEqual(["s1", "s2"]);
  const removed = await ask("acme-token", "DELETE", "/sandbox/snapshots/s1");
  expect([removed.status, removed.body]).toEqual([200, { id: "s1", dropped: true }]);
  expect((await ask("acme-token", "POST", "/sandbox/snapshots/s1/restore")).status).toBe(404);
  expect((await ask("acme-token", "DELETE", "/sandbox/snapshots/s1")).status).toBe(404);
  expect(await take()).toBe("s3");
  expect((await ask("acme-token", "POST", "/sandbox/snapshots/s2/restore")).status).toBe(200);
});

test("places are shared by all worlds, and a world that has few gets some beyond that", () => {
  const places = new FairLimit({ perWorld: 3, shared: 4, reserved: 1 });
  const first = places.take("w1");
  const taken = Array.from({ length: 3 }, () => places.take("w1"));
  expect(taken.map((place) => typeof place)).toEqual(["function", "function", "string"]);
  expect(taken[2]).toBe("world");
  expect(typeof places.take("w2")).toBe("function");
  expect(places.take("w2")).toBe("all");
  expect(typeof places.take("w3")).toBe("function");
  if (typeof first === "function") first();
  expect(typeof places.take("w1")).toBe("string");
});
