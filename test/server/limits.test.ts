import { connect } from "node:net";
import { createSandbox } from "../../src/library/sandbox.ts";
import { expect, test } from "vitest";
import { LIMITS } from "../../src/server/listen.ts";

/** Endpoints with a limit for answers that are being read, with more requests than the limit of a world. */
const LIMITED = { "/sandbox/recording": 6, "/sandbox/timeline/stream": 66 };

test.each(Object.entries(LIMITED))(
  "requests of HEAD to %s take no place of its limit",
  async (path, count) => {
    await using sandbox = await createSandbox();
    const { url } = await sandbox.listen();
    for (let number = 0; number < count; number++)
      expect((await fetch(url + path, { method: "HEAD" })).status).toBe(200);
    const read = await fetch(url + path);
    expect(read.status).toBe(200);
    await read.body?.cancel();
  },
);

test.each(Object.entries(LIMITED))(
  "clients that leave without reading %s give their places back",
  async (path, count) => {
    await using sandbox = await createSandbox();
    const port = Number(new URL((await sandbox.listen()).url).port);
    for (let number = 0; number < count; number++) {
      await new Promise<void>((resolve) => {
        const socket = connect(port, "127.0.0.1", () => {
          socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`, () => socket.destroy());
        });
        socket.on("close", () => resolve());
      });
    }
    const statusOf = async (): Promise<number> => {
      const read = await fetch(`http://127.0.0.1:${port}${path}`);
      await read.body?.cancel();
      return read.status;
    };
    await expect.poll(statusOf).toBe(200);
  },
);

test("a connection is kept longer than load balancers keep it", async () => {
  await using sandbox = await createSandbox();
  const { url } = await sandbox.listen();
  const kept = (await fetch(`${url}/sandbox/health`)).headers.get("keep-alive");
  expect(kept).toBe(`timeout=${LIMITS.keepAliveTimeoutMs / 1000}`);
  expect(LIMITS.keepAliveTimeoutMs).toBeGreaterThan(75_000);
});
