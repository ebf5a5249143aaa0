import { createSandbox } from "../../src/index.ts";
import { expect, onTestFinished, test } from "vitest";
import { get } from "node:http";
import { once } from "node:events";

const PLACES = [
  "/",
  "/docs",
  "/openapi.json",
  "/pay/style.css",
  "/sandbox/health",
  "/sandbox/recording",
  "/no/such/path",
  "/order/v1/banking/accounts",
];

test("every kind of answer has the id of its request and the world's time", async () => {
  const sandbox = await createSandbox({ start: "2026-11-20T09:00:00-03:00" });
  onTestFinished(() => sandbox.close());
  const { url } = await sandbox.listen();
  for (const place of PLACES) {
    const { headers } = await fetch(url + place, { headers: { "x-request-id": `of:${place}` } });
    expect([headers.get("x-request-id"), headers.get("date")]).toEqual([
      `of:${place}`,
      "Fri, 20 Nov 2026 12:00:00 GMT",
    ]);
  }
});

test("in process an answer has an id of its own too, or the one that was sent", async () => {
  await using sandbox = await createSandbox();
  const idOf = async (headers: Record<string, string>) =>
    (await sandbox.fetch("/sandbox/health", { headers })).headers.get("x-request-id");
  const ids = [await idOf({}), await idOf({}), await idOf({ "x-request-id": "mine" })];
  expect(ids).toEqual([expect.any(String), expect.any(String), "mine"]);
  expect(new Set(ids).size).toBe(3);
});

test("the request log has every value of a header that was sent twice, and headers in the order of their names", async () => {
  await using sandbox = await createSandbox();
  const { url } = await sandbox.listen();
  const ask = async (headers: string[]) => {
    const [answer] = await once(get(`${url}/order/v1/banking/accounts`, { headers }), "response");
    (answer as NodeJS.ReadableStream).resume();
    const { data } = (await (await sandbox.fetch("/sandbox/requests")).json()) as {
      data: { requestHeaders: Record<string, string> }[];
    };
    return data.at(-1)?.requestHeaders;
  };
  const sent = ["x-b", "1", "host", "localhost", "accept", "text/plain", "connection", "close"];
  expect(Object.entries((await ask(sent)) ?? {})).toEqual([
    ["accept", "text/plain"],
    ["connection", "close"],
    ["host", "localhost"],
    ["x-b", "1"],
  ]);
  const twice = await ask([
    ...sent,
    "user-agent",
    "one",
    "user-agent",
    "two",
    "set-cookie",
    "a=b",
    "x-b",
    "2",
  ]);
  expect(twice).toMatchObject({ "user-agent": "one, two", "x-b": "1, 2" });
});
