import { acceptedSubscription, charges, createCharge } from "./charge.ts";
import { expect, test } from "vitest";
import { openPartner } from "../../partner.ts";

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
