import { afterEach, expect, test } from "vitest";

import { answering, isWhole, type Loopback, loopback } from "./loopback.ts";
import type { AttemptResult, WebhookRequest } from "../../../src/simulator/webhooks/attempt.ts";
import { Connections } from "../../../src/simulator/webhooks/kept-connections.ts";
import { createEgress } from "../../../src/simulator/webhooks/egress-guard.ts";
import { createSandbox } from "../../../src/index.ts";
import { networkTransport } from "../../../src/simulator/webhooks/transport.ts";
import { sendWebhook } from "../../../src/simulator/webhooks/wire.ts";

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n";
const KEPT = `${OK}keep-alive: timeout=5\r\n\r\nok`;

let kept = new Connections({ keepAlive: true });
afterEach(() => {
  kept.destroy();
  kept = new Connections({ keepAlive: true });
});

function post(url: string, asked: Partial<WebhookRequest> = {}): Promise<AttemptResult> {
  const request = { url, headers: { a: "b" }, body: Buffer.from("{}"), deadlineMs: 20_000, ...asked };
  return sendWebhook(request, createEgress(), kept);
}

/** A receiver that answers the first request of each connection, and does something else to the second one. */
function atSecond(second: Parameters<typeof loopback>[0]): Promise<Loopback> {
  return loopback((socket, received) => {
    const [, first = "", ...others] = received.split(/(?=POST )/u);
    if (others.length > 0 || received.indexOf("POST ", 1) > 0) second(socket, received);
    else if (isWhole(received) && first === "") socket.write(KEPT);
  });
}

test("attempts share a connection that the receiver keeps", async () => {
  await using receiver = await answering(KEPT);
  for (let attempts = 0; attempts < 3; attempts++)
    expect(await post(receiver.url)).toMatchObject({ status: 200, responseBody: "ok" });
  expect(receiver.seen).toHaveLength(1);
  expect((await receiver.first()).pieces.join("")).toContain("\r\nconnection: keep-alive\r\n");
});

test.each([
  ["says nothing of the time", `${OK}\r\nok`],
  ["keeps it for no longer than the margin", `${OK}keep-alive: timeout=1\r\n\r\nok`],
  ["closes it", `${OK}connection: close\r\nkeep-alive: timeout=5\r\n\r\nok`],
])("a connection is not kept if the receiver %s", async (_, answer) => {
  await using receiver = await answering(answer);
  for (let attempts = 0; attempts < 2; attempts++) expect((await post(receiver.url)).status).toBe(200);
  expect(receiver.seen).toHaveLength(2);
});

test("an attempt after the receiver has closed a kept connection opens a new one", async () => {
  await using receiver = await answering(KEPT);
  expect((await post(receiver.url)).status).toBe(200);
  const [{ socket }] = receiver.seen as [Loopback["seen"][number]];
  socket.destroy();
  expect(await post(receiver.url)).toMatchObject({ status: 200, error: null });
  expect(receiver.seen).toHaveLength(2);
});

test("a request that a receiver ends without an answer is a failed attempt, over a kept connection too", async () => {
  await using receiver = await atSecond((socket) => socket.destroy());
  expect((await post(receiver.url)).status).toBe(200);
  expect(await post(receiver.url)).toMatchObject({ status: null, error: "reset" });
  expect(receiver.seen).toHaveLength(1);
});

test("a request is not sent again once a byte of the answer has come", async () => {
  await using receiver = await atSecond((socket) => socket.end("H"));
  expect((await post(receiver.url)).status).toBe(200);
  expect(await post(receiver.url)).toMatchObject({ status: null, error: "reset" });
  expect(receiver.seen).toHaveLength(1);
});

test("a new connection that ends without an answer is a failed attempt", async () => {
  await using receiver = await loopback((socket) => socket.destroy());
  expect(await post(receiver.url)).toMatchObject({ status: null, error: "reset" });
  expect(receiver.seen).toHaveLength(1);
});

