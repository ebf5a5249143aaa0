import { atFreePort } from "../../at-free-port.ts";
import { createHmac } from "node:crypto";
import { type IncomingHttpHeaders, type Server, type ServerResponse, createServer } from "node:http";
import { type Partner, createSubscription, createUntypedSandbox, openPartner } from "../../partner.ts";
import { expect, test } from "vitest";
import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";

interface Arrived {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A receiver of the test's own, on a real port of the loopback. */
async function openReceiver(answer: (response: ServerResponse, count: number) => void) {
  const arrived: Arrived[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      arrived.push({ headers: request.headers, body: Buffer.concat(chunks) });
      answer(response, arrived.length);
    });
  });
  const at = await atFreePort(server);
  return { ...at, url: `${at.url}/hooks`, arrived };
}

function acknowledge(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" }).end('{"returnCode":"OK"}');
}

async function attempts(partner: Pick<Partner, "sandbox">): Promise<SandboxObject[]> {
  await partner.sandbox.advance("PT0S");
  return (await partner.sandbox.deliveries())[0]?.["attempts"] as SandboxObject[];
}

test("a webhook is signed over the exact bytes that arrive, with the company's secret", async () => {
  await using receiver = await openReceiver(acknowledge);
  await using sandbox = await createUntypedSandbox({
    start: "2026-11-20T12:00:00Z",
    webhookUrl: receiver.url,
  });
  const partner = { sandbox };
  const response = await sandbox.fetch("/order/v1/banking/subscriptions", {
    method: "POST",
    headers: { authorization: "Bearer acme-token" },
    body: JSON.stringify({
      accountId: "11111111-1111-4111-8111-111111111111",
      type: "AUTHORIZATION_QRCODE",
      externalId: "signed",
      webhookUrl: "http://elsewhere.example/",
      frequencyType: "MONTHLY",
      startDate: "2026-11-20",
      debtor: { name: "João Açaí", document: { type: "CPF", number: "52998224725" } },
    }),
  });
  const { id } = (await response.json()) as { id: string };
  await sandbox.act("subscription.accept", { id });
  const [attempt] = await attempts(partner);
  const [arrived] = receiver.arrived;
  const digest = createHmac("sha256", "acme-webhook-secret")
    .update(arrived?.body ?? "")
    .digest("hex");
  expect(arrived?.headers["x-signature-sha256"]).toBe(`sha256=${digest}`);
  expect(arrived?.headers["content-type"]).toBe("application/json");
  expect(attempt).toMatchObject({
    number: 1,
    trigger: "scheduled",
    status: 200,
    error: null,
    requestBody: arrived?.body.toString("utf8"),
    responseBody: '{"returnCode":"OK"}',
    durationMs: expect.any(Number) as number,
    injected: [],
  });
});

test("after a failure there are four more attempts with growing intervals", async () => {
  await using partner = await openPartner();
  partner.receiver.script([500], { always: true });
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  await partner.advance("P30D");
  const [delivery] = await partner.sandbox.deliveries();
  expect(delivery).toMatchObject({ status: "undelivered", nextAttemptAt: null });
  expect((await attempts(partner)).map(({ at }) => at as string)).toEqual([
    "2026-11-20T12:00:00.000Z",
    "2026-11-20T12:01:00.000Z",
    "2026-11-20T12:06:00.000Z",
    "2026-11-20T12:36:00.000Z",
    "2026-11-20T14:36:00.000Z",
  ]);
  expect(new Set(partner.receiver.received.map(({ body }) => body)).size).toBe(1);
});

test("the intervals are those of the assumption", async () => {
  await using partner = await openPartner({
    assumptions: { "webhook.retry-intervals": ["PT1S", "PT2S", "PT3S", "PT4S"] },
  });
  partner.receiver.script([500], { always: true });
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  await partner.advance("PT10S");
  expect((await attempts(partner)).map(({ at }) => at as string)).toEqual([
    "2026-11-20T12:00:00.000Z",
    "2026-11-20T12:00:01.000Z",
    "2026-11-20T12:00:03.000Z",
    "2026-11-20T12:00:06.000Z",
    "2026-11-20T12:00:10.000Z",
  ]);
});

/** Retries of a running world once waited for the next request: an attempt that failed set no alarm. */
test("on a running clock a retry is sent without any request", async () => {
  const intervals = ["PT0.02S", "PT0.02S", "PT0.02S", "PT0.02S"];
  await using partner = await openPartner({
    mode: "running",
    assumptions: { "webhook.retry-intervals": intervals },
  });
  partner.receiver.script([500, 500]);
  const { id } = await createSubscription(partner, { startDate: "2027-01-01" });
  await partner.act("subscription.accept", { id });
  await expect.poll(() => partner.receiver.received.length).toBe(3);
});

test.each([201, 202, 204, 299])("any 2xx, such as %i, acknowledges", async (status) => {
  await using partner = await openPartner();
  partner.receiver.script([status]);
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  await partner.advance("P1D");
  expect((await partner.sandbox.deliveries())[0]).toMatchObject({
    status: "delivered",
    attempts: [{ status }],
  });
});

