import { describe, expect, test } from "vitest";
import { createSubscription, openPartner, type Partner } from "../../../partner.ts";
import { createPayout, payoutNow } from "../payouts/payout-requests.ts";
import { createCharge, acceptedSubscription, chargeOf } from "../scheduled-payments/charge.ts";
import { makeOrder, orderBody, orderNow } from "../orders/asking.ts";
import { faultOf, sabotage, sabotages } from "../../../../src/checks/doubt/sabotage.ts";
import { signatureOf } from "../../../../src/simulator/api/signature.ts";

async function openWith(id: string): Promise<Partner> {
  const partner = await openPartner();
  await partner.sandbox.fault(sabotage(id).fault);
  return partner;
}

/** What the receiver got, in the order in which it came. */
function received({ receiver }: Partner): Readonly<Record<string, unknown>>[] {
  return receiver.received.map(({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>);
}

describe("the list", () => {
  const ids = sabotages().map(({ id }) => id);

  test("every event can be missing, and every operation can fail", () => {
    expect(ids).toContain("event.ORDER-PAYOUT.PAID.never");
    expect(ids).toContain("operation.createPayout.fails");
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("only what has an amount has another one, and only a success that has a failure fails", () => {
    expect(ids).toContain("event.ORDER-PAYIN.PAID.other-amount");
    // Only the subscriptions of journey 3 have one.
    expect(ids).toContain("operation.createSubscription.other-amount");
    expect(ids).not.toContain("event.ORDER-PAYIN.REFUNDED.other-amount");
    expect(ids).not.toContain("operation.getWebhook.other-amount");
    expect(ids.filter((id) => id.endsWith(".failure"))).toEqual([
      "event.SUBSCRIPTION.ACCEPTED.failure",
      "event.SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED.failure",
      "event.SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED.failure",
      "event.SUBSCRIPTION.CANCELLATION.ACCEPTED.failure",
      "event.SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED.failure",
      "event.ORDER-PAYIN.REFUNDED.failure",
      "event.ORDER-PAYOUT.PAID.failure",
      "event.ORDER-PAYIN.PAID.failure",
    ]);
  });

  test("each is a fault that a world takes, without a limit", async () => {
    await using partner = await openPartner();
    for (const one of sabotages()) {
      expect(faultOf(one).selectors).toMatchObject({ times: null, nth: null, probability: null });
      await expect(partner.sandbox.fault(one.fault)).resolves.toMatchObject({ inForce: true });
    }
  });

  test("an unknown id is refused with the nearest ones", () => {
    expect(() => sabotage("event.ORDER-PAYOUT.PAID.neve")).toThrow(
      'Failed to read a sabotage: there is no "event.ORDER-PAYOUT.PAID.neve". Did you mean event.ORDER-PAYOUT.PAID.never',
    );
  });
});

describe("events", () => {
  test("one that says failure has the name, the status and the fields of a failure, and its own id", async () => {
    await using partner = await openWith("event.ORDER-PAYOUT.PAID.failure");
    const { id } = await createPayout(partner);
    await partner.advance("PT2S");
    expect(received(partner)).toMatchObject([
      { id, event: "ORDER-PAYOUT.ERROR", status: "ERROR", paidAt: null, amount: { value: "1250.00" } },
    ]);
    expect(await payoutNow(partner, id)).toMatchObject({ status: "PAID" });
  });

  test("one of another amount has a cent more, and is signed as it is sent", async () => {
    await using partner = await openWith("event.ORDER-PAYOUT.PAID.other-amount");
    await createPayout(partner);
    await partner.advance("PT2S");
    expect(received(partner)).toMatchObject([{ amount: { currency: "BRL", value: "1250.01" } }]);
    const { body: webhook } = await partner.ask("GET", "/order/v1/webhook");
    const [{ body, headers } = { body: "", headers: {} }] = partner.receiver.received;
    expect(new Headers(headers as Record<string, string>).get("x-signature-sha256")).toBe(
      signatureOf(String(webhook["secret"]), Buffer.from(body)),
    );
  });

  test("every attempt of every such event is changed", async () => {
    await using partner = await openWith("event.SUBSCRIPTION.ACCEPTED.failure");
    for (const externalId of ["one", "two"]) {
      const { id } = await createSubscription(partner, { externalId });
      await partner.act("subscription.accept", { id });
    }
    await partner.advance("PT1S");
    expect(received(partner).map(({ event }) => event)).toEqual([
      "SUBSCRIPTION.REJECTED",
      "SUBSCRIPTION.REJECTED",
    ]);
  });
});

describe("calls", () => {
  test("an answer of another amount has a cent more, and what was carried out has not", async () => {
    await using partner = await openWith("operation.createPayout.other-amount");
    const payout = await createPayout(partner);
    expect(payout).toMatchObject({ status: "PENDING", amount: "1250.01" });
    expect(await payoutNow(partner, payout["id"])).toMatchObject({ amount: "1250.00" });
  });

  test("a refused call is refused as ever", async () => {
    await using partner = await openWith("operation.createPayout.other-amount");
    const { status, body } = await partner.ask("POST", "/order/v1/banking/order-payouts", { body: {} });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: "INVALID_REQUEST" });
  });

  test("one that fails always fails with 500", async () => {
    await using partner = await openWith("operation.listAccounts.fails");
    for (let time = 0; time < 3; time++)
      expect((await partner.ask("GET", "/order/v1/banking/accounts")).status).toBe(500);
  });
});

describe("settlement never comes", () => {
  test("a payout stays PENDING", async () => {
    await using partner = await openWith("settlement.never");
    const { id } = await createPayout(partner);
    await partner.advance("P30D");
    expect(await payoutNow(partner, id)).toMatchObject({ status: "PENDING" });
    expect(received(partner)).toEqual([]);
  });

  test("an order that is paid stays PENDING, and does not expire", async () => {
    await using partner = await openWith("settlement.never");
    const { id } = await makeOrder(partner, orderBody("PIX"));
    await expect(partner.act("order.pay", { id })).resolves.toMatchObject({ status: "PENDING" });
    await partner.advance("P30D");
    expect(received(partner)).toEqual([]);
  });

  test("a boleto is never confirmed", async () => {
    await using partner = await openWith("settlement.never");
    const { id } = await makeOrder(partner, orderBody("BOLETO"));
    await partner.act("order.pay", { id });
    await partner.advance("P10D");
    expect(received(partner)).toEqual([]);
  });

  test("a first charge that is paid accepts nothing", async () => {
    await using partner = await openWith("settlement.never");
    const { id } = await createSubscription(partner, {
      type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
      initialCharge: { amount: { currency: "BRL", value: "10.00" } },
    });
    const subscription = await partner.act("subscription.accept", { id });
    expect(subscription).toMatchObject({ status: "PENDING_AUTHORIZATION" });
  });

  test("a charge stays ACCEPTED after its day", async () => {
    await using partner = await openWith("settlement.never");
    const { id: subscription } = await acceptedSubscription(partner);
    const { id } = await createCharge(partner, subscription);
    await partner.advance("P20D");
    expect(await chargeOf(partner, id)).toMatchObject({ status: "ACCEPTED" });
  });

  test("an act of the tester settles all the same", async () => {
    await using partner = await openWith("settlement.never");
    const { id } = await createPayout(partner);
    await expect(partner.act("payout.settle", { id })).resolves.toMatchObject({ status: "PAID" });
  });
});

describe("the next day never comes", () => {
  test("an advance ends at the last millisecond of the day in Brasília, and says why", async () => {
    await using partner = await openWith("clock.next-day-never");
    const end = { to: "2026-11-21T02:59:59.999Z", stoppedBy: "fault" };
    expect(await partner.advance("P1D")).toMatchObject(end);
    expect(await partner.advance("PT1S")).toMatchObject(end);
  });

  test("what is due on that day happens, and what is due later does not", async () => {
    await using partner = await openWith("clock.next-day-never");
    const { id } = await createPayout(partner);
    const { id: order } = await makeOrder(partner, orderBody("PIX"));
    await partner.advance({ until: "idle" });
    expect(await payoutNow(partner, id)).toMatchObject({ status: "PAID" });
    expect(await orderNow(partner, order)).toMatchObject({ status: "INITIAL" });
  });

  test("without the fault the clock goes on", async () => {
    await using partner = await openWith("clock.next-day-never");
    await partner.advance("P1D");
    await partner.ask("DELETE", "/sandbox/faults");
    const report = await partner.advance("P1D");
    expect(report).toMatchObject({ to: "2026-11-22T02:59:59.999Z" });
    expect(report).not.toHaveProperty("stoppedBy");
  });

  test("it takes no selectors, and none that are about events", async () => {
    await using partner = await openPartner();
    const selected = partner.sandbox.fault({ on: "clock", effect: "last-day", times: 1 });
    await expect(selected).rejects.toThrow("takes no selectors");
    const ofEvent = partner.sandbox.fault({ on: "clock", effect: "never-settles", event: "ORDER-PAYOUT.*" });
    await expect(ofEvent).rejects.toThrow("due timers");
  });
});
