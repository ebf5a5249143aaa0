import type { AddressInfo } from "node:net";
import { type Server, createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { once } from "node:events";
import { payoutBody, subscriptionBody } from "./partner.ts";
import { createSandbox, openSandbox } from "../src/sandbox/sandbox.ts";
import { assertDefined } from "../src/engine/assertion.ts";
import { localWorlds } from "../src/tools/scenarios/world.ts";
import { parseScenario } from "../src/tools/scenarios/parse.ts";
import { runScenario } from "../src/tools/scenarios/run.ts";
import { scenarioContext } from "../src/tools/scenarios/context.ts";
import { seededChance } from "../src/engine/random.ts";
import { turns } from "./turns.ts";

type Fault = Readonly<Record<string, unknown>>;

/** Faults that depend on the order in which attempts are opened and outcomes are taken in. */
const MODES: Readonly<Record<string, readonly Fault[]>> = {
  none: [],
  duplicate: [{ effect: "duplicate", copies: 2, probability: 0.5 }],
  "duplicate-late": [{ effect: "duplicate-late", after: "PT5M", probability: 0.5 }],
  "duplicate-concurrent": [{ effect: "duplicate-concurrent", copies: 2, times: 3 }],
  reorder: [{ effect: "reorder", window: "PT2M", probability: 0.5 }],
  "drop-first": [{ effect: "drop-first", attempts: 2, times: 3 }],
  "bad-signature": [{ effect: "bad-signature", probability: 0.4 }],
  "reset-after-request": [{ effect: "reset-after-request", times: 4, probability: 0.6 }],
  "interleave-retry": [{ effect: "interleave-retry", times: 2 }],
  outage: [{ effect: "outage", between: ["2026-11-20T09:00:00-03:00", "2026-11-20T09:04:00-03:00"] }],
  several: [
    { effect: "duplicate", copies: 1, probability: 0.5 },
    { effect: "drop", attempt: 2, times: 2 },
    { effect: "old-secret", probability: 0.3 },
  ],
};

const REPETITIONS = 3;

let receiver: Server;
let delayTurns: () => number;

/** Answers each webhook after a random delay; what it answers depends on the bytes alone. */
beforeAll(async () => {
  receiver = createServer((request, response) => {
    let length = 0;
    request.on("data", (chunk: Buffer) => (length += chunk.length));
    request.on("error", () => undefined);
    request.on("end", () => {
      response.sendDate = false;
      void turns(delayTurns()).then(() => response.writeHead(length % 3 === 0 ? 500 : 200).end("{}"));
    });
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
});

afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

interface Session {
  /** Every answer, in order. */
  readonly seen: readonly object[];
  readonly digest: string;
  readonly recording: string;
}

/** One session of serial calls without a pause: all that a partner and an observer get to see of it. */
async function session(faults: readonly Fault[], repetition: number): Promise<Session> {
  const chance = seededChance(repetition, "delays of the receiver");
  delayTurns = () => chance.below(60);
  const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  await using sandbox = await createSandbox({ seed: 11, start: "2026-11-20T09:00:00-03:00", webhookUrl });
  const { url } = await sandbox.listen();
  const seen: object[] = [];
  let keys = 0;
  async function ask(method: string, path: string, body?: object): Promise<{ id: string }> {
    const headers = { authorization: "Bearer acme-token", "idempotency-key": `key-${++keys}` };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    const comparable = text
      .replaceAll(url, "http://sandbox")
      .replaceAll(/"durationMs":\d+/g, '"durationMs":0');
    const isJson = answer.headers.get("content-type") === "application/json";
    const value: unknown = isJson ? JSON.parse(comparable) : comparable;
    seen.push({ call: `${method} ${path}`, status: answer.status, body: value });
    return value as { id: string };
  }
  const payOut = (externalId: string) =>
    ask(
      "POST",
      "/order/v1/banking/order-payouts",
      payoutBody({ externalId, amount: { currency: "BRL", value: "1.00" }, description: externalId }),
    );
  for (const fault of faults) await ask("POST", "/sandbox/faults", { on: "webhook", ...fault });
  const ids: string[] = [];
  for (const externalId of ["a", "bb", "ccc", "dddd"]) {
    const { id } = await ask("POST", "/order/v1/banking/subscriptions", subscriptionBody({ externalId }));
    ids.push(id);
    await ask("POST", "/sandbox/acts/subscription.accept", { id });
    await payOut(externalId);
  }
  await ask("POST", "/order/v1/webhook/rotate-secret");
  for (const id of ids.slice(0, 2)) {
    const reason = "PAYER_DECEASED";
    await ask("POST", "/sandbox/acts/subscription.request-cancellation", { id, reason });
  }
  await ask("GET", "/sandbox/deliveries");
  await payOut("eeeee");
  await ask("GET", "/order/v1/banking/accounts");
  await ask("POST", "/sandbox/clock/advance", { by: "PT10M" });
  await payOut("ffffff");
  await ask("POST", "/sandbox/clock/advance", { by: "P1D" });
  await ask("GET", "/sandbox/faults");
  await ask("GET", "/sandbox/timeline");
  await ask("GET", "/sandbox/resources/webhook-events");
  await ask("GET", "/order/v1/webhook/events");
  await ask("GET", "/sandbox/coverage");
  await ask("GET", "/sandbox/recording");
  const recording = await sandbox.recording();
  return { seen, digest: sandbox.digest(), recording };
}

test.each(Object.entries(MODES))(
  "receivers of any speed cause the same answers, records and journal: %s",
  async (_name, faults) => {
    const first = await session(faults, 0);
    for (let repetition = 1; repetition < REPETITIONS; repetition++) {
      const { seen, digest } = await session(faults, repetition);
      expect(seen).toEqual(first.seen);
      expect(digest).toBe(first.digest);
    }
    const { scenarios, mistakes } = parseScenario(first.recording, "recording.yaml", scenarioContext());
    expect(mistakes).toEqual([]);
    const result = await runScenario(assertDefined(scenarios[0], "the recorded scenario"), {
      openWorld: localWorlds(openSandbox),
    });
    expect(result.failure).toBeUndefined();
    expect(result.digest).toBe(first.digest);
  },
  60_000,
);

/** A session of a sandbox and a receiver on free ports, which answers with the date of the machine. */
async function onFreePorts(host: string): Promise<string> {
  const own = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200, { date: new Date().toUTCString() }).end("{}"));
  });
  own.listen(0, "127.0.0.1");
  await once(own, "listening");
  const webhookUrl = `http://127.0.0.1:${(own.address() as AddressInfo).port}/hook`;
  const refused = `http://localhost:${(own.address() as AddressInfo).port + 1}/nobody`;
  await using sandbox = await createSandbox({ seed: 11, start: "2026-11-20T09:00:00-03:00", webhookUrl });
  const { url } = await sandbox.listen();
  let keys = 0;
  const ask = async (method: string, path: string, body: object): Promise<{ id: string }> => {
    const headers = { authorization: "Bearer acme-token", "idempotency-key": `key-${++keys}` };
    const site = url.replace("127.0.0.1", host);
    const answer = await fetch(site + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  };
  const customer = { name: "Maria da Silva", document: { type: "CPF", number: "52998224725" } };
  for (const notificationUrl of [undefined, webhookUrl, refused]) {
    const amount = { currency: "BRL", value: "150.00" };
    const order = { externalId: "shop-1", paymentMethod: "BOLETO", amount };
    const { id } = await ask("PUT", "/order/v2/transparent", {
      customer,
      order: { ...order, ...(notificationUrl !== undefined && { notificationUrl }) },
    });
    await ask("POST", "/sandbox/acts/order.pay", { id });
  }
  await ask("POST", "/order/v1/banking/order-payouts", { ...payoutBody(), webhookUrl: refused });
  await sandbox.advance("P2D");
  own.closeAllConnections();
  own.close();
  return sandbox.digest();
}

test("what a run cannot choose is not in the digest: ports, the host of requests, the date of answers", async () => {
  const digest = await onFreePorts("127.0.0.1");
  // The next second has another date.
  await new Promise((resolve) => void setTimeout(resolve, 1_000));
  expect(await onFreePorts("localhost")).toBe(digest);
});
