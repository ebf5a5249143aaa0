import { expect, test } from "vitest";
import { openPartner, type Partner } from "../../../partner.ts";
import { openOrder, resource } from "../refunds/paid-order.ts";

const REJECT = { "subscription.first-charge-unpaid": "reject" };

async function statusOf(partner: Partner, id: string): Promise<unknown> {
  return (await resource(partner, "subscriptions", id))["status"];
}

test.each(["expire", "cancel", "fail", "decline"])(
  "after order.%s of its first charge a subscription is kept, or rejected where that is assumed",
  async (act) => {
    for (const [assumptions, status] of [
      [{}, "PENDING_AUTHORIZATION"],
      [REJECT, "REJECTED"],
    ] as const) {
      await using partner = await openPartner({ assumptions });
      const { orderId, subscriptionId } = await openOrder(partner);
      await partner.act(`order.${act}`, { id: orderId });
      expect(await statusOf(partner, subscriptionId)).toBe(status);
      const events = (await partner.webhooks()).map(({ event }) => event);
      expect(events.includes("SUBSCRIPTION.REJECTED")).toBe(status === "REJECTED");
    }
  },
);

test("a plan that declines the first charge rejects, too", async () => {
  await using partner = await openPartner({ assumptions: REJECT });
  const { orderId, subscriptionId } = await openOrder(partner);
  await partner.sandbox.plan({ plan: "order.payment", on: orderId, outcomes: ["DECLINED"] });
  await partner.advance("PT5S");
  expect(await statusOf(partner, subscriptionId)).toBe("REJECTED");
});

test("what is paid, held up or accepted is not rejected", async () => {
  await using partner = await openPartner({ assumptions: REJECT });
  const held = await openOrder(partner, "held");
  await partner.act("order.analyse", { id: held.orderId });
  const paid = await openOrder(partner, "paid");
  await partner.act("order.pay", { id: paid.orderId });
  await partner.advance("P3D");
  expect(await statusOf(partner, held.subscriptionId)).toBe("PENDING_AUTHORIZATION");
  expect(await statusOf(partner, paid.subscriptionId)).toBe("ACCEPTED");
});
