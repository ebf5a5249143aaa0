import { createSandbox } from "../../../src/library/sandbox.ts";
import { expect, test } from "vitest";
import { openPartner } from "../../partner.ts";
import { request } from "node:http";

const OPENING = { method: "POST", path: "/sandbox/reset" };

/** Sends a request as a browser would, which `fetch` does not allow: with a host and an origin of its own. */
function send(url: string, headers: Record<string, string>, { method, path } = OPENING): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.on("error", reject);
    sent.end();
  });
}

test("a web page of another origin changes nothing; curl and the dashboard still work", async () => {
  await using sandbox = await createSandbox();
  const { url } = await sandbox.listen();
  const port = new URL(url).port;
  for (const [headers, status] of [
    [{}, 200],
    [{ origin: url }, 200],
    [{ origin: url, "sec-fetch-site": "same-origin" }, 200],
    [{ origin: "null", "sec-fetch-site": "same-origin" }, 200],
    [{ host: `localhost:${port}`, origin: `http://localhost:${port}` }, 200],
    [{ host: `[::1]:${port}`, origin: `http://[::1]:${port}` }, 200],
    [{ host: "sandbank:4010", origin: "http://sandbank:4010" }, 200],
    [{ host: "host.docker.internal:4010", origin: "http://host.docker.internal:4010" }, 200],
    [{ origin: "http://evil.example" }, 403],
    [{ origin: "http://127.0.0.1:1" }, 403],
    [{ origin: "null" }, 403],
    [{ origin: "nonsense" }, 403],
    [{ "sec-fetch-site": "cross-site" }, 403],
    [{ origin: url, "sec-fetch-site": "same-site" }, 403],
    [{ origin: "http://evil.example", "sec-fetch-site": "same-origin" }, 403],
  ] as const) {
    expect([headers, await send(url, headers)]).toEqual([headers, status]);
  }
});

test("a host name that anyone can point at this machine is not a trusted origin", async () => {
  const rebound = { host: "rebound.example:4010", origin: "http://rebound.example:4010" };
  await using sandbox = await createSandbox();
  expect(await send((await sandbox.listen()).url, rebound)).toBe(403);
  await using guarded = await createSandbox({ adminToken: "let-me-in" });
  expect(await send((await guarded.listen()).url, { ...rebound, "x-admin-token": "let-me-in" })).toBe(200);
});

test("allowed names are names of the sandbox, for pages too; in process every name is", async () => {
  const allowedHosts = ["api.platform.example", ".bank.example"];
  await using sandbox = await createSandbox({ allowedHosts });
  const { url } = await sandbox.listen();
  for (const [name, status] of [
    ["api.platform.example", 200],
    ["API.Platform.example", 200],
    ["x.api.platform.example", 403],
    ["eu.api.bank.example", 200],
    ["bank.example", 403],
    ["evilbank.example", 403],
  ] as const) {
    expect([name, await send(url, { host: `${name}:4010` })]).toEqual([name, status]);
    const page = { host: name, origin: `http://${name.toLowerCase()}` };
    expect([name, await send(url, page)]).toEqual([name, status]);
  }
  for (const headers of [{}, { origin: "https://any.example" }])
    expect(
      (await sandbox.fetch("https://any.example/sandbox/reset", { method: "POST", headers })).status,
    ).toBe(200);
});

test("the refusal explains what to do and covers what a verifier calls, but neither reads nor the platform API", async () => {
  await using partner = await openPartner();
  const headers = { origin: "http://evil.example", "sec-fetch-site": "cross-site" };
  for (const [method, path] of [
    ["POST", "/sandbox/reset"],
    ["PUT", "/sandbox/clock"],
    ["DELETE", "/sandbox/faults"],
    ["POST", "/sandbox/pact/states"],
    ["POST", "/sandbox/no/such/path"],
  ] as const) {
    const { status, body } = await partner.ask(method, path, { headers });
    expect([path, status, body["error"], body["details"]]).toEqual([path, 403, "FORBIDDEN_ERROR", []]);
    expect(body["message"]).toContain(
      "A web page of the origin http://evil.example must not change anything here.",
    );
  }
  expect((await partner.ask("GET", "/sandbox/clock", { headers })).status).toBe(200);
  expect((await partner.ask("GET", "/order/v1/banking/accounts", { headers })).status).toBe(200);
});

for (const path of [
  "/sandbox/worlds",
  "/sandbox/recording",
  "/order/v1/webhook",
  "/openapi.json",
  "/",
  "/docs",
])
  test(`${path} is not answered under a name that anyone can point at this machine`, async () => {
    await using sandbox = await createSandbox();
    const { url } = await sandbox.listen();
    const get = (host: string, path: string): Promise<number> => send(url, { host }, { method: "GET", path });
    // A page loaded from that name sends neither an origin nor sec-fetch headers with a GET over plain HTTP.
    expect(await get("rebound.example:4010", path)).toBe(403);
    expect(await get("127.0.0.1.rebound.example", path)).toBe(403);
    for (const own of ["localhost:1", "127.0.0.1", "[::1]:80", "192.168.1.7", "sandbank:4010"])
      expect([own, await get(own, path)]).not.toEqual([own, 403]);
    for (const own of ["host.docker.internal", "sandbank.payments.svc.cluster.local", "sandbank.test"])
      expect([own, await get(own, path)]).not.toEqual([own, 403]);
    expect(await get("rebound.example", "/sandbox/health")).toBe(200);
  });

test("with an admin token the platform API has any name too", async () => {
  await using sandbox = await createSandbox({ adminToken: "let-me-in" });
  const { url } = await sandbox.listen();
  const headers = { host: "sandbox.partner.example", authorization: "Bearer acme-token" };
  expect(await send(url, headers, { method: "GET", path: "/order/v1/banking/accounts" })).toBe(200);
});
