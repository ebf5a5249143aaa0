import { atFreePort } from "../../at-free-port.ts";
import { type ServerResponse, createServer } from "node:http";
import {
  ACME_ACCOUNT,
  createSubscription,
  openPartner,
  payoutBody,
  subscriptionBody,
  type UntypedOptions,
} from "../../partner.ts";
import { ScriptedReceiver } from "../../../src/scenarios/receiver.ts";
import { transportTo } from "../../../src/simulator/webhooks/in-process.ts";
import { expect, test } from "vitest";
import { networkTransport } from "../../../src/simulator/webhooks/transport.ts";
import { createEgress } from "../../../src/simulator/webhooks/egress-guard.ts";
import { turns } from "../../turns.ts";
import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";
import { createSandbox } from "../../../src/library/sandbox.ts";

/** A receiver on a port that gives each webhook to `answer`. */
async function openReceiver(answer: (response: ServerResponse, body: SandboxObject) => void | Promise<void>) {
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => void answer(response, JSON.parse(text) as SandboxObject));
  });
  const at = await atFreePort(server);
  return { ...at, url: `${at.url}/hook` };
}

const overSockets = () => networkTransport(createEgress());

test("on a frozen clock a call neither waits for an outcome nor sees it, and a read of deliveries does", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  await createSubscription(partner, { externalId: "next" });
  const [delivery] = await partner.sandbox.deliveries();
  expect(delivery).toMatchObject({ status: "delivered" });
  const { body } = await partner.ask("GET", "/sandbox/timeline");
  const kinds = (body["data"] as SandboxObject[]).map(({ kind, what }) => [kind, what]);
  expect(kinds.slice(-2)).toEqual([
    ["transition", "subscription.register: INITIAL → PENDING_AUTHORIZATION"],
    ["attempt", "attempt 1 of SUBSCRIPTION.ACCEPTED answered 200"],
  ]);
});

test("a receiver that calls the sandbox while it handles a webhook gets its answer", async () => {
  const answers: number[] = [];
  await using receiver = await openReceiver(async (response) => {
    const paths = ["/order/v1/banking/accounts", "/sandbox/deliveries", "/order/v1/webhook/events"];
    for (const path of paths) answers.push((await partner.ask("GET", path)).status);
    response.end("{}");
  });
  await using partner = await openPartner({ webhookUrl: receiver.url, transport: overSockets() });
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  await partner.advance("PT0S");
  expect(answers).toEqual([200, 200, 200]);
  expect((await partner.sandbox.deliveries())[0]).toMatchObject({ status: "delivered" });
});

test("a stream of the timeline reports on a frozen clock that webhooks were answered, without a request", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  const stream = await partner.sandbox.fetch("/sandbox/timeline/stream");
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  await partner.act("subscription.accept", { id });
  await partner.act("subscription.request-cancellation", { id, reason: "PAYER_DECEASED" });
  let shown = "";
  while (!shown.includes("event: answered")) shown += (await reader.read()).value ?? "";
  expect(await partner.sandbox.deliveries()).toMatchObject([
    { status: "delivered" },
    { status: "delivered" },
  ]);
  expect(shown).not.toContain("answered 200");
  await partner.advance("PT0S");
  while (!shown.includes("SUBSCRIPTION.CANCELLATION.PENDING answered 200"))
    shown += (await reader.read()).value ?? "";
  await reader.cancel();
});

test("on a running clock the outcomes of one instant are recorded in the order of opening", async () => {
  const isAcknowledged = { now: false };
  const held: ServerResponse[] = [];
  await using receiver = await openReceiver((response, { data }) => {
    if (!isAcknowledged.now) response.writeHead(500).end();
    else if ((data as SandboxObject)["externalId"] === "first") held.push(response);
    else {
      // The sandbox closes the connection once it has the answer, so the first is answered after the second.
      response.socket?.once("close", () => held.shift()?.end("{}"));
      response.writeHead(200, { connection: "close" }).end("{}");
    }
  });
  await using sandbox = await createSandbox({
    mode: "running",
    start: "2026-11-20T09:00:00-03:00",
    webhookUrl: receiver.url,
    assumptions: { "webhook.retry-intervals": ["PT0.01S", "PT0.01S", "PT0.01S", "PT0.01S"] },
  });
  const headers = { authorization: "Bearer acme-token" };
  for (const externalId of ["first", "second"]) {
    const body = JSON.stringify(subscriptionBody({ externalId }));
    const made = await sandbox.fetch("/order/v1/banking/subscriptions", { method: "POST", headers, body });
    await sandbox.act("subscription.accept", { id: ((await made.json()) as { id: string }).id });
  }
  await expect
    .poll(async () => (await sandbox.deliveries()).map(({ status }) => status))
    .toEqual(["undelivered", "undelivered"]);
  isAcknowledged.now = true;
  await sandbox.fetch("/sandbox/deliveries/resend", { method: "POST", body: "{}" });
  const timeline = (await (await sandbox.fetch("/sandbox/timeline")).json()) as { data: SandboxObject[] };
  const [one, other] = (await sandbox.deliveries()).map(({ id }) => id);
  const answered = timeline.data.filter(({ kind, status }) => kind === "attempt" && status === 200);
  expect(answered.map(({ delivery }) => delivery)).toEqual([one, other]);
});

