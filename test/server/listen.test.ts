import { connect, Server } from "node:net";
import { createSandbox } from "../../src/library/sandbox.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { type ListenLimits, listen } from "../../src/server/listen.ts";
import { acceptRequests } from "../../src/server/inbound-requests.ts";
import type { Handler, ReceivedRequest, RequestHandler } from "../../src/server/environment.ts";
import { Router } from "../../src/server/router.ts";
import { once } from "node:events";
import { SILENCE } from "../../src/base/log.ts";
import { text } from "node:stream/consumers";

const LIMITS: ListenLimits = {
  connectionsMax: 3,
  headerBytesMax: 2_048,
  headTimeoutMs: 200,
  requestTimeoutMs: 400,
  idleTimeoutMs: 600,
  keepAliveTimeoutMs: 1_000,
  shutdownTimeoutMs: 100,
};

async function opened(answer: Parameters<typeof listen>[0], limits: Partial<ListenLimits> = {}) {
  const server = await listen(answer, { port: 0, host: "127.0.0.1" }, { ...LIMITS, ...limits });
  onTestFinished(() => server.close());
  return server;
}

const ok = (): Response => new Response("ok");

/** Answers at most so many requests at a time. */
function accepting(inFlightMax: number, answer: Handler<ReceivedRequest>): RequestHandler {
  const accepted = acceptRequests({ now: 0 }, new Router(), inFlightMax)(answer);
  return (request, env) => accepted(request, { ...env, log: SILENCE });
}

