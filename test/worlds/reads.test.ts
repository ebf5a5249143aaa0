import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { createSubscription, openPartner, type Partner } from "../partner.ts";
import { expect, test } from "vitest";
import { once } from "node:events";
import { createEgress } from "../../src/webhooks/egress-guard.ts";
import { networkTransport } from "../../src/webhooks/transport.ts";
import { turns } from "../turns.ts";

const READS = [
  "/sandbox/deliveries",
  "/sandbox/deliveries?wait=false",
  "/sandbox/timeline",
  "/sandbox/digest",
  "/sandbox/coverage",
  "/sandbox/recording",
  "/sandbox/resources/webhook-events",
  "/sandbox/requests?format=har",
  "/order/v1/webhook/events",
];

/** What two subscriptions see happen to them, without a call that waits for webhooks; `look` is called in between. */
async function session(partner: Partner, look: () => Promise<unknown>): Promise<string> {
  const ids: unknown[] = [];
  for (const externalId of ["one", "two"]) {
    ids.push((await createSubscription(partner, { externalId }))["id"]);
    await partner.ask("POST", "/sandbox/acts/subscription.accept", { body: { id: ids.at(-1), wait: false } });
    await look();
  }
  for (const id of ids) {
    const body = { id, reason: "PAYER_DECEASED", wait: false };
    await partner.ask("POST", "/sandbox/acts/subscription.request-cancellation", { body });
    await look();
  }
  await partner.advance("PT1H");
  await look();
  return partner.sandbox.digest();
}

const LOOKS: Readonly<Record<string, (partner: Partner) => Promise<unknown>>> = {
  "nobody looks": async () => undefined,
  "one read of each kind": async (partner) => {
    for (const path of READS) await (await partner.sandbox.fetch(path, AS_ACME)).text();
  },
  "the methods of the library": async ({ sandbox }) => {
    await sandbox.deliveries();
    await sandbox.recording();
    sandbox.digest();
  },
};

const AS_ACME = { headers: { authorization: "Bearer acme-token" } };

test("a read changes nothing in the journal, in process", async () => {
  const digests: string[] = [];
  await session(await openPartner(), async () => undefined); // Loads and compiles what takes longer the first time.
  for (const look of Object.values(LOOKS)) {
    await using partner = await openPartner();
    partner.receiver.script([200, 500, 200, 503]);
    digests.push(await session(partner, () => look(partner)));
  }
  expect(new Set(digests).size).toBe(1);
});

test("a read changes nothing in the journal, over sockets and with receivers of any speed", async () => {
  const digests: string[] = [];
  for (const delay of [0, 15]) {
    for (const look of Object.values(LOOKS)) {
      let count = 0;
      const receiver = createServer((request, response) => {
        const number = ++count;
        response.sendDate = false;
        request.resume().on("end", () => {
          void turns(number * delay).then(() => response.writeHead(number === 2 ? 500 : 200).end("{}"));
        });
      });
      receiver.listen(0, "127.0.0.1");
      await once(receiver, "listening");
      const { port } = receiver.address() as AddressInfo;
      const webhookUrl = `http://receiver.localhost:${port}/hook`;
      const transport = networkTransport(createEgress());
      await using partner = await openPartner({
        transport: (requests) => transport(requests.map((one) => ({ ...one, url: webhookUrl }))),
      });
      digests.push(await session(partner, () => look(partner)));
      receiver.closeAllConnections();
      receiver.close();
    }
  }
  expect(new Set(digests).size).toBe(1);
});

test("a read shows the outcomes that are known as a barrier makes them part of the world", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.ask("POST", "/sandbox/acts/subscription.accept", { body: { id, wait: false } });
  const [delivery] = await partner.sandbox.deliveries();
  expect(delivery).toMatchObject({ status: "delivered", attempts: [{ status: 200 }] });
  const shown = await partner.ask("GET", "/sandbox/timeline");
  const coverage = await partner.ask("GET", "/sandbox/coverage");
  const digest = partner.sandbox.digest();
  await partner.advance("PT0S");
  const after = await partner.ask("GET", "/sandbox/timeline");
  expect(after.body["data"]).toEqual(shown.body["data"]);
  expect((await partner.ask("GET", "/sandbox/coverage")).body).toEqual(coverage.body);
  expect(partner.sandbox.digest()).toBe(digest);
  // With `next` a reader that goes on later misses nothing.
  const { body } = await partner.ask("GET", `/sandbox/timeline?since=${String(shown.body["next"])}`);
  expect(body["data"]).toMatchObject([{ kind: "attempt" }]);
});

test("a webhook that waits for the outcome of an earlier one is not sent by a read, and a recording says so", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.ask("POST", "/sandbox/acts/subscription.accept", { body: { id, wait: false } });
  const body = { id, reason: "PAYER_DECEASED", wait: false };
  await partner.ask("POST", "/sandbox/acts/subscription.request-cancellation", { body });
  expect(await partner.sandbox.deliveries()).toMatchObject([
    { status: "delivered" },
    { status: "scheduled" },
  ]);
  expect(partner.receiver.received).toHaveLength(1);
  expect(await partner.sandbox.recording()).toContain("1 webhook was not sent yet");
  await partner.advance("PT0S");
  expect(await partner.sandbox.deliveries()).toMatchObject([
    { status: "delivered" },
    { status: "delivered" },
  ]);
});