test("a kept connection that is silent until the deadline is a timeout, and is not used again", async () => {
  await using receiver = await atSecond(() => {});
  expect((await post(receiver.url)).status).toBe(200);
  expect(await post(receiver.url, { deadlineMs: 200 })).toMatchObject({ status: null, error: "timeout" });
  expect((await post(receiver.url)).status).toBe(200);
  expect(receiver.seen).toHaveLength(2);
});

test("an attempt that ends before its request is sent does not use a kept connection", async () => {
  await using receiver = await atSecond(() => {});
  expect((await post(receiver.url)).status).toBe(200);
  const ending = new AbortController();
  const second = post(receiver.url, { signal: ending.signal });
  ending.abort();
  expect(await second).toMatchObject({ status: null, error: "timeout" });
  expect((await receiver.first()).pieces.join("").match(/POST /gu)).toHaveLength(1);
});

test("bytes without a request close a kept connection", async () => {
  await using receiver = await answering(KEPT);
  await post(receiver.url);
  const { socket, closed } = await receiver.first();
  socket.write(KEPT);
  await closed;
  expect((await post(receiver.url)).status).toBe(200);
  expect(receiver.seen).toHaveLength(2);
});

test("a connection without a request is closed a second before the time that the receiver names", async () => {
  await using receiver = await answering(`${OK}keep-alive: timeout=2\r\n\r\nok`);
  await post(receiver.url);
  const { socket, closed } = await receiver.first();
  expect(socket.destroyed).toBe(false);
  expect(await closed).toBe("");
});

test("at most 32 connections to a receiver are kept", async () => {
  await using receiver = await answering(KEPT);
  await Promise.all(Array.from({ length: 35 }, () => post(receiver.url)));
  expect(receiver.seen).toHaveLength(35);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const countEnd = async (connection: Loopback["seen"][number]): Promise<void> => {
    await connection.closed;
    if (++count === 3) resolve();
  };
  for (const connection of receiver.seen) void countEnd(connection);
  await closed;
  await Promise.all(Array.from({ length: 32 }, () => post(receiver.url)));
  expect(receiver.seen).toHaveLength(35);
  expect(count).toBe(3);
});

test("an attempt with a fault of the wire has a connection of its own", async () => {
  await using receiver = await answering(KEPT);
  await post(receiver.url);
  expect((await post(receiver.url, { manner: { kind: "chunked" } })).status).toBe(200);
  expect(receiver.seen).toHaveLength(2);
  expect(receiver.seen[1]?.pieces.join("")).toContain("\r\nconnection: close\r\n");
});

test("modes of the egress guard do not share connections", async () => {
  await using receiver = await answering(KEPT);
  const transport = networkTransport(createEgress({ allowList: ["127.0.0.1"] }), { kept });
  const request = { url: receiver.url, headers: {}, body: Buffer.from("{}"), deadlineMs: 20_000 };
  await transport([{ ...request, egressMode: "local" }]);
  await transport([{ ...request, egressMode: "hosted" }]);
  await transport([{ ...request, egressMode: "local" }]);
  expect(receiver.seen).toHaveLength(2);
});

test("a sandbox that is closed closes its kept connections at once", async () => {
  await using receiver = await answering(`${OK}keep-alive: timeout=600\r\n\r\nok`);
  const sandbox = await createSandbox({ start: "2026-11-20T09:00:00-03:00", webhookUrl: receiver.url });
  await sandbox.fetch("/order/v1/banking/order-payouts", {
    method: "POST",
    headers: { authorization: "Bearer acme-token", "idempotency-key": "one" },
    body: JSON.stringify({
      accountId: "11111111-1111-4111-8111-111111111111",
      externalId: "one",
      paymentMethod: "PIX",
      paymentData: { pixKey: "ok@pix.example" },
      amount: { currency: "BRL", value: "1.00" },
      description: "one",
    }),
  });
  await sandbox.advance("P1D");
  const [delivery] = await sandbox.deliveries();
  expect(delivery?.status).toBe("delivered");
  const { socket, closed } = await receiver.first();
  expect(socket.destroyed).toBe(false);
  await sandbox.close();
  await closed;
});
