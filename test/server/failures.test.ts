import { expect, onTestFinished, test } from "vitest";
import { createApp } from "../../src/library/app.ts";
import { loadFixtures } from "../../src/server/access/fixture-files.ts";
import type { Log } from "../../src/base/log.ts";
import { openPartner } from "../partner.ts";
import { request } from "node:http";
import type { Handler, NamedRequest } from "../../src/server/environment.ts";
import { ScriptedReceiver } from "../../src/scenarios/receiver.ts";
import { transportTo } from "../../src/simulator/webhooks/in-process.ts";
import { Worlds } from "../../src/simulator/worlds/worlds.ts";

const broken: Readonly<Record<string, Handler<NamedRequest>>> = {
  "a layer that throws": () => {
    throw new Error("boom");
  },
  "a layer that rejects": () => Promise.reject(new Error("boom")),
};

test.each(Object.entries(broken))("%s is answered and logged as a bug", async (_, handler) => {
  const worlds = new Worlds({
    fixtures: loadFixtures(),
    transport: transportTo(new ScriptedReceiver()),
    wallNow: () => 0,
    defaults: { seed: 7, start: 0, mode: "frozen", assumptions: {}, webhookUrl: null },
  });
  onTestFinished(() => worlds.close());
  const logged: string[] = [];
  const log = { isDebugEnabled: false, error: (_fields: object, text: string) => logged.push(text) };
  const unused = (): never => {
    throw new Error("The test uses no scenario.");
  };
  const { answer } = createApp(
    { worlds, servers: { list: unused } as never },
    {
      layers: { limiting: () => handler },
      openStates: unused,
      openScenarios: unused,
      recordingOf: unused,
    },
  );
  const asked = new Request("http://localhost/order/v1/banking/accounts");
  const response = await answer(asked, { log: log as unknown as Log });
  expect(response.status).toBe(500);
  expect(await response.text()).toMatch(/Report it with seed 7 and journal position \d/);
  expect(logged).toEqual([expect.stringMatching(/^The sandbox failed/)]);
});

test("the answer of a layer to HEAD has no body", async () => {
  await using partner = await openPartner();
  const headers = { "x-sandbox-world": "none" };
  const asked = (method: string) => partner.sandbox.fetch("/order/v1/banking/accounts", { method, headers });
  const [head, get] = await Promise.all([asked("HEAD"), asked("GET")]);
  expect(head.status).toBe(get.status);
  expect((await get.text()).length).toBeGreaterThan(0);
  expect(await head.text()).toBe("");
});

test("a HEAD request whose connection is reset has no status in the log", async () => {
  await using partner = await openPartner();
  const { url } = await partner.sandbox.listen();
  await partner.sandbox.fault({ on: "api", effect: "reset", times: 1 });
  const headers = { authorization: "Bearer acme-token" };
  await expect(fetch(`${url}/order/v1/banking/accounts`, { method: "HEAD", headers })).rejects.toThrow(
    "fetch failed",
  );
  const { body } = await partner.ask("GET", "/sandbox/requests?limit=1");
  expect(body["data"]).toMatchObject([{ method: "HEAD", status: null, injected: ["reset"] }]);
});

/** More than a request may have without a place among the large bodies. */
const LARGE = "x".repeat(70_000);

test("a fault applies to the answer of a call that failed", async () => {
  await using partner = await openPartner();
  const { url } = await partner.sandbox.listen();
  const address = `${url}/order/v1/banking/order-payouts`;
  const headers = { authorization: "Bearer acme-token", "content-type": "application/json" };
  const waiting = Array.from({ length: 16 }, () => {
    const length = { "content-length": String(LARGE.length) };
    const one = request(address, { method: "POST", headers: { ...headers, ...length } });
    one.on("error", () => {}).write("x");
    return one;
  });
  const pay = (): Promise<Response> => fetch(address, { method: "POST", headers, body: LARGE });
  await expect.poll(async () => (await pay()).status).toBe(503);
  await partner.sandbox.fault({ on: "api", effect: "error", status: 418, after: true, times: 1 });
  expect((await pay()).status).toBe(418);
  for (const one of waiting) one.destroy();
});
