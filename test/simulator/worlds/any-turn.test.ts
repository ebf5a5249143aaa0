import { expect, test } from "vitest";
import fc from "fast-check";
import { openPartner, type Partner, payoutBody } from "../../partner.ts";
import { askForOrder, orderBody } from "../platform/orders/asking.ts";
import { turns } from "../../turns.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const CLIENT = { grant_type: "client_credentials", client_id: "acme", client_secret: "acme-secret" };

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
      body: payoutBody({ externalId: "last" }),
    }),
  "a call with a fault": async (partner) => {
    await partner.sandbox.fault({ on: "api", operation: "createPayout", effect: "error", status: 503 });
    return partner.ask("POST", "/order/v1/banking/order-payouts", {
      key: "last",
      body: payoutBody({ externalId: "last" }),
    });
  },
  "a change of the settings": (partner) =>
    partner.ask("PATCH", "/sandbox/settings", { body: { assumptions: { "refund.delay": "PT9S" } } }),
  "a snapshot that is restored": async (partner) => {
    const { body } = await partner.ask("POST", "/sandbox/snapshots");
    return partner.ask("POST", `/sandbox/snapshots/${String(body["id"])}/restore`);
  },
};

/**
 * Makes payouts of many transactions, which settle at one instant and in several turns. No webhook is sent: the speed
 * of a receiver decides if its answer comes before a call.
 */
async function openBusy(): Promise<{ partner: Partner; order: string }> {
  const partner = await openPartner({
    webhookUrl: undefined,
    assumptions: { "payout.batch-threshold": "1.00" },
  });
  const { body: order } = await askForOrder(partner, orderBody("PIX"), { key: "order" });
  for (const externalId of ["one", "two", "three"]) {
    const body = payoutBody({ externalId, amount: { currency: "BRL", value: "400.00" } });
    await partner.ask("POST", "/order/v1/banking/order-payouts", { key: externalId, body });
  }
  return { partner, order: String(order["id"]) };
}

async function digestAfter(name: string, turnCount: number): Promise<string> {
  const { partner, order } = await openBusy();
  await using _ = partner;
  const advance = partner.advance({ until: "next" });
  await turns(turnCount);
  await entries[name]?.(partner, order);
  await advance.catch(() => undefined);
  await partner.advance("PT1M");
  return partner.sandbox.digest();
}

test.each(Object.keys(entries))("%s gives the same journal at any turn of an advance", async (name) => {
  const first = await digestAfter(name, 2);
  const property = fc.asyncProperty(fc.integer({ min: 2, max: 12 }), async (turnCount) => {
    expect(await digestAfter(name, turnCount)).toBe(first);
  });
  await expect(fc.assert(property, { numRuns: 8 })).resolves.toBeUndefined();
});
