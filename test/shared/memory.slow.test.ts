import { expect, onTestFinished, test } from "vitest";
import { startServer } from "./servers.ts";
import { payoutBody } from "../partner.ts";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();

const headers = { authorization: "Bearer acme-token" };

/** The old space of the server in megabytes. */
const HEAP_MB = 200;

const PAYOUTS = 12;
const SNAPSHOTS = 600;

test("a server with PostgreSQL refuses when its memory is full, and does not end", async () => {
  const env = process.env["NODE_OPTIONS"];
  process.env["NODE_OPTIONS"] = `--max-old-space-size=${HEAP_MB}`;
  const server = await startServer(
    {
      data: postgres.url(),
      flags: ["--assume", "payout.batch-threshold=0.01"],
    },
    onTestFinished,
  ).finally(() => {
    if (env === undefined) delete process.env["NODE_OPTIONS"];
    else process.env["NODE_OPTIONS"] = env;
  });
  let count = 0;
  const statusOf = async (path: string, body: object): Promise<number> => {
    const answer = await fetch(server.url + path, {
      method: "POST",
      headers: { ...headers, "idempotency-key": `key-${++count}` },
      body: JSON.stringify(body),
    });
    await answer.text();
    return answer.status;
  };
  const pay = (): Promise<number> =>
    statusOf(
      "/order/v1/banking/order-payouts",
      payoutBody({ externalId: `payout-${count}`, amount: { currency: "BRL", value: "10.00" } }),
    );
  const statuses = new Set<number>();
  for (let number = 0; number < PAYOUTS; number++) statuses.add(await pay());
  for (let number = 0; number < SNAPSHOTS && !statuses.has(503); number++) {
    if (number % 10 === 0) statuses.add(await pay());
    statuses.add(await statusOf("/sandbox/snapshots", {}));
  }
  expect([...statuses]).toContain(503);
  expect(server.child.exitCode).toBeNull();
  expect((await fetch(`${server.url}/sandbox/health`)).status).toBe(200);
}, 300_000);
