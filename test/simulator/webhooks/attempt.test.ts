import { gzipSync } from "node:zlib";

import { expect, onTestFinished, test, vi } from "vitest";

import type { AttemptResult, WebhookRequest } from "../../../src/simulator/webhooks/attempt.ts";
import { type Egress, createEgress } from "../../../src/simulator/webhooks/egress-guard.ts";
import { sendWebhook } from "../../../src/simulator/webhooks/wire.ts";
import { trustLocalhost } from "./localhost-certificate.ts";
import { answering, closedPort, loopback } from "./loopback.ts";

const BODY = Buffer.from('{"event":"ORDER-PAYOUT.PAID","name":"São"}');
const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
/** Long enough never to be reached in a test that does not wait for it. */
const AMPLE_MS = 20_000;
/** For tests that wait for the deadline without needing anything to happen before it. */
const BRIEF_MS = 60;
/** For tests that wait for the deadline and need a connection or an answer before it, on a busy machine too. */
const SHORT_MS = 600;

function post(
  url: string,
  asked: Partial<WebhookRequest> = {},
  egress: Partial<Egress> = {},
): Promise<AttemptResult> {
  const headers = { "Content-Type": "application/json", "X-Signature-SHA256": "sha256=00" };
  return sendWebhook({ url, headers, body: BODY, deadlineMs: AMPLE_MS, ...asked }, createEgress(egress));
}

test("the bytes on the wire are the request line, the given headers and the unchanged body", async () => {
  await using receiver = await answering(OK);
  await post(receiver.url);
  const { pieces } = await receiver.first();
  expect(pieces.join("")).toBe(
    [
      "POST /hook?a=1 HTTP/1.1",
      `host: 127.0.0.1:${receiver.port}`,
      "connection: close",
      "Content-Type: application/json",
      "X-Signature-SHA256: sha256=00",
      "accept-encoding: identity",
      `content-length: ${BODY.length}`,
      "",
      BODY.toString("latin1"),
    ].join("\r\n"),
  );
});

test("an empty body is sent with its length", async () => {
  await using receiver = await answering(OK);
  expect((await post(receiver.url, { body: new Uint8Array() })).status).toBe(200);
  expect((await receiver.first()).pieces.join("")).toContain("content-length: 0\r\n\r\n");
});

test("a header value keeps its Latin-1 bytes", async () => {
  await using receiver = await answering(OK);
  await post(receiver.url, { headers: { "X-Signature-SHA256": "sha256=\u00c3\u00a9" } });
  expect((await receiver.first()).pieces.join("")).toContain("X-Signature-SHA256: sha256=\u00c3\u00a9\r\n");
});

test.each([200, 201, 202, 204, 299])("status %i acknowledges", async (status) => {
  await using receiver = await answering(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`);
  expect(await post(receiver.url)).toMatchObject({
    status,
    error: null,
    message: `The receiver answered ${status}.`,
    responseTruncated: false,
  });
});

test.each([401, 403])("status %i names the usual cause, another secret", async (status) => {
  await using receiver = await answering(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`);
  expect((await post(receiver.url)).message).toBe(
    `Failed to deliver: the receiver answered ${status}. Give the receiver the webhook secret of the company, because another secret is the usual cause. Answer 2xx once the event is stored.`,
  );
});

test.each([400, 402, 404, 410, 429, 500, 503, 999])("status %i does not acknowledge", async (status) => {
  await using receiver = await answering(
    `HTTP/1.1 ${status} X\r\nRetry-After: 5\r\ncontent-length: 4\r\n\r\noops`,
  );
  expect(await post(receiver.url)).toMatchObject({
    status,
    error: "non-2xx",
    message: `Failed to deliver: the receiver answered ${status}. Answer 2xx once the event is stored.`,
    responseHeaders: { "retry-after": "5", "content-length": "4" },
    responseBody: "oops",
  });
});

test.each([300, 301, 302, 303, 307, 308])("status %i is a failure that is not followed", async (status) => {
  await using elsewhere = await answering(OK);
  await using receiver = await answering(
    `HTTP/1.1 ${status} X\r\nlocation: ${elsewhere.url}\r\ncontent-length: 0\r\n\r\n`,
  );
  const result = await post(receiver.url);
  expect(result).toMatchObject({ status, error: "redirect" });
  expect(result.message).toContain(`redirect to ${elsewhere.url}. Register the final URL`);
  expect(elsewhere.seen).toHaveLength(0);
});

