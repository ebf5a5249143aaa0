import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { createSubscription, openPartner, type Partner, RECEIVER_URL } from "../partner.ts";
import type { SandboxObject } from "../../src/access/sandbox-interface.ts";
import { openSandbox } from "../../src/sandbox/sandbox.ts";
import { ScriptedReceiver } from "../../src/tools/scenarios/receiver.ts";
import { transportTo } from "../../src/webhooks/in-process.ts";
import { networkTransport, type Transport } from "../../src/webhooks/transport.ts";
import { expect, test } from "vitest";
import { once } from "node:events";
import { createEgress } from "../../src/webhooks/egress-guard.ts";
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

async function openBusy(transport: Transport): Promise<Partner> {
  const start = "2026-11-20T09:00:00-03:00";
  const { sandbox } = await openSandbox({ seed: 7, start, webhookUrl: RECEIVER_URL, transport });
  const ask: Partner["ask"] = async (method, path, { body } = {}) => {
    const response = await sandbox.fetch(path, { method, body: JSON.stringify(body), ...AS_ACME });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as SandboxObject,
    };
  };
  const advance: Partner["advance"] = (target) => sandbox.advance(target);
  return { sandbox, ask, advance, [Symbol.asyncDispose]: () => sandbox.close() } as unknown as Partner;
}

test("a read changes nothing in the journal, in process", async () => {
  const digests: string[] = [];
  for (const look of Object.values(LOOKS)) {
    const receiver = new ScriptedReceiver();
    receiver.script([200, 500, 200, 503]);
    await using partner = await openBusy(transportTo(receiver));
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
        request.resume().on("end", () => {
          void turns(number * delay).then(() => response.writeHead(number === 2 ? 500 : 200).end("{}"));
        });
      });
      receiver.listen(0, "127.0.0.1");
      await once(receiver, "listening");
      const { port } = receiver.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}/hook`;
      const transport = networkTransport(createEgress());
      await using partner = await openBusy((requests) => transport(requests.map((one) => ({ ...one, url }))));
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

test("a webhook about the same object is sent when the webhook before it is answered, without an advance", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.ask("POST", "/sandbox/acts/subscription.accept", { body: { id, wait: false } });
  const body = { id, reason: "PAYER_DECEASED", wait: false };
  await partner.ask("POST", "/sandbox/acts/subscription.request-cancellation", { body });
  expect(await partner.sandbox.deliveries()).toMatchObject([
    { status: "delivered" },
    { status: "delivered" },
  ]);
  expect(partner.receiver.received).toHaveLength(2);
});
