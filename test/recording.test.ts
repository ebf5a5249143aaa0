import type { AddressInfo } from "node:net";
import type { ScenarioResult } from "../src/scenarios/result.ts";
import { createServer } from "node:http";
import { join } from "node:path";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createSubscription, openPartner, type Partner, RECEIVER_URL, subscriptionBody } from "./partner.ts";
import { expect, test, vi } from "vitest";
import { once } from "node:events";
import { card, CARDS, makeOrder, orderBody } from "./simulator/platform/orders/asking.ts";
import type { Sandbox, SandboxObject } from "../src/server/access/sandbox-interface.ts";
import { createSandbox, openSandbox } from "../src/library/sandbox.ts";
import { localWorlds } from "../src/scenarios/world.ts";
import { parseScenario } from "../src/scenarios/parse.ts";
import { runScenario } from "../src/scenarios/run.ts";
import { scenarioContext } from "../src/scenarios/context.ts";
import { ScriptedReceiver } from "../src/scenarios/receiver.ts";
import { transportTo } from "../src/simulator/webhooks/in-process.ts";
import { turns } from "./turns.ts";

const ACCOUNTS = "/order/v1/banking/accounts";

async function replay(recording: string): Promise<ScenarioResult> {
  const { scenarios, mistakes } = parseScenario(recording, "recording.yaml", scenarioContext());
  expect(mistakes).toEqual([]);
  const [scenario] = scenarios;
  if (scenario === undefined) throw new Error("the recording contains no scenario");
  return runScenario(scenario, { openWorld: localWorlds(openSandbox) });
}

/** Records a session, runs the file, and gives it once the journals were found the same. */
async function replayed(sandbox: Sandbox): Promise<string> {
  const recording = await sandbox.recording();
  const digest = sandbox.digest();
  const result = await replay(recording);
  expect(result.failure).toBeUndefined();
  expect(result.digest).toBe(digest);
  expect(recording).toContain(digest);
  return recording;
}

test("a session with calls, acts, plans, faults, refusals and answers is replayed to the same journal", async () => {
  await using partner = await openPartner();
  partner.receiver.script([500, { status: 200, body: "fine" }, 503, "timeout", "refuse", "reset"]);
  const { id } = await createSubscription(partner, { externalId: "${odd} $${name}" });
  await partner.act("subscription.accept", { id });
  const body = {
    externalId: "charge-1",
    dueDate: "2026-11-25",
    amount: { currency: "BRL", value: "59.90" },
  };
  const charge = await partner.ask("PUT", `/public/v1/banking/subscriptions/${id}/payments`, { body });
  const outcomes = ["SETTLEMENT_ERROR", "SETTLED"];
  await partner.sandbox.plan({ plan: "scheduled-payment.settlement", on: charge.body["id"], outcomes });
  await partner.sandbox.fault({ on: "webhook", effect: "duplicate-concurrent", times: 1 });
  await partner.sandbox.fault({ on: "webhook", effect: "drop", times: 1 });
  await partner.ask("POST", "/order/v1/banking/subscriptions", { body: "{ broken" });
  await partner.ask("GET", ACCOUNTS, { token: null });
  await partner.ask("GET", ACCOUNTS, { token: "no-such-token" });
  await partner.ask("GET", `${ACCOUNTS}?limit=2`, { token: "globex-token" });
  await expect(partner.act("subscription.accept", { id })).rejects.toThrow("is not possible");
  await partner.advance("P6D");
  await partner.act("subscription.request-cancellation", { id, reason: "PAYER_DECEASED" });
  await partner.advance({ until: "idle" });
  const recording = await replayed(partner.sandbox);
  expect(recording).toContain("  - advance: P6D\n");
  expect(recording).toContain("save: subscription\n");
  expect(recording).toContain('path: { id: "${subscription.id}" }');
  expect(recording).toContain("as: globex");
  expect(recording).toContain("as: no-such-token");
});