test("a redirect is a failure and is not followed", async () => {
  await using elsewhere = await openReceiver(acknowledge);
  await using receiver = await openReceiver((response) => {
    response.writeHead(307, { location: elsewhere.url }).end();
  });
  await using partner = await overTheWire(receiver.url);
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  const [attempt] = await attempts(partner);
  expect(attempt).toMatchObject({ status: 307, error: "redirect" });
  expect(elsewhere.arrived).toEqual([]);
});

test("a receiver that never answers does not delay the API, and fails at the deadline", async () => {
  await using receiver = await openReceiver(() => undefined);
  await using partner = await overTheWire(receiver.url, { "webhook.timeout": "PT0.05S" });
  const { id } = await createSubscription(partner);
  expect(await partner.act("subscription.accept", { id })).toMatchObject({ status: "ACCEPTED" });
  const [attempt] = await attempts(partner);
  expect(attempt).toMatchObject({ status: null, error: "timeout" });
});

test("a receiver that does not listen is a refused connection, retried like any failure", async () => {
  const gone = await openReceiver(acknowledge);
  await gone[Symbol.asyncDispose]();
  await using partner = await overTheWire(gone.url);
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  const [attempt] = await attempts(partner);
  expect(attempt).toMatchObject({ status: null, error: "refused" });
  expect((await partner.sandbox.deliveries())[0]).toMatchObject({
    status: "retrying",
    nextAttemptAt: "2026-11-20T12:01:00.000Z",
  });
});

test("events about one object arrive in order, while an earlier one is still under way", async () => {
  const held: ServerResponse[] = [];
  await using receiver = await openReceiver((response, count) => {
    if (count === 1) held.push(response);
    else acknowledge(response);
  });
  await using partner = await overTheWire(receiver.url);
  const first = await createSubscription(partner, { externalId: "a" });
  const second = await createSubscription(partner, { externalId: "b" });
  await partner.act("subscription.accept", { id: first["id"] });
  await partner.act("subscription.request-cancellation", { id: first["id"], reason: "FRAUD_SUSPICION" });
  await partner.act("subscription.accept", { id: second["id"] });
  while (receiver.arrived.length < 2) await new Promise((resolve) => setImmediate(resolve));
  const soFar = receiver.arrived.map(({ body }) => JSON.parse(body.toString()) as SandboxObject);
  expect(soFar.map((event) => (event["data"] as SandboxObject)["externalId"] as string)).toEqual(["a", "b"]);
  for (const response of held) acknowledge(response);
  await partner.sandbox.advance("PT0S");
  expect(receiver.arrived).toHaveLength(3);
});

test("a manual resend makes one attempt and no retries, and delivers when it succeeds", async () => {
  await using partner = await openPartner();
  partner.receiver.script([500, 500, 500, 500, 500, 500, 200]);
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  await partner.advance("P1D");
  const [{ id: deliveryId } = {}] = await partner.sandbox.deliveries();
  const path = `/sandbox/deliveries/${String(deliveryId)}/resend`;
  const failed = await partner.ask("POST", path);
  expect(failed.body).toMatchObject({ status: "undelivered", nextAttemptAt: null });
  expect((failed.body["attempts"] as SandboxObject[])[5]).toMatchObject({ trigger: "manual", status: 500 });
  const delivered = await partner.ask("POST", path);
  expect(delivered.body).toMatchObject({ status: "delivered" });
  await partner.advance("P1D");
  expect(await attempts(partner)).toHaveLength(7);
});

test("creation times of events are unique, also within one instant", async () => {
  await using partner = await openPartner();
  for (let count = 0; count < 5; count++) {
    const { id } = await createSubscription(partner, { externalId: `s-${count}` });
    await partner.act("subscription.accept", { id });
  }
  const times = (await partner.sandbox.deliveries()).map(({ createdAt }) => createdAt as string);
  expect(times).toEqual([
    "2026-11-20T12:00:00.000000Z",
    "2026-11-20T12:00:00.000001Z",
    "2026-11-20T12:00:00.000002Z",
    "2026-11-20T12:00:00.000003Z",
    "2026-11-20T12:00:00.000004Z",
  ]);
});

async function overTheWire(webhookUrl: string, assumptions = {}): Promise<Partner> {
  const { sendWebhook } = await import("../../../src/simulator/webhooks/wire.ts");
  const { createEgress } = await import("../../../src/simulator/webhooks/egress-guard.ts");
  const egress = createEgress();
  return openPartner({
    webhookUrl,
    assumptions,
    transport: (requests) => Promise.all(requests.map((request) => sendWebhook(request, egress))),
  });
}

test("in the year 2300 each event has its own time, so a cursor loses none", async () => {
  await using partner = await openPartner({ start: "2300-01-01T09:00:00-03:00" });
  partner.receiver.script([500], { always: true });
  for (let count = 0; count < 40; count++) {
    const { id } = await createSubscription(partner, { externalId: `s${count}`, startDate: "2300-02-01" });
    await partner.act("subscription.accept", { id });
  }
  await partner.advance("P3D");
  const seen: unknown[] = [];
  for (let cursor: unknown = "", page = 0; cursor !== null && page < 10; page++) {
    const query = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor as string)}`;
    const { body } = await partner.ask("GET", `/order/v1/webhook/events${query}`);
    seen.push(...(body["data"] as SandboxObject[]).map(({ createdAt }) => createdAt));
    cursor = body["hasNext"] === true ? body["nextCursor"] : null;
  }
  expect(new Set(seen).size).toBe(40);
});
