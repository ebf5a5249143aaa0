import { acceptedSubscription, charges, createCharge } from "./charge.ts";
import { expect, test } from "vitest";
import { openPartner } from "../../../partner.ts";

/** Twelve dates from December on, one in each cycle of a subscription that starts on 20 November. */
const DUE_DATES = Array.from({ length: 12 }, (_, month) =>
  month === 0 ? "2026-12-05" : `2027-${String(month).padStart(2, "0")}-05`,
);

test("a year of two hundred monthly subscriptions advances in one call", { timeout: 120_000 }, async () => {
  await using partner = await openPartner({ assumptions: { "charge.window-max-days": 365 } });
  for (let number = 0; number < 200; number++) {
    const { id } = await acceptedSubscription(partner, { externalId: `subscription-${number}` });
    for (const [month, dueDate] of DUE_DATES.entries())
      await createCharge(partner, id, { externalId: `charge-${number}-${month}`, dueDate });
  }
  const { stoppedBy } = await partner.advance("P1Y");
  expect(stoppedBy ?? null).toBeNull();
  const all = await charges(partner);
  expect(all).toHaveLength(2400);
  expect(all.every(({ status }) => status === "COMPLETED")).toBe(true);
  const balance = await partner.ask(
    "GET",
    "/order/v1/banking/accounts/11111111-1111-4111-8111-111111111111/balance",
  );
  expect(balance.body["balance"]).toEqual({ currency: "BRL", value: "243760.00" });
});

test(
  "a year in which charges fail, webhooks are lost and receivers are down advances in one call too",
  {
    timeout: 120_000,
  },
  async () => {
    await using partner = await openPartner({ assumptions: { "charge.window-max-days": 365 } });
    const fates = [
      ["SETTLEMENT_ERROR", "SETTLED"],
      ["INSUFFICIENT_BALANCE", "INSUFFICIENT_BALANCE"],
      ["SETTLED"],
    ];
    for (let number = 0; number < 60; number++) {
      const { id } = await acceptedSubscription(partner, { externalId: `subscription-${number}` });
      for (const [month, dueDate] of DUE_DATES.entries()) {
        const charge = await createCharge(partner, id, { externalId: `charge-${number}-${month}`, dueDate });
        const on = charge["id"] as string;
        await partner.sandbox.plan({ plan: "scheduled-payment.settlement", on, outcomes: fates[month % 3]! });
      }
    }
    await partner.sandbox.fault({ on: "webhook", effect: "duplicate", probability: 0.2 });
    await partner.sandbox.fault({ on: "webhook", effect: "drop", attempt: 1, probability: 0.2 });
    const between = ["2027-03-01T00:00:00Z", "2027-03-10T00:00:00Z"];
    await partner.sandbox.fault({ on: "webhook", effect: "outage", between });
    const { stoppedBy, to } = await partner.advance("P1Y");
    expect({ stoppedBy, to }).toEqual({ to: "2027-11-20T12:00:00.000Z" });
    const statuses = (await charges(partner)).map(({ status }) => String(status));
    const count = (wanted: string): number => statuses.filter((status) => status === wanted).length;
    // A third is resent once and then paid, a third never finds the money, a third is paid at once.
    expect(count("CANCELED")).toBe(240);
    expect(count("CANCELED_INSUFFICIENT_BALANCE")).toBe(240);
    expect(count("COMPLETED")).toBe(480);
    // Whatever failed came later, but for copies, which are tried once.
    const events = (await partner.sandbox.deliveries()).filter(({ duplicateOf }) => duplicateOf === null);
    expect(new Set(events.map(({ status }) => String(status)))).toEqual(new Set(["delivered"]));
  },
);
