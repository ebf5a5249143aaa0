import { expect, test } from "vitest";
import { openPartner } from "../../partner.ts";

const guarded = () => openPartner({ adminToken: "let-me-in" });

test("with an admin token configured, nothing under /sandbox is open without it", async () => {
  await using partner = await guarded();
  for (const [method, path] of [
    ["GET", "/sandbox/worlds"],
    ["POST", "/sandbox/reset"],
    ["GET", "/sandbox/timeline"],
    ["GET", "/sandbox/no/such/path"],
    ["DELETE", "/sandbox/worlds/w1"],
  ] as const) {
    for (const headers of [{}, { "x-admin-token": "let-me-inn" }, { "x-admin-token": "" }]) {
      const { status, body } = await partner.ask(method, path, { headers });
      expect([path, status, body["error"]]).toEqual([path, 401, "UNAUTHORIZED"]);
      expect(body["message"]).toContain("x-admin-token");
    }
  }
});

test("with the admin token everything works as without a guard; the platform API and the health check need none", async () => {
  await using partner = await guarded();
  const headers = { "x-admin-token": "let-me-in" };
  expect((await partner.ask("GET", "/sandbox/worlds", { headers })).status).toBe(200);
  expect((await partner.ask("GET", "/order/v1/banking/accounts")).status).toBe(200);
  expect((await partner.ask("GET", "/sandbox/health", { token: null })).body).toEqual({ status: "ok" });
  await partner.advance("PT1S");
});
