import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { once } from "node:events";
import { expect, test } from "vitest";
import type { Sandbox } from "../../../src/server/access/sandbox-interface.ts";
import { createSandbox } from "../../../src/library/sandbox.ts";
import { subscriptionBody } from "../../partner.ts";

const EVENTS = 1_000;
const WALL_MAX_MS = 60_000;

/** The work of a receiver for each event. Meanwhile other events arrive. */
const WORK_MS = 20;

/** A receiver that counts, and answers every so many requests with an error. */
async function countingReceiver(failsEach: number) {
  const bodies = new Map<string, number>();
  let requests = 0;
  let open = 0;
  let openMax = 0;
  const server = createServer((request, response) => {
    open += 1;
    openMax = Math.max(openMax, open);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      requests += 1;
      const isFailing = requests % failsEach === 0;
      const body = Buffer.concat(chunks).toString();
      if (!isFailing) bodies.set(body, (bodies.get(body) ?? 0) + 1);
      setTimeout(() => {
        open -= 1;
        response.writeHead(isFailing ? 500 : 200).end("{}");
      }, WORK_MS);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    bodies,
    openMax: () => openMax,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Accepts a subscription. The method `act` would wait for the attempt of its webhook. */
async function acceptWithoutWaiting({ fetch }: Pick<Sandbox, "fetch">, id: string): Promise<void> {
  await fetch("/sandbox/acts/subscription.accept", { method: "POST", body: JSON.stringify({ id }) });
}

test(
  "of a thousand events over real connections each arrives exactly once",
  async () => {
    const receiver = await countingReceiver(10);
    await using sandbox = await createSandbox({
      webhookUrl: receiver.url,
      start: "2026-11-20T09:00:00-03:00",
    });
    for (let index = 0; index < EVENTS; index++) {
      const created = await sandbox.fetch("/order/v1/banking/subscriptions", {
        method: "POST",
        headers: { authorization: "Bearer acme-token" },
        body: JSON.stringify(subscriptionBody({ externalId: `subscription-${index}` })),
      });
      const { id } = (await created.json()) as { id: string };
      await acceptWithoutWaiting(sandbox, id);
    }
    await sandbox.advance("PT3H");
    expect(receiver.bodies.size).toBe(EVENTS);
    expect([...receiver.bodies.values()].every((count) => count === 1)).toBe(true);
    expect(receiver.openMax()).toBeGreaterThan(1);
    expect(receiver.openMax()).toBeLessThanOrEqual(32);
    const deliveries = await sandbox.deliveries();
    expect(deliveries).toHaveLength(EVENTS);
    expect(deliveries.every(({ status }) => status === "delivered")).toBe(true);
    await receiver.close();
  },
  WALL_MAX_MS,
);

test("a receiver that hangs delays neither the events of another receiver nor the platform API", async () => {
  const quick = await countingReceiver(Infinity);
  const hanging = createServer(() => {});
  hanging.listen(0, "127.0.0.1");
  await once(hanging, "listening");
  const slowUrl = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`;
  const sandbox = await createSandbox({
    start: "2026-11-20T09:00:00-03:00",
    // No attempt to the hanging receiver ends within the test.
    assumptions: { "webhook.timeout": "PT1H" },
  });
  const accept = async (externalId: string, webhookUrl: string): Promise<void> => {
    const created = await sandbox.fetch("/order/v1/banking/subscriptions", {
      method: "POST",
      headers: { authorization: "Bearer acme-token" },
      body: JSON.stringify(subscriptionBody({ externalId, webhookUrl })),
    });
    const { id } = (await created.json()) as { id: string };
    await acceptWithoutWaiting(sandbox, id);
  };
  for (let index = 0; index < 100; index++) await accept(`slow-${index}`, slowUrl);
  for (let index = 0; index < 100; index++) await accept(`quick-${index}`, quick.url);
  await expect.poll(() => quick.bodies.size).toBe(100);
  hanging.closeAllConnections();
  hanging.close();
  await sandbox.close();
  await quick.close();
});
