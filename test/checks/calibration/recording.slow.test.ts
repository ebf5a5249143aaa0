import type { HarEntry } from "../../../src/traffic/har.ts";
import { afterEach, expect, test, vi } from "vitest";
import { buffer } from "node:stream/consumers";
import { type IncomingMessage, type ServerResponse, createServer, request } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import { createGzip, gzipSync } from "node:zlib";
import { join } from "node:path";
import { mkdtempSync, readFileSync } from "node:fs";
import { once } from "node:events";
import {
  type Recording,
  type RecordingOptions,
  openRecording,
} from "../../../src/checks/calibration/recording.ts";
import { signatureOf } from "../../../src/simulator/api/signature.ts";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { traced } from "../../tracer.ts";

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

type Listener = (incoming: IncomingMessage, response: ServerResponse) => unknown;

async function serve(listener: Listener): Promise<string> {
  const server = createServer((incoming, response) => void listener(incoming, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

const folder = mkdtempSync(join(tmpdir(), "sandbank-record-"));

async function recording(
  options: Partial<RecordingOptions> & { upstream: string },
): Promise<Recording & { out: string }> {
  const out = join(folder, `${crypto.randomUUID()}.har`);
  const opened = await openRecording({
    port: 0,
    webhooksTo: undefined,
    webhookPort: 0,
    out,
    isRedacted: true,
    secrets: [],
    version: "1",
    onWriteFailure: (error) => expect.unreachable(error.message),
    ...options,
  });
  closers.push(() => opened.close());
  return Object.assign(opened, { out });
}

/** The entries of a file once they are all there. */
function entriesIn({ out }: { readonly out: string }, expected: number): Promise<HarEntry[]> {
  const read = (): HarEntry[] => {
    const { log } = JSON.parse(readFileSync(out, "utf8")) as { log: { entries: HarEntry[] } };
    expect(log.entries).toHaveLength(expected);
    return log.entries;
  };
  return vi.waitFor(read, { timeout: 20_000 });
}

test("the names of headers are passed on if a tracer copies them", async () => {
  const upstream = await serve((incoming, response) => {
    response.setHeader("X-Seen", incoming.headers["x-one"] ?? "").end();
  });
  const { url } = await recording({ upstream });
  using _tracer = traced();
  const answer = await fetch(url, { headers: { "X-One": "1" } });
  expect(answer.headers.get("x-seen")).toBe("1");
});

test("bytes go through unchanged in both directions, and so do headers and errors", async () => {
  const seen: { request: IncomingMessage; body: Buffer }[] = [];
  const zipped = gzipSync('{"error":"NOT_FOUND","message":"Resource not found","details":[]}');
  const upstream = await serve(async (incoming, response) => {
    seen.push({ request: incoming, body: await buffer(incoming) });
    response.writeHead(404, {
      "Content-Encoding": "gzip",
      "X-Twice": ["a", "b"],
      Date: "Fri, 20 Nov 2026 12:00:00 GMT",
    });
    response.end(zipped);
  });
  const opened = await recording({ upstream: `${upstream}/base` });
  const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
  const sent = request(`${opened.url}/order/v1/x?email=ana%40example.com`, {
    method: "POST",
    headers: { "X-Mixed-Case": "One", "content-length": body.length },
  });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  expect(answer.statusCode).toBe(404);
  expect(answer.headers).toMatchObject({ "x-twice": "a, b", date: "Fri, 20 Nov 2026 12:00:00 GMT" });
  expect(await buffer(answer)).toEqual(zipped);
  expect(seen[0]?.request.url).toBe("/base/order/v1/x?email=ana%40example.com");
  expect(seen[0]?.request.rawHeaders).toContain("X-Mixed-Case");
  expect(seen[0]?.request.headers.host).toBe(new URL(upstream).host);
  expect(seen[0]?.body).toEqual(body);
  const [entry] = await entriesIn(opened, 1);
  expect(entry?.response.status).toBe(404);
  expect(JSON.parse(entry?.response.content.text ?? "")).toMatchObject({ error: "NOT_FOUND" });
  expect(entry?.request.url).toMatch(
    /^http:\/\/127.0.0.1:\d+\/base\/order\/v1\/x\?email=[a-z]{3}%40[a-z]{7}\.com$/,
  );
  expect(entry?.request.url).not.toContain("ana%40");
});

test("an answer that comes in parts arrives in parts", async () => {
  let finish = (): void => undefined;
  const upstream = await serve((_incoming, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n");
    finish = () => response.end("data: 2\n\n");
  });
  const opened = await recording({ upstream });
  const sent = request(`${opened.url}/stream`).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const [first] = (await once(answer, "data")) as [Buffer];
  expect(String(first)).toBe("data: 1\n\n");
  finish();
  expect(String(await buffer(answer))).toBe("data: 2\n\n");
  const [entry] = await entriesIn(opened, 1);
  expect(entry?.response.content.text).toBe("data: 1\n\ndata: 2\n\n");
});

test("an upstream that cannot be reached is a 502 with a sentence, and an entry", async () => {
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as { port: number };
  closed.close();
  await once(closed, "close");
  const opened = await recording({ upstream: `http://127.0.0.1:${port}` });
  const answer = await fetch(`${opened.url}/order/v1/banking/accounts`);
  expect(answer.status).toBe(502);
  const { message } = (await answer.json()) as { message: string };
  expect(message).toBe(
    `Failed to reach http://127.0.0.1:${port}: ECONNREFUSED. Check the address, and that the server runs.`,
  );
  const [entry] = await entriesIn(opened, 1);
  expect(entry?._error).toBe(message);
});

/** Sends the bytes of a request. Returns the bytes of the answer. */
async function answerTo(url: string, raw: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(raw, "latin1");
  return String(await buffer(socket));
}

test("a client that takes the recorder for an HTTP proxy, or asks about the server, gets its answer", async () => {
  const upstream = await serve(({ method, url }, response) => response.end(`${method} ${url}`));
  const opened = await recording({ upstream, webhooksTo: upstream });
  const head = "Host: api.example\r\nConnection: close\r\n\r\n";
  const absolute = `GET http://api.example/order/v1/x?a=1 HTTP/1.1\r\n${head}`;
  expect(await answerTo(opened.url, absolute)).toMatch(/GET \/order\/v1\/x\?a=1$/);
  expect(await answerTo(opened.url, `OPTIONS * HTTP/1.1\r\n${head}`)).toMatch(/OPTIONS \*$/);
  expect(await answerTo(opened.url, `GET /a%zz\\b|c"<> HTTP/1.1\r\n${head}`)).toContain('GET /a%zz\\b|c"<>');
  expect(await answerTo(opened.webhookUrl ?? "", absolute)).toMatch(/GET \/order\/v1\/x\?a=1$/);
  const odd = "POST /hook HTTP/1.1\r\nHost: a b:c\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  expect(await answerTo(opened.webhookUrl ?? "", odd)).toMatch(/POST \/hook$/);
  const urls = (await entriesIn(opened, 5)).map(({ request: { url } }) => url);
  expect(urls).toEqual([
    `${upstream}/order/v1/x?a=1`,
    `${upstream}/*`,
    `${upstream}/a%zz\\b|c"<>`,
    "http://api.example/order/v1/x?a=1",
    `${upstream}/hook`,
  ]);
});

test.each([
  ["a status below 100", "HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n"],
  ["a control character in its reason", "HTTP/1.1 200 \u0001bad\r\nContent-Length: 0\r\n\r\n"],
  [
    "a switch of protocols",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello",
  ],
  ["no HTTP", "hello\r\n\r\n"],
])("an upstream that answers with %s is a 502 with a sentence, and an entry", async (_, bytes) => {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined).on("data", () => socket.write(bytes, "latin1"));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  closers.push(async () => void server.close());
  const { port } = server.address() as { port: number };
  const opened = await recording({ upstream: `http://127.0.0.1:${port}` });
  const answer = await fetch(`${opened.url}/x`);
  expect(answer.status).toBe(502);
  const { message } = (await answer.json()) as { message: string };
  expect(message).toContain(`http://127.0.0.1:${port}`);
  expect((await entriesIn(opened, 1))[0]?._error).toBe(message);
  expect((await fetch(`${opened.url}/x`)).status).toBe(502);
});

test("an answer of many compressed megabytes is passed on whole, and recorded up to its limit", async () => {
  const zeros = Buffer.alloc(1 << 20, 32);
  const zip = createGzip({ level: 9 });
  const zipped = buffer(zip);
  for (let count = 0; count < 256; count++) if (!zip.write(zeros)) await once(zip, "drain");
  zip.end();
  const body = await zipped;
  const upstream = await serve((_incoming, response) =>
    response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(body),
  );
  const opened = await recording({ upstream });
  const sent = request(`${opened.url}/x`).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  expect((await buffer(answer)).length).toBe(body.length);
  const [entry] = await entriesIn(opened, 1);
  expect(entry?.response.content.text).toHaveLength(16 * 1024 * 1024);
  expect(entry?._error).toContain("The rest is not recorded.");
});

test("a webhook reaches the receiver with the signature right, and is recorded with a note that it was", async () => {
  const received: { url: string | undefined; isSigned: boolean }[] = [];
  const receiver = await serve(async (incoming, response) => {
    const body = await buffer(incoming);
    received.push({
      url: incoming.url,
      isSigned: incoming.headers["x-signature-sha256"] === signatureOf("s3cret-of-acme", body),
    });
    response.writeHead(200, { "content-type": "application/json" }).end('{"returnCode":"OK"}');
  });
  const upstream = await serve((_incoming, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"id":"1","url":null,"secret":"s3cret-of-acme"}');
  });
  const opened = await recording({ upstream, webhooksTo: receiver });
  await (await fetch(`${opened.url}/order/v1/webhook`)).text();
  const body =
    '{"event":"ORDER-PAYOUT.PAID","receiver":{"name":"Maria Souza","document":{"type":"CPF","number":"52998224725"}}}';
  const post = (signature: string) =>
    fetch(`${opened.webhookUrl}/hooks/payouts`, {
      method: "POST",
      body,
      headers: { "x-signature-sha256": signature },
    });
  await (await post(signatureOf("s3cret-of-acme", Buffer.from(body)))).text();
  await (await post(signatureOf("another", Buffer.from(body)))).text();
  expect(received).toEqual([
    { url: "/hooks/payouts", isSigned: true },
    { url: "/hooks/payouts", isSigned: false },
  ]);
  const [configuration, first, second] = await entriesIn(opened, 3);
  expect(first?._direction).toBe("webhook");
  const { secret } = JSON.parse(configuration?.response.content.text ?? "") as { secret: string };
  expect(secret).toMatch(/^[a-z]\d[a-z]{4}-[a-z]{2}-[a-z]{4}$/);
  expect(first?._signature).toEqual({ fits: true, secret });
  expect(second?._signature).toEqual({ fits: false });
  expect(first?.request.postData?.text).not.toContain("Maria");
  expect(first?.request.postData?.text).not.toContain("52998224725");
});

test("a webhook goes to the path of the receiver's URL where it has one", async () => {
  const paths: (string | undefined)[] = [];
  const receiver = await serve((incoming, response) => {
    paths.push(incoming.url);
    response.end();
  });
  const opened = await recording({ upstream: receiver, webhooksTo: `${receiver}/webhooks` });
  await (await fetch(`${opened.webhookUrl}/anything`, { method: "POST", body: "{}" })).text();
  expect(paths).toEqual(["/webhooks"]);
});

test("a platform that gives up waiting for the receiver is recorded with the time it waited", async () => {
  const receiver = await serve(() => undefined);
  const opened = await recording({ upstream: receiver, webhooksTo: receiver });
  const controller = new AbortController();
  const post = fetch(`${opened.webhookUrl}/`, { method: "POST", body: "{}", signal: controller.signal });
  setTimeout(() => controller.abort(), 150);
  await expect(post).rejects.toThrow("aborted");
  const [entry] = await entriesIn(opened, 1);
  expect(entry?.response.status).toBe(0);
  expect(entry?._error).toBe("The caller closed the connection before the answer was complete.");
  expect(entry?.time).toBeGreaterThan(100);
});

test("a recorder that is killed leaves a file that is whole", async () => {
  const upstream = await serve((_incoming, response) => response.end('{"ok":true}'));
  const out = join(folder, "killed", "session.har");
  const child = spawn(
    process.execPath,
    [
      "src/cli/main.ts",
      "record",
      "--upstream",
      upstream,
      "--webhooks-to",
      upstream,
      "--port",
      "0",
      "--webhook-port",
      "0",
      "--out",
      out,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const [, url] =
    /^sandbank recording on (http:\/\/127\.0\.0\.1:\d+), webhooks on http:\/\/127\.0\.0\.1:\d+\n$/.exec(
      String(line),
    ) ?? [];
  expect(url).toBeDefined();
  for (const number of [1, 2, 3]) await (await fetch(`${url}/call/${number}`)).text();
  await entriesIn({ out }, 3);
  child.kill("SIGKILL");
  await once(child, "close");
  const entries = await entriesIn({ out }, 3);
  expect(entries.map((entry) => new URL(entry.request.url).pathname)).toEqual([
    "/call/1",
    "/call/2",
    "/call/3",
  ]);
});

test("a time that is measured while the process is busy has a note of its delay", async () => {
  const upstream = await serve((_incoming, response) => {
    const until = performance.now() + 300;
    while (performance.now() < until);
    response.end();
  });
  const opened = await recording({ upstream });
  await (await fetch(opened.url)).text();
  const [{ time, _lateMs: lateMs }] = (await entriesIn(opened, 1)) as [HarEntry];
  expect(lateMs).toBeGreaterThan(200);
  expect(lateMs).toBeLessThan(time);
});