test("what a client called and sent although the platform API does not have it is recorded and replayed", async () => {
  await using partner = await openPartner();
  await createSubscription(partner, { colour: "green" });
  await partner.ask("GET", `${ACCOUNTS}?colour=green`);
  const recording = await replayed(partner.sandbox);
  expect(recording.match(/allowUnknown: true/g)).toHaveLength(2);
});

test("a token that was issued, a Basic header and a page that was posted are recorded", async () => {
  await using partner = await openPartner();
  const form = (fields: Record<string, string>, headers = {}) =>
    partner.ask("POST", "/oauth2/v2.0/token", {
      token: null,
      body: new URLSearchParams({ grant_type: "client_credentials", ...fields }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
  const scope = "api://app-order-prd/.default";
  const issued = await form({ client_id: "acme", client_secret: "acme-secret", scope });
  await form({ scope }, { authorization: `Basic ${btoa("globex:globex-secret")}` });
  await form({ client_id: "acme", client_secret: "wrong", scope });
  const token = issued.body["access_token"] as string;
  const order = await partner.ask("PUT", "/order/v2/transparent", {
    token,
    key: "order-1",
    body: {
      customer: {
        name: "Ana Prado",
        entityType: "INDIVIDUAL",
        document: { type: "CPF", number: "52998224725" },
      },
      order: {
        externalId: "o-1",
        paymentMethod: "PIX",
        amount: { currency: "BRL", value: "10.00" },
        partner: "PIX_PARTNER",
      },
    },
  });
  expect(order.status).toBe(200);
  await partner.sandbox.fetch(`/pay/default/${order.body["id"] as string}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "do=pay",
  });
  const recording = await replayed(partner.sandbox);
  expect(recording).toContain("as: ${token.access_token}");
  expect(recording).toContain("POST /pay/default/${order.id}");
});

test("a session on a running clock, over sockets and with concurrent requests, is replayed to the same journal", async () => {
  expect(await playRunning()).toContain("requests");
});

test("a session on a running clock is replayed to the same journal, also if each turn is used up at once", async () => {
  const now = performance.now.bind(performance);
  let stoodMs = 0;
  using _ = vi.spyOn(performance, "now").mockImplementation(() => now() + (stoodMs += 10));
  expect(await playRunning()).toContain("requests");
});

/** Plays a session on a running clock, over sockets and with concurrent requests, and then its recording. */
async function playRunning(): Promise<string> {
  let count = 0;
  const receiver = createServer((request, response) => {
    const number = ++count;
    request.resume().on("end", () => {
      void turns((number % 3) * 20).then(() =>
        response
          .writeHead(number % 4 === 0 ? 500 : 200, { "x-number": String(number) })
          .end(`answer ${number}`),
      );
    });
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  await using sandbox = await createSandbox({
    seed: 3,
    mode: "running",
    start: "2026-11-20T09:00:00-03:00",
    webhookUrl: hook,
    assumptions: {
      "webhook.retry-intervals": ["PT0.05S", "PT0.1S", "PT1S", "PT1S"],
      "cancellation.delay": "PT0.03S",
    },
  });
  const { url } = await sandbox.listen();
  const send = async (method: string, path: string, body?: object): Promise<SandboxObject> => {
    const headers = { authorization: "Bearer acme-token" };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return (await answer.json()) as SandboxObject;
  };
  const ids: string[] = [];
  for (const externalId of ["a", "b", "c", "d"]) {
    const made = await send("POST", "/order/v1/banking/subscriptions", subscriptionBody({ externalId }));
    ids.push(made["id"] as string);
    await send("POST", "/sandbox/acts/subscription.accept", { id: ids.at(-1) });
  }
  const reason = "PAYER_DECEASED";
  await Promise.all(
    ids.map((id) => send("POST", "/sandbox/acts/subscription.request-cancellation", { id, reason })),
  );
  await expect.poll(async () => (await send("GET", ACCOUNTS), count)).toBeGreaterThan(9);
  await send("POST", "/sandbox/clock/advance", { by: "PT1H" });
  await send("PUT", "/sandbox/clock", { mode: "frozen" });
  const recording = await replayed(sandbox);
  receiver.closeAllConnections();
  receiver.close();
  return recording;
}

test("a restore truncates the recording like the world, and a reset clears it", async () => {
  await using partner = await openPartner();
  await createSubscription(partner, { externalId: "kept" });
  const { id } = await partner.sandbox.snapshot();
  await createSubscription(partner, { externalId: "taken back" });
  await partner.sandbox.restore(id);
  await createSubscription(partner, { externalId: "after" });
  const recording = await replayed(partner.sandbox);
  expect(recording).toContain("externalId: kept");
  expect(recording).not.toContain("taken back");
  await partner.sandbox.reset();
  expect(await replayed(partner.sandbox)).toContain("0 requests");
});

test("a fork with a seed of its own says in its recording from where on, and gives no digest", async () => {
  await using partner = await openPartner();
  await createSubscription(partner, { externalId: "before" });
  const fork = await partner.sandbox.fork();
  const [{ token }] = fork["companies"] as [{ token: string }];
  await partner.ask("POST", "/order/v1/banking/subscriptions", {
    token,
    body: subscriptionBody({ externalId: "after" }),
  });
  const headers = { authorization: `Bearer ${token}` };
  const recording = await (await partner.sandbox.fetch("/sandbox/recording", { headers })).text();
  expect(recording).toContain(`The world is a fork: since the entry 3 of its journal its ids come from the`);
  expect(recording).not.toContain("has the digest");
  expect((await replay(recording)).failure).toBeUndefined();
});

test("the recording of a fork has its whole past, with names that are valid in any world", async () => {
  await using partner = await openPartner();
  await createSubscription(partner, { externalId: "before" });
  const fork = await partner.sandbox.fork({ seed: 7 });
  const [{ token }] = fork["companies"] as [{ token: string }];
  const { body } = await partner.ask("GET", ACCOUNTS, { token });
  expect(body["data"]).toBeDefined();
  const answer = await partner.sandbox.fetch("/sandbox/recording", {
    headers: { authorization: `Bearer ${token}` },
  });
  const recording = await answer.text();
  const replayed = await replay(recording);
  expect(replayed.failure).toBeUndefined();
  expect(recording).toContain(`has the digest ${replayed.digest}`);
  expect(recording).toContain("externalId: before");
  expect(recording).not.toContain(token);
});

test("a world of a data file is recorded with its digest after a restart", async () => {
  const data = join(mkdtempSync(join(tmpdir(), "sandbank-")), "worlds.json");
  const receiver = new ScriptedReceiver();
  const options = { data, transport: transportTo(receiver), webhookUrl: RECEIVER_URL };
  {
    await using partner = await openPartner(options);
    receiver.script([500]);
    const { id } = await createSubscription(partner, { externalId: "before the restart" });
    await partner.act("subscription.accept", { id });
    await partner.advance("PT2M");
  }
  await using partner = await openPartner(options);
  const { id } = await createSubscription(partner, { externalId: "after the restart" });
  await partner.act("subscription.accept", { id });
  const recording = await replayed(partner.sandbox);
  expect(recording).toContain("externalId: before the restart");
  expect(recording).toContain("answers: [ 500 ]");
});

test("a world that started with a scenario is recorded with its digest", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "sandbank-")), "opening.yaml");
  const opening = {
    name: "opening",
    steps: [
      { call: "createSubscription", body: subscriptionBody(), save: "made", expect: { status: 201 } },
      { receiver: { answers: [503] } },
      { act: "subscription.accept", on: "${made.id}" },
      { advance: "PT10M" },
    ],
  };
  writeFileSync(file, JSON.stringify(opening));
  for (const options of [{}, { webhookUrl: undefined }]) {
    await using partner = await openPartner({ scenario: file, ...options });
    await createSubscription(partner, { externalId: "after the scenario" });
    expect(await replayed(partner.sandbox)).toContain("advance: PT10M");
    await partner.sandbox.reset();
    expect(await replayed(partner.sandbox)).toContain("advance: PT10M");
  }
});

test("a world whose settings changed, by a request and by a restart, is recorded with its digest", async () => {
  const data = join(mkdtempSync(join(tmpdir(), "sandbank-")), "worlds.json");
  const transport = transportTo(new ScriptedReceiver());
  const cancel = async (partner: Partner, externalId: string): Promise<void> => {
    const { id } = await createSubscription(partner, { externalId });
    await partner.act("subscription.accept", { id });
    await partner.ask("POST", `/public/v1/banking/subscriptions/${id}/cancellations`, {
      body: { reason: "REQUESTED_BY_PARTNER" },
    });
  };
  {
    await using partner = await openPartner({ data, transport });
    const body = { webhookUrl: null, assumptions: { "cancellation.delay": "PT7S" } };
    expect((await partner.ask("PATCH", "/sandbox/settings", { body })).status).toBe(200);
    await cancel(partner, "before");
  }
  const changed = { webhookUrl: "http://other.example/", assumptions: { "cancellation.delay": "PT9S" } };
  await using partner = await openPartner({ data, transport, ...changed });
  await cancel(partner, "after");
  const recording = await replayed(partner.sandbox);
  expect(recording).toContain(`webhookUrl: ${RECEIVER_URL}`);
  expect(recording).toContain("http://other.example/");
});

test("a card that is not a test card and an unknown secret are masked, a test card is not", async () => {
  await using partner = await openPartner();
  await partner.ask("POST", "/oauth2/v2.0/token", {
    token: null,
    body: "grant_type=client_credentials&client_id=acme&client_secret=from-production&scope=x",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  await partner.ask("GET", ACCOUNTS, { token: "a-token-that-is-longer-than-those-of-tests" });
  const order = (number: string) =>
    makeOrder(
      partner,
      orderBody(
        "CREDIT_CARD",
        { externalId: `order-${number.slice(-4)}` },
        { paymentDetails: { card: card(number) } },
      ),
    );
  await order(CARDS.approved);
  await order("5105105105105100");
  const recording = await partner.sandbox.recording();
  expect(recording).not.toContain("from-production");
  expect(recording).toContain("client_secret: masked");
  expect(recording).not.toContain("longer-than-those-of-tests");
  expect(recording).toContain('number: "4111111111111111"');
  expect(recording).not.toContain('number: "5105105105105100"');
  expect(recording).toContain('securityCode: "000"');
  expect(recording).toMatch(/number: "000\d{9}5100"/);
  expect(await replayed(partner.sandbox)).toContain("has the digest");
});

test("after restarts a recording has the same words: each move of the clock as it was requested", async () => {
  const data = join(mkdtempSync(join(tmpdir(), "moves-")), "data");
  const recordings: string[] = [];
  {
    await using partner = await openPartner({ data });
    await createSubscription(partner);
    await partner.advance("PT5M");
    await partner.sandbox.snapshot();
    await partner.advance("PT5M");
    await partner.advance({ to: "2026-11-20T10:00:00-03:00" });
    recordings.push(await partner.sandbox.recording());
  }
  expect(recordings[0]).toContain("  - advance: PT5M\n  - advance: PT5M\n");
  for (let restart = 0; restart < 3; restart++) {
    await using partner = await openPartner({ data });
    recordings.push(await replayed(partner.sandbox));
  }
  expect(new Set(recordings).size).toBe(1);
  await using partner = await openPartner({ data });
  await partner.sandbox.restore("s1");
  expect(await replayed(partner.sandbox)).toContain("  - advance: PT5M\n");
});