test("after a reset an advance does not wait for a receiver that the state before still waits for", async () => {
  await using receiver = await openReceiver(() => undefined);
  await using partner = await openPartner({
    webhookUrl: receiver.url,
    transport: overSockets(),
    assumptions: { "webhook.timeout": "PT1H" },
  });
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  const waiting = partner.advance("PT1M");
  // Its answer says that the advance before it has begun.
  await partner.ask("POST", "/sandbox/clock/advance", { body: { by: "PT0S", wait: false } });
  await partner.sandbox.reset();
  expect(await partner.advance("PT1S")).toMatchObject({ to: "2026-11-20T12:00:01.000Z" });
  expect(await waiting).toMatchObject({ to: "2026-11-20T12:00:00.000Z", stoppedBy: "reset" });
});

const bug = (): Error => new Error("a bug of ours");
type Audit = NonNullable<UntypedOptions["audit"]>;

const audited =
  (isFailing: (entry: Parameters<Audit>[1]) => boolean) =>
  (isBroken: () => boolean): UntypedOptions => ({
    audit: (_simulation, entry) => {
      if (isBroken() && isFailing(entry)) throw bug();
    },
  });

test.each<[string, (isBroken: () => boolean) => UntypedOptions]>([
  ["opened", audited(({ cause }) => cause.input?.kind === "attempt")],
  [
    "sent",
    (isBroken) => ({
      transport: async (requests) => {
        if (isBroken()) throw bug();
        return transportTo(new ScriptedReceiver())(requests);
      },
    }),
  ],
  ["closed", audited(({ timeline }) => timeline.some(({ kind }) => kind === "attempt"))],
])(
  "a failure of the sandbox while an attempt is %s is reported once, and what follows goes on",
  async (_when, options) => {
    let isBroken = true;
    await using partner = await openPartner(options(() => isBroken));
    const { id } = await createSubscription(partner);
    await partner.act("subscription.accept", { id });
    const answer = await partner.ask("POST", "/sandbox/clock/advance", { body: { by: "PT1M" } });
    expect([answer.status, answer.body["message"]]).toEqual([
      500,
      expect.stringContaining("journal position"),
    ]);
    isBroken = false;
    expect(await partner.advance("PT1M")).toMatchObject({ fired: expect.any(Number) });
    const next = await createSubscription(partner, { externalId: "next" });
    await partner.act("subscription.accept", { id: next["id"] });
    await partner.advance("PT1M");
    const [, last] = await partner.sandbox.deliveries();
    expect(last).toMatchObject({ status: "delivered" });
  },
);

test("a timer that fails stops its world, and no other world", async () => {
  let isBroken = true;
  await using partner = await openPartner({
    seed: 7,
    audit: ({ seed }, { cause }) => {
      if (isBroken && seed === 7 && cause.by === "timer") throw bug();
    },
  });
  const other = await partner.sandbox.fork({ seed: 8 });
  const inOther = { headers: { "x-sandbox-world": String(other["id"]) } };
  await createSubscription(partner);
  await partner.act("subscription.accept", {
    id: (await createSubscription(partner, { externalId: "b" }))["id"],
  });
  await partner.ask("POST", "/order/v1/banking/order-payouts", { body: payoutBody(), key: "p" });
  const failed = await partner.ask("POST", "/sandbox/clock/advance", { body: { by: "PT1M" } });
  const reason = expect.stringMatching(/^The world default stopped at .*a bug of ours.* POST .sandbox.reset/);
  expect([failed.status, failed.body["message"]]).toEqual([500, reason]);
  const calls = ["/order/v1/banking/accounts", `/order/v1/banking/accounts/${ACME_ACCOUNT}/balance`];
  for (const path of calls) expect((await partner.ask("GET", path)).body["message"]).toEqual(reason);
  const read = await partner.ask("GET", "/sandbox/timeline");
  expect([read.status, read.headers.get("x-sandbox-warning")]).toEqual([200, reason]);
  const health = await partner.ask("GET", "/sandbox/health", { token: null });
  expect(health.body).toEqual({ status: "ok", stoppedWorlds: [{ id: "default", reason }] });
  const advanced = await partner.ask("POST", "/sandbox/clock/advance", {
    body: { by: "PT1M" },
    token: null,
    ...inOther,
  });
  expect(advanced.status).toBe(200);
  isBroken = false;
  await partner.sandbox.reset();
  await partner.act("subscription.accept", { id: (await createSubscription(partner))["id"] });
  expect(await partner.webhooks()).toMatchObject([{ event: "SUBSCRIPTION.ACCEPTED" }]);
  expect((await partner.ask("GET", "/sandbox/health", { token: null })).body).toEqual({ status: "ok" });
});

test.each(["frozen", "running"] as const)(
  "on a %s clock, what waits for webhooks waits only for those of earlier commands",
  async (mode) => {
    await using partner = await openPartner({ mode });
    partner.receiver.hold();
    const accept = async (externalId: string): Promise<void> => {
      const { id } = await createSubscription(partner, { externalId });
      await partner.act("subscription.accept", { id });
    };
    await accept("before");
    const waiting = Promise.all([
      partner.ask("POST", "/sandbox/snapshots"),
      partner.ask("POST", "/sandbox/fork", { body: {} }),
      partner.sandbox.settled(),
    ]);
    await turns(5);
    await accept("after");
    await turns(5);
    expect(partner.receiver.received).toHaveLength(2);
    partner.receiver.reply(200);
    const [snapshot, fork] = await waiting;
    expect([snapshot.status, fork.status]).toEqual([201, 201]);
    partner.receiver.script([]);
  },
);
