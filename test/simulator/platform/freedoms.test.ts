import { describe, expect, test } from "vitest";
import { createSubscription, openPartner, type Partner } from "../../partner.ts";
import { askPayout, createPayout, PAYOUTS } from "./payouts/payout-requests.ts";

/** What a partner sees of a subscription that is accepted and a payout that fails. */
async function seen(...freedoms: string[]) {
  const assumptions = Object.fromEntries(freedoms.map((one) => [`freedoms.${one}`, true]));
  await using partner = await openPartner({ assumptions });
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  const payout = await askPayout(partner, { paymentData: { pixKey: "error@pix.example" } });
  await partner.advance("PT2S");
  const subscription = await partner.ask("GET", `/order/v1/banking/subscriptions/${String(id)}`);
  const refused = await askPayout(partner, { amount: null });
  const [accepted, failed] = await partner.webhooks();
  return { subscription: subscription.body, payout: payout.body, refused: refused.body, accepted, failed };
}

const usual = await seen();

describe("what the platform API allows", () => {
  test("unknown-fields: every object of answers, refusals and webhooks has one field more", async () => {
    const { subscription, refused, accepted } = await seen("unknown-fields");
    const extension = expect.any(Object) as unknown;
    expect(subscription).toMatchObject({ extension, debtor: { extension, document: { extension } } });
    expect(refused).toMatchObject({ extension, details: [{ extension }] });
    expect(accepted).toMatchObject({ extension, data: { extension } });
    expect(subscription["qrcodeDetail"]).toMatchObject({ imageBase64: expect.any(String) as string });
  });

  test("field-order: the same values in the opposite order", async () => {
    const { subscription, failed } = await seen("field-order");
    expect(subscription).toEqual(usual.subscription);
    expect(Object.keys(subscription)).toEqual(Object.keys(usual.subscription).toReversed());
    expect(Object.keys(failed ?? {})).toEqual(Object.keys(usual.failed ?? {}).toReversed());
  });

  test("absent-optionals: null is left out, and what was left out is null", async () => {
    const { failed } = await seen("absent-optionals");
    expect(usual.failed).toMatchObject({ paidAt: null, controlNumber: null });
    expect(failed).not.toHaveProperty("paidAt");
    expect(failed).not.toHaveProperty("controlNumber");
    expect(failed).toHaveProperty("endToEndId", usual.failed?.["endToEndId"]);
  });

  test("unknown-status: a history has an entry that the platform API does not name, before its last", async () => {
    const { subscription } = await seen("unknown-status");
    const statuses = (subscription["statusHistory"] as { status: string }[]).map(({ status }) => status);
    expect(statuses).toEqual(["INITIAL", "PENDING_AUTHORIZATION", "UNDER_REVIEW", "ACCEPTED"]);
    expect(subscription["status"]).toBe("ACCEPTED");
  });

  test("long-texts: what the platform writes is at its longest, what a partner sent stays", async () => {
    const { failed } = await seen("long-texts");
    expect(failed?.["message"]).toHaveLength(500);
    expect(failed?.["receiver"]).toHaveProperty("name.length", 140);
    expect(failed?.["description"]).toBe("Invoice 42");
  });

  test("instants: without a fraction, or with six digits", async () => {
    const { subscription } = await seen("instants");
    expect(subscription["createdAt"]).toBe("2026-11-20T12:00:00Z");
    await using partner = await openPartner({
      start: "2026-11-20T12:00:00.250Z",
      assumptions: { "freedoms.instants": true },
    });
    expect(await createSubscription(partner)).toHaveProperty("id");
    const { body } = await partner.ask("GET", "/order/v1/banking/accounts");
    expect(JSON.stringify(body)).toContain("2025-01-06T12:00:00Z");
  });

  test("all of them at once leave an idempotent answer as it was", async () => {
    const assumptions = Object.fromEntries(
      ["unknown-fields", "field-order", "long-texts", "instants"].map((one) => [`freedoms.${one}`, true]),
    );
    await using partner = await openPartner({ assumptions });
    const [first, again] = [
      await askPayout(partner, {}, { key: "k" }),
      await askPayout(partner, {}, { key: "k" }),
    ];
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body));
  });
});

describe("freedoms.unknown-event", () => {
  const events = async (partner: Partner): Promise<unknown[]> =>
    (await partner.webhooks()).map(({ event }) => event);

  test("an unknown event follows the third event at the latest, and later ones now and then", async () => {
    await using partner = await openPartner({ assumptions: { "freedoms.unknown-event": true } });
    for (let count = 0; count < 3; count++) await createPayout(partner, { externalId: `payout-${count}` });
    await partner.advance("PT2S");
    expect(await events(partner)).toContain("ORDER-PAYOUT.UNDER_REVIEW");
    for (let count = 3; count < 60; count++)
      await createPayout(partner, {
        externalId: `payout-${count}`,
        amount: { currency: "BRL", value: "1.00" },
      });
    await partner.advance("PT2S");
    const unknown = (await events(partner)).filter((event) => event === "ORDER-PAYOUT.UNDER_REVIEW").length;
    expect(unknown).toBeGreaterThan(2);
    expect(unknown).toBeLessThan(20);
  });
});

test("freedoms.slow-answers: an answer of the platform API takes two seconds of real time", async () => {
  await using partner = await openPartner({ assumptions: { "freedoms.slow-answers": true } });
  const began = performance.now();
  const answered = partner.ask("POST", PAYOUTS, { body: {}, key: "k" });
  // The sandbox's own API answers before.
  const first = await Promise.race([answered, partner.ask("GET", "/sandbox/clock")]);
  expect(first.status).toBe(200);
  expect((await answered).status).toBe(400);
  expect(performance.now() - began).toBeGreaterThan(1_990);
});
