import type { ConnectionBounds } from "../../src/server/listen.ts";
import { connect } from "node:net";
import { createSandbox } from "../../src/sandbox.ts";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../../src/server/listen.ts";
import { once } from "node:events";
import { text } from "node:stream/consumers";

const BOUNDS: ConnectionBounds = {
  connectionsMax: 3,
  headerBytesMax: 2_048,
  headMs: 200,
  requestMs: 400,
  silenceMs: 600,
  keepAliveMs: 1_000,
  farewellMs: 100,
};

async function opened(answer: Parameters<typeof listen>[0], bounds = BOUNDS) {
  const server = await listen(answer, { port: 0, host: "127.0.0.1" }, bounds);
  onTestFinished(() => server.close());
  return server;
}

const ok = (): Response => new Response("ok");

/** Sends bytes as they are, and gives all that comes back until the server hangs up. */
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

test("what is no HTTP is answered with 400 and a sentence", async () => {
  const { port } = await opened(ok);
  expect(await raw(port, "HELLO\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 [\s\S]*"error":"INVALID_REQUEST"/);
});

test("a client that sends its request too slowly is answered with 408 and dropped", async () => {
  const { port } = await opened(ok);
  expect(await raw(port, "GET / HTTP/1.1\r\nhost: x\r\n")).toMatch(/^HTTP\/1\.1 408 /);
  const body = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nab";
  expect(await raw(port, body)).not.toContain("200 OK\r\ncontent-type");
});

test("a client that never reads its answer is dropped", async () => {
  const { port } = await opened(() => new Response("x".repeat(50_000_000)));
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  socket.pause();
  socket.on("error", () => undefined);
  const began = performance.now();
  await expect.poll(() => openConnections(port), { timeout: 5_000 }).toBe("answers");
  expect(performance.now() - began).toBeLessThan(5_000);
});

/** Whether a new connection gets an answer: one that is in the way takes a place. */
async function openConnections(port: number): Promise<string> {
  return fetch(`http://127.0.0.1:${port}/`, { method: "HEAD" }).then(
    () => "answers",
    () => "full",
  );
}

test("closing finishes what is in hand, and does not wait for ever", async () => {
  let isAnswered = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    isAnswered = resolve;
  });
  const { url, close } = await listen(() => answered.then(ok), { port: 0, host: "127.0.0.1" }, BOUNDS);
  const inHand = fetch(url);
  await new Promise((resolve) => {
    setTimeout(resolve, 30);
  });
  const closed = close();
  isAnswered();
  expect(await (await inHand).text()).toBe("ok");
  await closed;

  const hanging = await listen(() => new Promise(() => undefined), { port: 0, host: "127.0.0.1" }, BOUNDS);
  const lost = fetch(hanging.url).catch(() => "dropped");
  await new Promise((resolve) => {
    setTimeout(resolve, 30);
  });
  await hanging.close();
  expect(await lost).toBe("dropped");
});

test("a body in chunks that goes on past the limit is refused with a sentence, and not taken in", async () => {
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
  const answer = await fetch(`${url}/order/v1/banking/subscriptions`, init as RequestInit);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("The body is larger than 1048576 bytes.");
});
