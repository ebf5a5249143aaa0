import { once } from "node:events";
import { type IncomingMessage, createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { AddressInfo } from "node:net";

import { expect, test } from "vitest";

import type { AttemptResult, WebhookRequest, WireManner } from "../../../src/simulator/webhooks/attempt.ts";
import { type Egress, createEgress } from "../../../src/simulator/webhooks/egress-guard.ts";
import { sendTogether, sendWebhook } from "../../../src/simulator/webhooks/wire.ts";
import { effectNames, effectOf } from "../../../src/simulator/platform/faults/effects.ts";
import { trustLocalhost } from "./localhost-certificate.ts";
import { answering, closedPort, isWhole, loopback } from "./loopback.ts";

const BODY = Buffer.from('{"event":"ORDER-PAYOUT.PAID","name":"São","amount":"10.50"}');
const HEADERS = { "Content-Type": "application/json", "X-Signature-SHA256": "sha256=00" };
const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const AMPLE_MS = 20_000;
/** For tests that wait for the deadline without needing anything to happen before it. */
const BRIEF_MS = 60;
/** For tests that wait for the deadline and need something to happen before it, on a busy machine too. */
const SHORT_MS = 600;
const BRISK = { pieces: 8, pauseMs: 4 };

/** Every manner, quick enough for a test. */
const MANNERS: readonly WireManner[] = [
  { kind: "refuse-connection" },
  { kind: "reset-on-connect" },
  { kind: "reset-after-request" },
  { kind: "ignore-answer" },
  { kind: "slow-headers", ...BRISK },
  { kind: "slow-body", ...BRISK },
  { kind: "truncate-then-close" },
  { kind: "truncate-then-reset" },
  { kind: "chunked" },
  { kind: "hold-last-byte", allButLastSent: () => {}, released: Promise.resolve() },
];

/** The manners that say all of an ordinary request, byte for byte. */
const WHOLE = new Set([
  "reset-after-request",
  "ignore-answer",
  "slow-headers",
  "slow-body",
  "hold-last-byte",
]);

function requestTo(url: string, asked: Partial<WebhookRequest> = {}): WebhookRequest {
  return { url, headers: HEADERS, body: BODY, deadlineMs: AMPLE_MS, ...asked };
}

function send(
  url: string,
  manner: WireManner,
  asked: Partial<WebhookRequest> = {},
  egress: Partial<Egress> = {},
): Promise<AttemptResult> {
  return sendWebhook(requestTo(url, { ...asked, manner }), createEgress(egress));
}

test("this test covers every manner", () => {
  expect(MANNERS.map(({ kind }) => kind).sort()).toEqual(
    ["hold-last-byte", ...effectNames().filter((name) => typeof effectOf(name).wire === "object")].sort(),
  );
});

test.each(MANNERS.filter(({ kind }) => WHOLE.has(kind)))(
  "$kind says the very bytes of an ordinary attempt",
  async (manner) => {
    await using receiver = await answering(OK);
    await sendWebhook(requestTo(receiver.url), createEgress());
    await send(receiver.url, manner, manner.kind === "ignore-answer" ? { deadlineMs: SHORT_MS } : {});
    const [ordinary, faulty] = receiver.seen;
    await faulty?.closed;
    expect(faulty?.pieces.join("")).toBe(ordinary?.pieces.join(""));
  },
);

test("a refused connection never reaches the receiver", async () => {
  await using receiver = await answering(OK);
  expect(await send(receiver.url, { kind: "refuse-connection" })).toMatchObject({
    status: null,
    error: "refused",
    message:
      "Failed to deliver: the connection was refused on purpose (fault refuse-connection). " +
      "Check that the receiver keeps running and handles the next attempt.",
  });
  expect(receiver.seen).toHaveLength(0);
});

test("a connection reset on connect transfers no byte and ends in an error", async () => {
  await using receiver = await answering(OK);
  expect(await send(receiver.url, { kind: "reset-on-connect" })).toMatchObject({
    status: null,
    error: "reset",
  });
  const { pieces, closed } = await receiver.first();
  expect(await closed).toBe("ECONNRESET");
  expect(pieces).toEqual([]);
});

test("a reset after the request loses the answer of the receiver", async () => {
  const { promise: answered, resolve } = Promise.withResolvers<string>();
  await using receiver = await loopback((socket, received) => {
    if (isWhole(received)) socket.write(OK, () => resolve(received));
  });
  const result = await send(receiver.url, { kind: "reset-after-request" });
  expect(result).toMatchObject({ status: null, error: "reset", responseBody: "" });
  expect(await answered).toContain(BODY.toString("latin1"));
  expect(await (await receiver.first()).closed).toBe("ECONNRESET");
});

test("a receiver that never answers is a timeout, not a lost answer", async () => {
  await using receiver = await answering("");
  const result = await send(receiver.url, { kind: "reset-after-request" }, { deadlineMs: BRIEF_MS });
  expect(result).toMatchObject({ status: null, error: "timeout" });
  await (
    await receiver.first()
  ).closed;
});

test("an ignored answer is a timeout that names the fault", async () => {
  await using receiver = await answering(OK);
  const result = await send(receiver.url, { kind: "ignore-answer" }, { deadlineMs: SHORT_MS });
  expect(result).toMatchObject({ status: null, error: "timeout" });
  expect(result.message).toContain("the answer was not read on purpose (fault ignore-answer)");
  await (
    await receiver.first()
  ).closed;
});

test("slow headers arrive in pieces, and the body right after them", async () => {
  await using receiver = await answering(OK);
  const result = await send(receiver.url, { kind: "slow-headers", ...BRISK });
  expect(result).toMatchObject({ status: 200, error: null, responseBody: "ok" });
  const { pieces } = await receiver.first();
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces[0]).not.toContain("\r\n\r\n");
});

