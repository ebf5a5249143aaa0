import type { PostgresServer } from "./postgres-server.ts";
import type { SandboxOptions } from "../../src/sandbox-interface.ts";
import { ACME_ACCOUNT } from "../partner.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { ask } from "./server-process.ts";
import { createSandbox } from "../../src/sandbox.ts";
import { startPostgres } from "./postgres-server.ts";

const PAYOUTS = "/order/v1/banking/order-payouts";

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres.close());

/** A server in this process; it is closed with the test. */
async function serve(dataSchema: string, options: SandboxOptions = {}): Promise<string> {
  const data = { data: postgres.url(), dataSchema, start: "2026-11-20T09:00:00-03:00" };
  const sandbox = await createSandbox({ ...data, ...options });
  const { url } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  return url;
}

const pay = (url: string, externalId: string, token = "acme-token") =>
  ask(url, "POST", PAYOUTS, {
    token,
    headers: { "idempotency-key": externalId },
    body: {
      externalId,
      accountId: ACME_ACCOUNT,
      paymentMethod: "PIX",
      paymentData: { pixKey: "ok@pix.example" },
      amount: { currency: "BRL", value: "0.01" },
      description: externalId,
    },
  });

test("without the database changes are refused, reads work until the lease ends, and then all goes on", async () => {
  const { stop, start } = postgres;
  if (stop === undefined || start === undefined) return;
  const url = await serve("away", { lease: "PT3S" });
  expect((await pay(url, "before")).status).toBe(201);
  // The outcome of a webhook is a change too: nothing is in flight when the database goes away.
  await ask(url, "POST", "/sandbox/clock/advance", { body: { until: "idle" } });
  await stop();
  const refused = await pay(url, "during");
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(JSON.stringify(refused.body)).not.toContain("secret-password");
  const read = await ask(url, "GET", "/sandbox/resources/payouts");
  expect([read.status, read.body["message"]]).toEqual([200, undefined]);
  expect(read.body["data"]).toHaveLength(1);
  expect((await ask(url, "GET", "/sandbox/health", { token: null })).status).toBe(503);
  expect((await ask(url, "GET", "/sandbox/ready", { token: null })).status).toBe(503);
  await expect.poll(async () => (await ask(url, "GET", "/sandbox/clock")).status).toBe(503);
  await start();
  await expect.poll(async () => (await pay(url, "during")).status).toBe(201);
  const after = await ask(url, "GET", "/sandbox/resources/payouts");
  expect((after.body["data"] as { externalId: string }[]).map(({ externalId }) => externalId)).toEqual([
    "before",
    "during",
  ]);
  expect((await ask(url, "GET", "/sandbox/health", { token: null })).status).toBe(200);
});
