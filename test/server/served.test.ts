import { expect, onTestFinished, test } from "vitest";
import { listen } from "../../src/server/listen.ts";
import { served } from "../../src/server/served.ts";
import { SILENCE } from "../../src/server/log.ts";

test("who comes while too many requests are in hand is told to come again, and is served once one is done", async () => {
  const held: (() => void)[] = [];
  const answer = (): Promise<Response> =>
    new Promise((resolve) => {
      held.push(() => resolve(new Response("ok")));
    });
  const options = { log: SILENCE, clock: { now: 0 }, inHandMax: 2 };
  const server = await listen(served(answer, options), { port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close());
  const first = fetch(server.url);
  const second = fetch(server.url);
  await expect.poll(() => held.length).toBe(2);
  const turnedAway = await fetch(server.url);
  expect([turnedAway.status, turnedAway.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await turnedAway.json()).toMatchObject({
    error: "INTERNAL_ERROR",
    message: expect.stringContaining("More than 2 requests"),
    details: [],
  });
  for (const release of held.splice(0)) release();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
  const third = fetch(server.url);
  await expect.poll(() => held.length).toBe(1);
  held[0]?.();
  expect(await (await third).text()).toBe("ok");
});

test("a failure of what answers lets go of its place", async () => {
  let isBroken = true;
  const answer = (): Response => {
    if (isBroken) throw new Error("a bug of ours");
    return new Response("ok");
  };
  const options = { log: SILENCE, clock: { now: 0 }, inHandMax: 1 };
  const server = await listen(served(answer, options), { port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close());
  const failed = await fetch(server.url);
  expect([failed.status, await failed.text()]).toEqual([500, ""]);
  isBroken = false;
  expect((await fetch(server.url)).status).toBe(200);
});