test("a slow body lets a server begin before it is complete", async () => {
  const begun: boolean[] = [];
  await using server = await httpServer((request, finish) => {
    begun.push(request.complete);
    request.resume().on("end", () => finish(200));
  });
  expect(await send(server.url, { kind: "slow-body", ...BRISK })).toMatchObject({ status: 200, error: null });
  expect(begun).toEqual([false]);
});

test("an answer in the middle of a slow body counts, and the rest is not sent", async () => {
  await using receiver = await loopback((socket, received) => {
    if (received.endsWith("\r\n\r\n{"))
      socket.end("HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n");
  });
  const manner = { kind: "slow-body", pieces: BODY.length, pauseMs: 10_000 } as const;
  expect(await send(receiver.url, manner)).toMatchObject({ status: 408, error: "non-2xx" });
  const { pieces, closed } = await receiver.first();
  await closed;
  expect(pieces.join("").endsWith("\r\n\r\n{")).toBe(true);
});

test.each(["slow-body", "slow-headers"] as const)("%s ends at the deadline and closes", async (kind) => {
  await using receiver = await answering(OK);
  const result = await send(receiver.url, { kind, pieces: 20, pauseMs: 10_000 }, { deadlineMs: BRIEF_MS });
  expect(result).toMatchObject({ status: null, error: "timeout" });
  await (
    await receiver.first()
  ).closed;
});

test("a body truncated and closed announces its full length, sends half, and receives the answer", async () => {
  await using receiver = await loopback((socket, received) => {
    if (received.includes("\r\n\r\n")) socket.once("end", () => socket.end("HTTP/1.1 400 X\r\n\r\n"));
  });
  const result = await send(receiver.url, { kind: "truncate-then-close" });
  expect(result).toMatchObject({ status: 400, error: "non-2xx" });
  const { pieces, closed } = await receiver.first();
  expect(await closed).toBe("");
  const [head, body] = pieces.join("").split("\r\n\r\n");
  expect(head).toContain(`content-length: ${BODY.length}`);
  expect(body).toBe(BODY.toString("latin1").slice(0, Math.floor(BODY.length / 2)));
});

test("a receiver that closes on a truncated body without an answer is a reset", async () => {
  await using receiver = await loopback((socket) => socket.once("end", () => socket.end()));
  expect(await send(receiver.url, { kind: "truncate-then-close" })).toMatchObject({
    status: null,
    error: "reset",
  });
});

test("a body truncated and reset ends in an error after the bytes that were sent", async () => {
  await using receiver = await loopback(() => {});
  const result = await send(receiver.url, { kind: "truncate-then-reset", sentBytes: 7 });
  expect(result).toMatchObject({ status: null, error: "reset" });
  const { pieces, closed } = await receiver.first();
  expect(await closed).toBe("ECONNRESET");
  const [head, body] = pieces.join("").split("\r\n\r\n");
  expect(head).toContain(`content-length: ${BODY.length}`);
  expect(body).toBe(BODY.toString("latin1").slice(0, 7));
});

