import { createLog } from "../../src/cli/serve.ts";
import { createSandbox } from "../../src/library/sandbox.ts";
import { expect, test } from "vitest";

function collector() {
  const lines: string[] = [];
  return { lines, target: { write: (line: string) => lines.push(line) } };
}

test("every request is logged at the level debug, with the id of its answer", async () => {
  const { lines, target } = collector();
  await using sandbox = await createSandbox({ log: createLog("debug", "json", target) });
  const { url } = await sandbox.listen();
  const first = await fetch(`${url}/order/v1/banking/accounts?limit=1`, {
    headers: { authorization: "Bearer acme-token" },
  });
  const second = await fetch(`${url}/no/such/path`, { headers: { "x-request-id": "mine-1" } });
  const third = await fetch(`${url}/sandbox/health`, { headers: { "x-request-id": "not one of mine" } });
  expect(second.headers.get("x-request-id")).toBe("mine-1");
  expect(third.headers.get("x-request-id")).not.toBe("not one of mine");
  const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(logged).toMatchObject([
    {
      level: "debug",
      method: "GET",
      path: "/order/v1/banking/accounts",
      status: 200,
      requestId: first.headers.get("x-request-id"),
    },
    { level: "debug", path: "/no/such/path", status: 404, requestId: "mine-1" },
    { level: "debug", path: "/sandbox/health", status: 200 },
  ]);
  expect(lines.join(""), "no token is logged").not.toContain("acme-token");
});

test("the line of a refused call has the hint of its answer, and no token", async () => {
  const { lines, target } = collector();
  await using sandbox = await createSandbox({ log: createLog("debug", "json", target) });
  const { url } = await sandbox.listen();
  const headers = { authorization: "Bearer acme-tokem" };
  const { headers: answered } = await fetch(`${url}/order/v1/banking/accounts`, { headers });
  const hint = answered.get("x-sandbox-hint");
  expect(hint).toMatch(/\w/);
  const [logged] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(logged).toMatchObject({ status: 401, hint, msg: expect.stringContaining(`: ${hint}`) });
  expect(lines.join("")).not.toContain("acme-tokem");
});

test("a bug is logged with its stack and the request's id, and the answer has no stack", async () => {
  const { lines, target } = collector();
  let isBroken = false;
  await using sandbox = await createSandbox({
    log: createLog("info", "json", target),
    audit: () => {
      if (isBroken) throw new Error("a bug of ours");
    },
  });
  const { url } = await sandbox.listen();
  isBroken = true;
  const body = JSON.stringify({ id: "11111111-1111-4111-8111-111111111111" });
  const answer = await fetch(`${url}/sandbox/acts/account.close`, { method: "POST", body });
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain("    at ");
  const [logged] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(logged).toMatchObject({ level: "error", requestId: answer.headers.get("x-request-id"), seed: 1 });
  expect(logged?.["err"]).toMatchObject({
    message: "a bug of ours",
    stack: expect.stringContaining("    at "),
  });
});

test("by default a line is readable", () => {
  const { lines, target } = collector();
  const log = createLog("warn", "text", target);
  log.info({}, "not logged");
  log.warn({ requestId: "r1" }, "The disk is full.");
  log.warn({ requestId: "r2", method: "GET", status: 200 }, "GET / 200 in 1 ms");
  expect(lines).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} warn {2}The disk is full\. requestId=r1\n$/),
    expect.stringMatching(/ warn {2}GET \/ 200 in 1 ms requestId=r2\n$/),
  ]);
});