test("an attempt ends as at its deadline when its signal aborts", async () => {
  const ending = new AbortController();
  await using receiver = await loopback(() => ending.abort());
  const result = await post(receiver.url, { signal: ending.signal });
  expect(result).toMatchObject({ status: null, error: "timeout" });
});

test("an acknowledgement with an endless body counts, and the connection is dropped at the deadline", async () => {
  await using receiver = await answering("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nso far");
  const result = await post(receiver.url, { deadlineMs: SHORT_MS });
  expect(result).toMatchObject({ status: 200, error: null, responseBody: "so far", responseTruncated: true });
  expect(result.message).toContain("the end of its body was not read");
  await (
    await receiver.first()
  ).closed;
});

test("a body past the limit is cut and its connection dropped without waiting for the deadline", async () => {
  await using receiver = await loopback((socket) => {
    const flood = (): void => {
      while (socket.writable && socket.write("x".repeat(65_536)));
    };
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    socket.on("drain", flood);
    flood();
  });
  const result = await post(receiver.url);
  expect(result).toMatchObject({ status: 200, error: null, responseTruncated: true });
  expect(result.responseBody).toHaveLength(65_536);
  await (
    await receiver.first()
  ).closed;
});

test.each([
  [65_536, false],
  [65_537, true],
])("a body is kept up to 64 KiB, inclusive: %i bytes", async (length, isCut) => {
  await using receiver = await answering(
    `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n${"x".repeat(length)}`,
  );
  const { responseBody, responseTruncated } = await post(receiver.url);
  expect(responseBody).toHaveLength(65_536);
  expect(responseTruncated).toBe(isCut);
});