test.each(["truncate-then-close", "truncate-then-reset"] as const)(
  "%s is an aborted request to a server",
  async (kind) => {
    const { promise: aborted, resolve } = Promise.withResolvers<boolean>();
    await using server = await httpServer((request) => {
      request.resume().on("error", () => {});
      request.on("close", () => resolve(!request.complete));
    });
    await send(server.url, { kind });
    expect(await aborted).toBe(true);
  },
);

test.each([
  ["a body of one byte", "x", 100, ""],
  ["an empty body", "", 0, ""],
  ["more bytes than there are", "xyz", 100, "xy"],
])("truncating %s always leaves something out", async (_, body, sentBytes, sent) => {
  await using receiver = await loopback(() => {});
  await send(receiver.url, { kind: "truncate-then-reset", sentBytes }, { body: Buffer.from(body) });
  const { pieces, closed } = await receiver.first();
  await closed;
  const [head, came] = pieces.join("").split("\r\n\r\n");
  expect(came).toBe(sent);
  expect(head).toContain(`content-length: ${sent.length + 1}`);
});

test.each([BODY, Buffer.alloc(100_000, "y"), Buffer.from("x"), new Uint8Array()])(
  "a chunked body has no length and arrives completely",
  async (body) => {
    const { promise, resolve } = Promise.withResolvers<{
      headers: IncomingMessage["headers"];
      body: Buffer;
    }>();
    await using server = await httpServer((request, finish) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        resolve({ headers: request.headers, body: Buffer.concat(chunks) });
        finish(200);
      });
    });
    expect(await send(server.url, { kind: "chunked" }, { body })).toMatchObject({ status: 200, error: null });
    const came = await promise;
    expect(came.headers["transfer-encoding"]).toBe("chunked");
    expect(came.headers["content-length"]).toBeUndefined();
    expect(Buffer.compare(came.body, body)).toBe(0);
  },
);

test("a held request is complete except for its last byte until it is released", async () => {
  const { promise: almost, resolve: almostThere } = Promise.withResolvers<void>();
  await using receiver = await loopback((socket, received) => {
    if (isWhole(received)) socket.write(OK);
    else if (isWhole(`${received}}`)) almostThere();
  });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: holding, resolve: allButLastSent } = Promise.withResolvers<void>();
  const result = send(receiver.url, { kind: "hold-last-byte", allButLastSent, released });
  await Promise.all([almost, holding]);
  release();
  expect((await result).status).toBe(200);
  expect((await receiver.first()).pieces.at(-1)).toBe("}");
});

