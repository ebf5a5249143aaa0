import { expect, test } from "vitest";
import { atFreePort } from "../../at-free-port.ts";
import { collectGarbage } from "../../../src/base/memory.ts";
import { controlClient, streamEvents } from "../../../src/server/control/client.js";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

test("an abort ends a stream whose request nothing else keeps", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("event: begun\ndata: {}\n\n");
  });
  await using served = await atFreePort(server);
  const reader = new AbortController();
  const { body } = await controlClient({ url: served.url }).open(
    "GET /sandbox/timeline/stream",
    {},
    { signal: reader.signal },
  );
  const events = streamEvents(body);
  expect((await events.next()).value).toMatchObject({ type: "begun" });
  const next = events.next().then(
    () => "an event",
    (error: Error) => error.name,
  );
  for (let turn = 0; turn < 3; turn++) {
    await pause(5);
    collectGarbage();
  }
  reader.abort();
  expect(await Promise.race([next, pause(2_000, "no end")])).toBe("AbortError");
});