/** Sends bytes unchanged, and returns all that is received until the server closes the connection. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write(bytes);
  return text(socket);
}

test("headers that are too large are answered with 431 and a sentence", async () => {
  const { port } = await opened(ok);
  const answer = await raw(port, `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${"x".repeat(4_000)}\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  expect(answer).toContain('"message":"The headers are too large.');
});

test("a request that is not HTTP is answered with 400 and a sentence", async () => {
  const { port } = await opened(ok);
  expect(await raw(port, "HELLO\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 [\s\S]*"error":"INVALID_REQUEST"/);
});

test.each([
  ["a missing Host", "GET / HTTP/1.1\r\n\r\n", 400, "The header Host is missing."],
  ["a Host that is no host", "GET / HTTP/1.1\r\nhost: a b\r\n\r\n", 400, "The request is not valid:"],
  [
    "a Host of which no URL can be made",
    "GET / HTTP/1.1\r\nhost: 999.1.1.1\r\n\r\n",
    400,
    "Invalid host header",
  ],
  ["a Host with a path", "GET / HTTP/1.1\r\nhost: x/y\r\n\r\n", 400, "Invalid host header"],
  ["a path with a backslash", "GET /a\\b HTTP/1.1\r\nhost: x:1\r\n\r\n", 400, "Backslash in request path"],
  ["an unknown Expect", "GET / HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n\r\n", 417, 'found \\"tea\\"'],
])("%s is refused with a body in JSON", async (_, bytes, status, words) => {
  const { port } = await opened(ok, { keepAliveTimeoutMs: 50 });
  const [head = "", body = ""] = (await raw(port, bytes)).split("\r\n\r\n");
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head.toLowerCase()).toContain("content-type: application/json");
  expect(body).toContain(words);
  expect(JSON.parse(body)).toEqual({ error: "INVALID_REQUEST", message: expect.any(String), details: [] });
});

test("Expect: 100-continue and a request of HTTP/1.0 without Host are answered", async () => {
  const { port } = await opened(ok, { keepAliveTimeoutMs: 50 });
  const expecting = await raw(port, "GET / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n\r\n");
  expect(expecting).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  expect(await raw(port, "GET / HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
});

test("a client that sends its request too slowly is answered with 408 and dropped", async () => {
  const { port } = await opened(ok);
  expect(await raw(port, "GET / HTTP/1.1\r\nhost: x\r\n")).toMatch(/^HTTP\/1\.1 408 /);
  const body = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nab";
  expect(await raw(port, body)).not.toContain("200 OK\r\ncontent-type");
});

test("a client that never reads its answer is dropped", async () => {
  const arrived = Promise.withResolvers<void>();
  const answer = (): Response => {
    arrived.resolve();
    return new Response("x".repeat(50_000_000));
  };
  const { port } = await opened(answer, { connectionsMax: 1 });
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.pause();
  socket.on("error", () => undefined);
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  await arrived.promise;
  await expect.poll(() => isAnswered(port)).toBe(true);
});

/** Whether a new connection is answered: it is closed while another one is the only one allowed. */
function isAnswered(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`, { method: "HEAD" }).then(
    () => true,
    () => false,
  );
}

test("closing finishes the requests in flight", async () => {
  const arrived = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<Response>();
  const answer = (): Promise<Response> => {
    arrived.resolve();
    return answered.promise;
  };
  const { url, close } = await opened(answer, { shutdownTimeoutMs: 20_000 });
  const inFlight = fetch(url);
  await arrived.promise;
  const closed = close();
  answered.resolve(ok());
  expect(await (await inFlight).text()).toBe("ok");
  await closed;
});

test("closing closes the connection of a stream that ends, although its client would keep it alive", async () => {
  const stream = new TransformStream<Uint8Array, Uint8Array>();
  const limits = { shutdownTimeoutMs: 300_000, keepAliveTimeoutMs: 300_000, idleTimeoutMs: 300_000 };
  const { url, close } = await opened(() => new Response(stream.readable), limits);
  const { body } = await fetch(url);
  const closed = close();
  await stream.writable.close();
  expect(await text(body as never)).toBe("");
  await closed;
});

test.each(["", "GET / HTTP/1.1\r\nhost: x\r\n"])(
  "closing ends a connection without a request at once: %j",
  async (bytes) => {
    // No limit of the server ends before that of the test.
    const limits = Object.fromEntries(Object.keys(LIMITS).map((name) => [name, 600_000]));
    const { port, url, close } = await opened(ok, limits);
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    socket.write(bytes);
    // The server has read these bytes when it has answered a later request.
    await fetch(url);
    const ended = once(socket, "close");
    await close();
    expect(await ended).toEqual([false]);
  },
);

test("closing drops a request that is not answered within the time limit", async () => {
  const arrived = Promise.withResolvers<void>();
  const answer = (): Promise<Response> => {
    arrived.resolve();
    return new Promise(() => undefined);
  };
  const { url, close } = await opened(answer);
  const dropped = fetch(url).catch(() => "dropped");
  await arrived.promise;
  await close();
  expect(await dropped).toBe("dropped");
});

test("a request beyond the limit is refused, and accepted after another one has finished", async () => {
  const held: ((response: Response) => void)[] = [];
  let arrived = Promise.withResolvers<void>();
  const answer = (): Promise<Response> =>
    new Promise((resolve) => {
      held.push(resolve);
      arrived.resolve();
    });
  const send = async (): Promise<Promise<Response>[]> => {
    arrived = Promise.withResolvers();
    const sent = fetch(url);
    await arrived.promise;
    return [sent];
  };
  const { url } = await opened(accepting(2, answer), {
    connectionsMax: 10,
  });
  const [first] = await send();
  const [second] = await send();
  const refused = await fetch(url);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await refused.json()).toMatchObject({
    error: "INTERNAL_ERROR",
    message: expect.stringContaining("already answers 2 requests"),
    details: [],
  });
  for (const release of held.splice(0)) release(ok());
  const answers = await Promise.all([first, second]);
  expect(answers.map((answer) => answer?.status)).toEqual([200, 200]);
  // An answer that was not read to its end may not have finished.
  for (const answer of answers) await answer?.text();
  const [third] = await send();
  held[0]?.(ok());
  expect(await (await third)?.text()).toBe("ok");
});

test("a request that fails no longer counts against the limit", async () => {
  let isBroken = true;
  const answer = (): Response => {
    if (isBroken) throw new Error("a bug");
    return ok();
  };
  const { url } = await opened(accepting(1, answer));
  const failed = await fetch(url);
  expect(failed.status).toBe(500);
  expect(await failed.json()).toMatchObject({ error: "INTERNAL_ERROR", details: [] });
  isBroken = false;
  expect((await fetch(url)).status).toBe(200);
});

test("a chunked body beyond the limit is refused with a sentence, and the rest is not read", async () => {
  await using sandbox = await createSandbox();
  const { url } = await sandbox.listen();
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 65_536;
      if (sent > 64 * 1_048_576) controller.close();
      else controller.enqueue(new Uint8Array(65_536).fill(0x20));
    },
  });
  const init = { method: "POST", body, duplex: "half", headers: { authorization: "Bearer acme-token" } };
  const answer = await fetch(`${url}/order/v1/banking/subscriptions`, init);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("The body is larger than 1048576 bytes.");
});

test("a machine without IPv6 is listened on at every address of IPv4", async () => {
  const own = Object.getOwnPropertyDescriptor(Server.prototype, "listen")!;
  onTestFinished(() => void Object.defineProperty(Server.prototype, "listen", own));
  vi.spyOn(Server.prototype, "listen").mockImplementationOnce(function fail(this: Server) {
    process.nextTick(() => this.emit("error", Object.assign(new Error("no IPv6"), { code: "EAFNOSUPPORT" })));
    return this;
  });
  const server = await listen(ok, { port: 0, host: "::" }, LIMITS);
  onTestFinished(() => server.close());
  expect(server.url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
  expect(await (await fetch(`http://127.0.0.1:${server.port}`)).text()).toBe("ok");
});