test("requests sent together use separate connections, and none is whole before all are open", async () => {
  const openAtFirst: number[] = [];
  await using receiver = await loopback((socket, received) => {
    if (!isWhole(received)) return;
    // A connection that was opened before these bytes came may be accepted after them, in the same turn.
    setImmediate(() => {
      openAtFirst.push(receiver.seen.length);
      socket.write(OK);
    });
  });
  const request = requestTo(receiver.url);
  const last = requestTo(`http://receiver.example:${receiver.port}/`);
  // Its name is known long after the others have sent what they may.
  const lookup = async (): Promise<string[]> => {
    await pause(2 * BRIEF_MS);
    return ["127.0.0.1"];
  };
  const results = await sendTogether([request, request, request, last], createEgress({ lookup }));
  expect(results.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(openAtFirst).toEqual([4, 4, 4, 4]);
});

test("a request that cannot connect does not delay the others", async () => {
  await using receiver = await answering(OK);
  const requests = [receiver.url, `http://127.0.0.1:${await closedPort()}/`, receiver.url].map((url) =>
    requestTo(url),
  );
  const results = await sendTogether(requests, createEgress());
  expect(results.map(({ status, error }) => status ?? error)).toEqual([200, "refused", 200]);
  expect(await sendTogether([], createEgress())).toEqual([]);
});

test.each(MANNERS)("$kind stays behind the guard", async (manner) => {
  await using receiver = await answering(OK);
  const own = { forbiddenPorts: new Set([receiver.port]) };
  for (const url of [
    receiver.url,
    "http://169.254.169.254/",
    "file:///etc/passwd",
    "http://a:b@127.0.0.1/",
  ]) {
    expect({ url, error: (await send(url, manner, {}, own)).error }).toEqual({
      url,
      error: "egress-blocked",
    });
  }
  expect(receiver.seen).toHaveLength(0);
});

test.each(MANNERS.filter(({ kind }) => kind !== "refuse-connection"))(
  "$kind checks what a name leads to",
  async (manner) => {
    const lookup = async (): Promise<string[]> => ["169.254.169.254"];
    expect((await send("http://partner.example/", manner, {}, { lookup })).error).toBe("egress-blocked");
  },
);

test.each(MANNERS)("$kind never rejects, whatever the other side does", async (manner) => {
  const asked = { deadlineMs: BRIEF_MS };
  await using resetting = await loopback((socket) => socket.resetAndDestroy());
  await using closing = await loopback((socket) => socket.end());
  await using silent = await loopback(() => {});
  await using garbage = await answering("SSH-2.0-OpenSSH_9.6\r\n");
  await using switching = await answering("HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n");
  const urls = [resetting.url, closing.url, silent.url, garbage.url, switching.url];
  for (const url of [...urls, `http://127.0.0.1:${await closedPort()}/`]) {
    const result = await send(url, manner, asked);
    expect(result.status).toBeNull();
    expect(["refused", "reset", "timeout", "protocol"]).toContain(result.error);
  }
});

test.each([
  ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n", "protocol"],
  ["a protocol switch", "HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", "protocol"],
])("an answer of %s to a faulty request is a protocol error", async (_, answer, error) => {
  await using receiver = await answering(answer);
  expect((await send(receiver.url, { kind: "chunked" })).error).toBe(error);
});

test("interim answers are ignored, and an acknowledgement with an endless body counts", async () => {
  const interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n";
  await using receiver = await answering(`${interim}HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nso far`);
  const result = await send(receiver.url, { kind: "chunked" }, { deadlineMs: SHORT_MS });
  expect(result).toMatchObject({ status: 200, error: null, responseBody: "so far", responseTruncated: true });
  await (
    await receiver.first()
  ).closed;
});

test("interim answers without measure end a faulty attempt", async () => {
  await using receiver = await answering("HTTP/1.1 102 Processing\r\n\r\n".repeat(17) + OK);
  const result = await send(receiver.url, { kind: "chunked" });
  expect(result).toMatchObject({ status: null, error: "protocol" });
  expect(result.message).toContain("more than 16 interim answers");
});

test.each([
  ["reset-after-request", "reset", "ECONNRESET"],
  ["ignore-answer", "timeout", ""],
  ["slow-headers", 200, ""],
  ["slow-body", 200, ""],
  ["truncate-then-close", "reset", ""],
  ["chunked", 200, ""],
  ["hold-last-byte", 200, ""],
])("%s works over TLS: %s for the sender, %j for the receiver", async (kind, outcome, end) => {
  await using receiver = await answering(OK, { secure: true });
  const manner = MANNERS.find((manner) => manner.kind === kind) ?? { kind: "refuse-connection" };
  trustLocalhost();
  const result = await send(receiver.url, manner, outcome === "timeout" ? { deadlineMs: SHORT_MS } : {});
  expect(result.status ?? result.error).toBe(outcome);
  const { pieces, closed } = await receiver.first();
  expect(await closed).toBe(end);
  expect(pieces.join("")).toContain("POST /hook?a=1 HTTP/1.1\r\nhost: localhost:");
});

test("a reset on connect comes before TLS", async () => {
  await using receiver = await answering(OK, { secure: true });
  expect((await send(receiver.url, { kind: "reset-on-connect" })).error).toBe("reset");
  expect(receiver.seen).toHaveLength(0);
});

test("a header with a line break is not sent", async () => {
  await using receiver = await answering(OK);
  const headers = { "x-a": "a\r\nx-b: b" };
  for (const manner of MANNERS.filter(({ kind }) => kind !== "refuse-connection")) {
    expect((await send(receiver.url, manner, { headers })).error).toBe("protocol");
  }
  expect(receiver.seen).toHaveLength(0);
});

/** A server such as partners write, whose handler answers by calling `finish`. */
async function httpServer(
  handler: (request: IncomingMessage, finish: (status: number) => void) => void,
): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((request, response) => {
    handler(request, (status) => response.writeHead(status).end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}
