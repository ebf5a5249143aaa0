import { expect, test } from "vitest";
import { connect } from "node:net";
import { detail, openPartner, subscriptionBody } from "../partner.ts";
import { gzipSync } from "node:zlib";
import { once } from "node:events";
import type { Log } from "../../src/base/log.ts";

const PATH = "/order/v1/banking/subscriptions";

test("a caller that disconnects in the middle of a body is not logged as a bug", async () => {
  const logged: string[] = [];
  let answered = (): void => undefined;
  const done = new Promise<void>((resolve) => (answered = resolve));
  const log: Log = {
    debug: () => answered(),
    info: () => undefined,
    warn: () => undefined,
    error: (_fields, message) => void logged.push(message),
  };
  await using partner = await openPartner({ log });
  const { url } = await partner.sandbox.listen();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => undefined);
  const head = `POST ${PATH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer acme-token\r\n`;
  socket.write(`${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n`);
  socket.write("zz\r\n");
  await done;
  socket.destroy();
  expect(logged).toEqual([]);
});

test("a compressed body is refused for its encoding, and not for its characters", async () => {
  await using partner = await openPartner();
  const response = await partner.sandbox.fetch(PATH, {
    method: "POST",
    headers: { authorization: "Bearer acme-token", "content-encoding": "gzip" },
    body: gzipSync(JSON.stringify(subscriptionBody())),
  });
  const body = (await response.json()) as Record<string, unknown>;
  expect(response.status).toBe(400);
  expect(detail({ status: 400, headers: response.headers, body }, "body")["description"]).toBe(
    "The body is encoded as gzip. Send it without a content-encoding.",
  );
});
