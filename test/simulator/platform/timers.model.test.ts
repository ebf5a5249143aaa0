import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";
import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { isRecord } from "../../../src/simulator/engine/json.ts";
import { acts } from "../../../src/simulator/platform/catalog.ts";
import { listAssumptions } from "../../../src/simulator/platform/assumptions/listing.ts";
import { ACME_ACCOUNT, openPartner, payoutBody, subscriptionBody, type Partner } from "../../partner.ts";
import { email } from "./pix-key-claims/claimant.ts";
import { refundBody } from "./refunds/paid-order.ts";

const customer = { name: "Maria da Silva", document: { type: "CPF", number: "52998224725" } };
const amount = { currency: "BRL", value: "100.00" };

/** One step of a session. Picks are reduced to the objects that exist at the step. */
type Step =
  | { readonly create: string }
  | { readonly refund: number; readonly part: string }
  | { readonly act: string; readonly pick: number; readonly part: string | undefined }
  | { readonly charge: number; readonly inDays: number }
  | { readonly advance: string };

const kinds = fc.constantFrom("boleto", "deposit", "pix", "payout", "first charge", "subscription", "claim");
const parts = fc.constantFrom("10.00", "30.00", "70.00", "100.00", "110.00");
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ create: kinds }) },
  { weight: 4, arbitrary: fc.record({ refund: fc.nat({ max: 2 }), part: parts }) },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constantFrom("order.pay", "order.pay", "order.return", "order.dispute", "order.dispute-lost"),
      pick: fc.nat({ max: 5 }),
      part: fc.option(parts, { nil: undefined }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constantFrom(...acts.keys()),
      pick: fc.nat({ max: 5 }),
      part: fc.option(parts, { nil: undefined }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ charge: fc.nat({ max: 2 }), inDays: fc.constantFrom(3, 5, 9) }) },
  { weight: 6, arbitrary: fc.record({ advance: fc.constantFrom("PT1S", "PT5S", "PT3H", "P1D", "P4D") }) },
);

/** Other values of the assumptions about payments, refunds and automatic steps. */
const otherValues = listAssumptions().flatMap(({ id, type, alternatives }) =>
  ["choice", "duration"].includes(type.kind) &&
  /^(order|refund|autopilot|subscription|charge|claim|payout)\./.test(id)
    ? alternatives.map((value) => [id, value] as const)
    : [],
);
const behaviours = fc
  .array(fc.constantFrom(...otherValues), { maxLength: 3 })
  .map(Object.fromEntries<string>);

async function create(partner: Partner, kind: string): Promise<void> {
  const key = randomUUID();
  if (kind === "payout") {
    const body = payoutBody({ externalId: key, amount });
    await answered(partner, "POST", "/order/v1/banking/order-payouts", { body, key });
  } else if (kind === "first charge") {
    const type = "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT";
    const body = subscriptionBody({
      externalId: key,
      type,
      startDate: "2030-01-01",
      initialCharge: { amount },
    });
    await answered(partner, "POST", "/order/v1/banking/subscriptions", { body });
  } else if (kind === "subscription") {
    const body = subscriptionBody({ externalId: key, startDate: (await today(partner)).toString() });
    const created = await answered(partner, "POST", "/order/v1/banking/subscriptions", { body });
    await answered(partner, "POST", "/sandbox/acts/subscription.accept", {
      body: { id: created["id"] ?? key },
    });
  } else if (kind === "claim") {
    const body = email(`${key}@mail.example`);
    await answered(partner, "POST", `/order/v1/banking/accounts/${ACME_ACCOUNT}/keys/claims`, { body, key });
  } else {
    const order = { externalId: key, paymentMethod: kind.toUpperCase(), amount };
    await answered(partner, "PUT", "/order/v2/transparent", { body: { customer, order }, key });
  }
}

/** Returns the day of the world in São Paulo. */
async function today(partner: Partner): Promise<Temporal.PlainDate> {
  const { body } = await partner.ask("GET", "/sandbox/clock");
  return Temporal.Instant.from(String(body["now"])).toZonedDateTimeISO("America/Sao_Paulo").toPlainDate();
}

/** A call may be refused, but the sandbox may not fail. */
async function answered(
  ...[partner, ...asked]: [Partner, ...Parameters<Partner["ask"]>]
): Promise<SandboxObject> {
  const { status, body } = await partner.ask(...asked);
  if (status >= 500) throw new Error(JSON.stringify(body));
  return body;
}

/** Returns the ids of the objects of a collection. */
async function idsOf(partner: Partner, collection: string): Promise<string[]> {
  const { body } = await partner.ask("GET", `/sandbox/resources/${collection}`);
  return (Array.isArray(body["data"]) ? body["data"] : []).map((one) =>
    String(isRecord(one) ? one["id"] : ""),
  );
}

/** Charges one of the subscriptions. */
async function charge(partner: Partner, step: Extract<Step, { charge: number }>): Promise<void> {
  const ids = await idsOf(partner, "subscriptions");
  if (ids.length === 0) return;
  const id = ids[step.charge % ids.length]!;
  const charged = {
    externalId: randomUUID(),
    dueDate: (await today(partner)).add({ days: step.inDays }).toString(),
    amount,
  };
  await answered(partner, "PUT", `/public/v1/banking/subscriptions/${id}/payments`, { body: charged });
}

async function take(partner: Partner, step: Step): Promise<void> {
  if ("create" in step) return create(partner, step.create);
  if ("charge" in step) return charge(partner, step);
  if ("advance" in step)
    return void (await answered(partner, "POST", "/sandbox/clock/advance", { body: { by: step.advance } }));
  const isRefund = "refund" in step;
  const collection = isRefund ? "orders" : (acts.get(step.act)?.collection ?? "");
  const ids = await idsOf(partner, collection);
  if (ids.length === 0) return;
  const id = ids[(isRefund ? step.refund : step.pick) % ids.length]!;
  if (isRefund) {
    const asked = refundBody(id, { amount: step.part });
    return void (await answered(partner, "PUT", "/order/v2/refund", { body: asked, key: randomUUID() }));
  }
  const fields = step.part === undefined ? {} : { amount: step.part };
  await answered(partner, "POST", `/sandbox/acts/${step.act}`, { body: { id, ...fields } });
}

test("every timer fires in every state that can stand beside it", { timeout: 120_000 }, async () => {
  const sessions = fc.array(steps, { minLength: 15, maxLength: 30, size: "max" });
  const property = fc.asyncProperty(behaviours, kinds, sessions, async (assumed, first, session) => {
    await using partner = await openPartner({
      assumptions: { "claim.email-ownership": "accept", ...assumed },
    });
    for (const step of [{ create: "boleto" }, { create: first }, ...session] as const)
      await take(partner, step);
    for (const by of ["PT5S", "P2D", "P60D"])
      await answered(partner, "POST", "/sandbox/clock/advance", { body: { by } });
    const { body } = await partner.ask("GET", "/sandbox/health", { token: null });
    expect(body).toEqual({ status: "ok" });
  });
  await expect(fc.assert(property, { numRuns: 150 })).resolves.toBeUndefined();
});
