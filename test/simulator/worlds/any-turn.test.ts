import { afterEach, beforeEach, expect, test, vi } from "vitest";
import fc from "fast-check";
import { openPartner, type Partner, payoutBody } from "../../partner.ts";
import { askForOrder, orderBody } from "../platform/orders/asking.ts";
import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";
import type { Transport } from "../../../src/simulator/webhooks/transport.ts";
import { makeTurnsShort } from "../../short-turns.ts";
import { turns } from "../../turns.ts";

beforeEach(makeTurnsShort);
afterEach(() => vi.restoreAllMocks());

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const CLIENT = { grant_type: "client_credentials", client_id: "acme", client_secret: "acme-secret" };

/** A payout of eight transactions, if each takes one real at most. */
const AMOUNT = { currency: "BRL", value: "8.00" };

/** Every kind of entry into a world. */
const entries: Readonly<Record<string, (partner: Partner, order: string) => Promise<unknown>>> = {
  "an act": (partner, id) => partner.act("order.pay", { id }),
  "a form of the payer page": ({ sandbox }, id) =>
    sandbox.fetch(`/pay/default/${id}`, { method: "POST", headers: FORM, body: "do=pay" }),
  "a request for a token": ({ sandbox }) => {
    const body = new URLSearchParams({ ...CLIENT, scope: "api://app-order-prd" }).toString();
    return sandbox.fetch("/oauth2/v2.0/token", { method: "POST", headers: FORM, body });
  },
  "a call": (partner) =>
    partner.ask("POST", "/order/v1/banking/order-payouts", {
      key: "last",
      body: payoutBody({ externalId: "last", amount: AMOUNT }),
    }),
  "a call with a fault": async (partner) => {
    await partner.sandbox.fault({ on: "api", operation: "createPayout", effect: "error", status: 503 });
    return partner.ask("POST", "/order/v1/banking/order-payouts", {
      key: "last",
      body: payoutBody({ externalId: "last", amount: AMOUNT }),
    });
  },
  "a change of the settings": (partner) =>
    partner.ask("PATCH", "/sandbox/settings", { body: { assumptions: { "refund.delay": "PT9S" } } }),
  "a snapshot that is restored": async (partner) => {
    const { body } = await partner.ask("POST", "/sandbox/snapshots");
    return partner.ask("POST", `/sandbox/snapshots/${String(body["id"])}/restore`);
  },
};

/** Makes payouts of many transactions, which settle at one instant and in several turns. */
async function openBusy(
  options: Parameters<typeof openPartner>[0],
): Promise<{ partner: Partner; order: string }> {
  const partner = await openPartner({ assumptions: { "payout.batch-threshold": "1.00" }, ...options });
  const { body: order } = await askForOrder(partner, orderBody("PIX"), { key: "order" });
  for (const externalId of ["one", "two", "three"]) {
    const body = payoutBody({ externalId, amount: AMOUNT });
    await partner.ask("POST", "/order/v1/banking/order-payouts", { key: externalId, body });
  }
  return { partner, order: String(order["id"]) };
}

/** Opens a busy world, and makes an entry into it after some turns of an advance. */
async function enteredAfter(
  name: string,
  turnCount: number,
  options: Parameters<typeof openPartner>[0],
): Promise<Partner> {
  const { partner, order } = await openBusy(options);
  const advance = partner.advance({ until: "next" });
  await turns(turnCount);
  await entries[name]?.(partner, order);
  await advance.catch(() => undefined);
  await partner.advance("PT1M");
  return partner;
}

async function digestAfter(name: string, turnCount: number): Promise<string> {
  await using partner = await enteredAfter(name, turnCount, { webhookUrl: undefined });
  return partner.sandbox.digest();
}

/** A receiver that answers each webhook after some turns. */
function receiverOf(speed: number): Transport {
  return async (requests) => {
    await turns(speed);
    const answer = { status: 200, error: null, message: "", responseHeaders: {}, responseBody: "" };
    return requests.map(() => ({ ...answer, responseTruncated: false, durationMs: 1 }));
  };
}

/**
 * What a partner can read: the objects, the ledger, the webhooks with their attempts, and the history. An answer of the
 * receiver that arrives beside the entry is journaled before it or after it. So only the place of an attempt in the
 * history may differ, and with it the digest.
 */
async function readAfter(name: string, turnCount: number, speed: number): Promise<unknown> {
  await using partner = await enteredAfter(name, turnCount, { transport: receiverOf(speed) });
  const read = async (path: string): Promise<SandboxObject> => (await partner.ask("GET", path)).body;
  const { data: lines } = await read("/sandbox/timeline?last=999999");
  const all = (lines as SandboxObject[]).map(({ at, kind, cause, what }) => ({ at, kind, cause, what }));
  const happened = all.filter(
    ({ kind, cause }) => kind !== "attempt" && !String(cause).startsWith("attempt"),
  );
  const history = all.map((line) => JSON.stringify(line)).toSorted();
  const { data: webhooks } = await read("/sandbox/deliveries");
  const collections = ["payouts", "orders", "refunds"].map((one) => read(`/sandbox/resources/${one}`));
  const objects = await Promise.all(collections);
  return { happened, history, webhooks, objects, ledger: await read("/sandbox/ledger") };
}

test.each(Object.keys(entries))("%s gives the same journal at any turn of an advance", async (name) => {
  const first = await digestAfter(name, 2);
  const property = fc.asyncProperty(fc.integer({ min: 2, max: 12 }), async (turnCount) => {
    expect(await digestAfter(name, turnCount)).toBe(first);
  });
  await expect(fc.assert(property, { numRuns: 8 })).resolves.toBeUndefined();
});

test.each(Object.keys(entries))(
  "%s at any turn of an advance happens after the timers of its instant, whenever the receiver answers",
  async (name) => {
    const first = await readAfter(name, 2, 1);
    const property = fc.asyncProperty(
      fc.integer({ min: 2, max: 12 }),
      fc.integer({ min: 0, max: 20 }),
      async (turnCount, speed) => {
        expect(await readAfter(name, turnCount, speed)).toEqual(first);
      },
    );
    await expect(fc.assert(property, { numRuns: 8 })).resolves.toBeUndefined();
  },
);