test("a character that the limit splits is left out", async () => {
  const body = `${"x".repeat(65_535)}é`;
  await using receiver = await answering(
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: 65537\r\n\r\n${body}`),
  );
  expect((await post(receiver.url)).responseBody).toBe("x".repeat(65_535));
});

test.each([
  ["ends too early", "content-length: 1000\r\n\r\npart", true],
  ["has a broken chunk", "transfer-encoding: chunked\r\n\r\n4\r\npart\r\nnonsense\r\n", false],
])("an acknowledgement whose body %s counts", async (_, rest, end) => {
  await using receiver = await answering(`HTTP/1.1 200 OK\r\n${rest}`, { end });
  expect(await post(receiver.url)).toMatchObject({ status: 200, error: null, responseTruncated: true });
});

test("an acknowledgement whose connection is reset in the body counts", async () => {
  await using receiver = await loopback((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\npart", () => socket.resetAndDestroy());
  });
  const result = await post(receiver.url);
  expect(result).toMatchObject({ status: 200, error: null, responseTruncated: true });
});

test("an answer of 500 with a broken body is still a 500", async () => {
  await using receiver = await answering("HTTP/1.1 500 X\r\ncontent-length: 1000\r\n\r\npart", { end: true });
  expect(await post(receiver.url)).toMatchObject({ status: 500, error: "non-2xx", responseBody: "part" });
});

test.each([
  ["nothing", ""],
  ["half a status line", "HTTP/1.1 2"],
  ["a head without end", "HTTP/1.1 200 OK\r\nx-a: 1\r\n"],
  ["only an interim answer", "HTTP/1.1 100 Continue\r\n\r\n"],
])(
  "a receiver that sends %s is a timeout at the deadline, and the connection is dropped",
  async (_, bytes) => {
    await using receiver = await answering(bytes);
    expect(await post(receiver.url, { deadlineMs: SHORT_MS })).toMatchObject({
      status: null,
      error: "timeout",
      message: `Failed to deliver: no answer came within ${SHORT_MS} ms. Answer first and do the work afterwards.`,
    });
    await (
      await receiver.first()
    ).closed;
  },
);

test("a head that drips in cannot outlast the deadline", async () => {
  await using receiver = await loopback((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nx-drip: ");
    const drip = setInterval(() => socket.write("x"), 5);
    socket.once("close", () => clearInterval(drip));
  });
  const result = await post(receiver.url, { deadlineMs: BRIEF_MS });
  expect(result.error).toBe("timeout");
  expect(result.durationMs).toBeGreaterThanOrEqual(BRIEF_MS - 5);
  await (
    await receiver.first()
  ).closed;
});

test("a connection that the receiver closes or resets before its answer is a reset", async () => {
  await using closing = await answering("", { end: true });
  expect(await post(closing.url)).toMatchObject({ status: null, error: "reset" });
  await using resetting = await loopback((socket) => socket.resetAndDestroy());
  expect(await post(resetting.url)).toMatchObject({ status: null, error: "reset" });
});

test.each([
  ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
  ["a header value with a NUL", "HTTP/1.1 200 OK\r\nx-a: a\0b\r\ncontent-length: 0\r\n\r\n"],
  ["a header name with a blank", "HTTP/1.1 200 OK\r\nx a: b\r\ncontent-length: 0\r\n\r\n"],
  [
    "two framings at once",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n",
  ],
  ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
  ["headers without measure", `HTTP/1.1 200 OK\r\nx-a: ${"a".repeat(100_000)}\r\n\r\n`],
  ["an interim answer without an end", `HTTP/1.1 103 Early Hints\r\nlink: <${"x".repeat(20_000)}`],
  ["a status below 100", "HTTP/1.1 099 X\r\ncontent-length: 0\r\n\r\n"],
  ["a protocol switch", "HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"],
])("an answer with %s is a protocol error", async (_, answer) => {
  await using receiver = await answering(answer);
  const result = await post(receiver.url);
  expect(result).toMatchObject({ status: null, error: "protocol" });
  expect(result.message).toMatch(/^Failed to deliver: the exchange broke the rules of HTTP: .+\. Check/u);
});

test.each([
  ["100 Continue", "HTTP/1.1 100 Continue\r\n\r\n"],
  ["100 Continue twice, with headers", "HTTP/1.1 100 Continue\r\nx: 1\r\n\r\nHTTP/1.1 100 \r\n\r\n"],
  ["103 Early Hints", "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"],
  ["both", "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"],
])("interim answers before the answer are ignored: %s", async (_, interim) => {
  await using receiver = await answering(interim + OK);
  expect(await post(receiver.url)).toMatchObject({ status: 200, error: null, responseBody: "ok" });
});

test.each([
  ["17 of them", "HTTP/1.1 100 Continue\r\n\r\n".repeat(17) + OK],
  ["very long ones", `HTTP/1.1 103 Early Hints\r\nlink: <${"x".repeat(9_000)}>\r\n\r\n`.repeat(2) + OK],
])("interim answers without measure end the attempt: %s", async (_, interim) => {
  await using receiver = await answering(interim);
  expect(await post(receiver.url)).toMatchObject({
    status: null,
    error: "protocol",
    message:
      "Failed to deliver: the receiver sent more than 16 interim answers (1xx), or very long ones, and no final one. Answer with a final status, such as 200.",
  });
  await (
    await receiver.first()
  ).closed;
});

test("a receiver that floods interim answers does not hold up anything else", async () => {
  await using receiver = await loopback((socket) => {
    const flood = (): void => {
      while (!socket.destroyed && socket.write("HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000)));
    };
    socket.on("drain", flood);
    flood();
  });
  const result = await post(receiver.url, { deadlineMs: SHORT_MS });
  expect(result).toMatchObject({ error: "protocol" });
});

test("16 interim answers in single bytes are ignored", async () => {
  await using receiver = await loopback((socket) => {
    socket.setNoDelay(true);
    const bytes = [
      ...Buffer.from(
        `${"HTTP/1.1 100 Continue\r\n\r\n".repeat(16)}HTTP/1.1 201 OK\r\ncontent-length: 2\r\n\r\nok`,
      ),
    ];
    const next = (): void => {
      const byte = bytes.shift();
      if (byte !== undefined) socket.write(Buffer.of(byte), () => setImmediate(next));
    };
    next();
  });
  expect(await post(receiver.url)).toMatchObject({ status: 201, error: null, responseBody: "ok" });
});

test("an answer in HTTP/1.0 that ends with its connection is complete", async () => {
  await using receiver = await answering("HTTP/1.0 200 OK\r\n\r\nhello", { end: true });
  expect(await post(receiver.url)).toMatchObject({
    status: 200,
    responseBody: "hello",
    responseTruncated: false,
  });
});

test("a compressed answer is not decompressed", async () => {
  const bomb = gzipSync("x".repeat(1_000_000));
  const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`;
  await using receiver = await answering(Buffer.concat([Buffer.from(head), bomb]));
  const result = await post(receiver.url);
  expect(result).toMatchObject({ status: 200, responseHeaders: { "content-encoding": "gzip" } });
  expect(result.responseBody.length).toBeLessThan(2_000);
});

test("repeated headers are joined, and a header may be named like a prototype property", async () => {
  await using receiver = await answering(
    "HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\n__proto__: polluted\r\ncontent-length: 0\r\n\r\n",
  );
  const { responseHeaders } = await post(receiver.url);
  expect(responseHeaders["x-a"]).toBe("1, 2");
  expect(Object.entries(responseHeaders)).toContainEqual(["__proto__", "polluted"]);
  expect(Object.getPrototypeOf(responseHeaders)).toBe(Object.prototype);
});

test("a closed port is refused, with both loopback addresses tried for localhost", async () => {
  const port = await closedPort();
  expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({
    status: null,
    error: "refused",
    message:
      `Failed to deliver: 127.0.0.1:${port} refuses connections (ECONNREFUSED). ` +
      "Start the receiver, or correct the host and port in the webhook URL.",
  });
  const result = await post(`http://localhost:${port}/`);
  expect(result.error).toBe("refused");
  expect(result.message).toContain("tried 127.0.0.1 and ::1");
});

test("port 0 is refused, not replaced by the default of the scheme", async () => {
  expect((await post("http://127.0.0.1:0/")).message).toContain("127.0.0.1:0 refuses connections");
});

test.each(["127.0.0.1", "::1"])("localhost reaches a receiver that listens on %s alone", async (host) => {
  await using receiver = await answering(OK, { host });
  expect((await post(`http://localhost:${receiver.port}/`)).status).toBe(200);
  expect((await post(`http://hooks.localhost:${receiver.port}/`)).status).toBe(200);
  expect((await post(receiver.url)).status).toBe(200);
});

test("a name is resolved once, and the connection is made to the address that was checked", async () => {
  await using receiver = await answering(OK);
  const asked: string[] = [];
  const lookup = async (hostname: string): Promise<string[]> => {
    asked.push(hostname);
    return asked.length === 1 ? ["127.0.0.1"] : ["169.254.169.254"];
  };
  expect((await post(`http://partner.example:${receiver.port}/`, {}, { lookup })).status).toBe(200);
  expect(asked).toEqual(["partner.example"]);
  expect((await receiver.first()).pieces.join("")).toContain(`host: partner.example:${receiver.port}\r\n`);
});

test("a name that resolves to a refused address is blocked, without naming the address", async () => {
  const lookup = async (): Promise<string[]> => ["10.1.2.3"];
  const result = await post("https://partner.example/hook", {}, { mode: "hosted", lookup });
  expect(result).toMatchObject({ status: null, error: "egress-blocked" });
  expect(result.message).toContain("the egress guard refuses partner.example, because a private address");
  expect(result.message).not.toContain("10.1.2.3");
});

test("of the addresses of one name only those that are allowed are dialled", async () => {
  await using receiver = await answering(OK);
  const lookup = async (): Promise<string[]> => ["fe80::1", "169.254.169.254", "127.0.0.1"];
  expect((await post(`http://partner.example:${receiver.port}/`, {}, { lookup })).status).toBe(200);
});

test("in hosted mode a refused connection does not reveal what a name resolves to", async () => {
  const port = await closedPort();
  const lookup = async (): Promise<string[]> => ["127.0.0.1"];
  const egress = { mode: "hosted", allowList: ["127.0.0.0/8"], lookup } as const;
  const result = await post(`http://partner.example:${port}/`, {}, egress);
  expect(result.error).toBe("refused");
  expect(result.message).not.toContain("127.0.0.1");
});

test("a name that does not resolve is a dns error", async () => {
  const failing = async (): Promise<string[]> => {
    throw Object.assign(new Error("getaddrinfo ENOTFOUND partner.example"), { code: "ENOTFOUND" });
  };
  expect(await post("http://partner.example/", {}, { lookup: failing })).toMatchObject({
    status: null,
    error: "dns",
    message:
      "Failed to deliver: the name partner.example could not be resolved (ENOTFOUND). Check the host in the webhook URL.",
  });
  expect((await post("http://partner.example/", {}, { lookup: async () => [] })).error).toBe("dns");
});

test("a resolver that hangs is a timeout at the deadline", async () => {
  const lookup = (): Promise<string[]> => new Promise(() => {});
  const result = await post("http://partner.example/", { deadlineMs: BRIEF_MS }, { lookup });
  expect(result).toMatchObject({ status: null, error: "timeout" });
  expect(result.message).toContain("was not resolved in time");
});

test("the sandbox's own port is blocked under every name, and no connection is made", async () => {
  await using receiver = await answering(OK);
  const egress = { forbiddenPorts: new Set([receiver.port]), lookup: async () => ["127.0.0.1"] };
  for (const host of [
    "127.0.0.1",
    "localhost",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "2130706433",
    "partner.example",
  ]) {
    const result = await post(`http://${host}:${receiver.port}/sandbox/reset`, {}, egress);
    expect({ host, error: result.error }).toEqual({ host, error: "egress-blocked" });
  }
  expect(receiver.seen).toHaveLength(0);
});

test.each([
  "http://user:secret@127.0.0.1/",
  "ftp://127.0.0.1/",
  "nonsense",
  "http://169.254.169.254/latest/",
])("the URL %s is blocked", async (url) => {
  const result = await post(url);
  expect(result).toMatchObject({ status: null, error: "egress-blocked" });
  expect(result.message).not.toContain("secret");
});

test("a proxy in the environment is not used", async () => {
  await using receiver = await answering(OK);
  const port = await closedPort();
  for (const name of ["HTTP_PROXY", "http_proxy"]) vi.stubEnv(name, `http://127.0.0.1:${port}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect((await post(receiver.url)).status).toBe(200);
});

test("a request that cannot be written is reported as a result", async () => {
  await using receiver = await answering(OK);
  const unwritable: ReadonlyArray<Record<string, string>> = [
    { "x-a": "a\r\nx-b: b" },
    { "x-a": "☃" },
    { "x a": "b" },
    { "content-length": "7" },
    { "transfer-encoding": "chunked" },
  ];
  for (const headers of unwritable) expect((await post(receiver.url, { headers })).error).toBe("protocol");
});

test("a certificate that is trusted and names the host is accepted, others are tls errors", async () => {
  await using receiver = await answering(OK, { secure: true });
  const untrusted = await post(receiver.url);
  expect(untrusted).toMatchObject({ status: null, error: "tls" });
  expect(untrusted.message).toContain(
    "the certificate of localhost is signed by itself. Start the sandbox with NODE_EXTRA_CA_CERTS",
  );
  trustLocalhost();
  expect(await post(receiver.url)).toMatchObject({ status: 200, error: null, responseBody: "ok" });
  expect((await post(receiver.url.replace("localhost", "127.0.0.1"))).error).toBe("tls");
  const lookup = async (): Promise<string[]> => ["127.0.0.1"];
  const elsewhere = receiver.url.replace("localhost", "partner.example");
  expect((await post(elsewhere, {}, { lookup })).error).toBe("tls");
});

test("a TLS handshake that the receiver does not support, aborts or never answers fails", async () => {
  await using plain = await loopback((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  await using resetting = await loopback((socket) => socket.resetAndDestroy());
  await using silent = await loopback(() => {});
  const secure = (url: string): string => url.replace("http:", "https:");
  expect((await post(secure(plain.url))).error).toBe("tls");
  expect((await post(secure(resetting.url))).error).toBe("tls");
  expect((await post(secure(silent.url), { deadlineMs: BRIEF_MS })).error).toBe("timeout");
  await (
    await silent.first()
  ).closed;
});

test("each attempt has a connection of its own, also where the receiver would keep the first", async () => {
  const answer =
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: keep-alive\r\nkeep-alive: timeout=5\r\n\r\nok";
  await using receiver = await answering(answer);
  for (let attempts = 0; attempts < 2; attempts++) expect((await post(receiver.url)).status).toBe(200);
  expect(receiver.seen).toHaveLength(2);
});
