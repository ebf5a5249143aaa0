import { expect, test } from "vitest";
import { openPartner, payoutBody } from "../partner.ts";

test("the refusal of an act does not call the same act possible", async () => {
  await using partner = await openPartner({
    assumptions: { "payout.batch-threshold": "5.00", "payout.pix-delay": "P1D" },
  });
  const { body } = await partner.ask("POST", "/order/v1/banking/order-payouts", {
    key: "key-1",
    body: payoutBody({ amount: { currency: "BRL", value: "10.00" } }),
  });
  const id = body["id"] as string;
  await partner.act("payout.settle", { id, sequence: 1 });
  await partner.act("payout.cancel", { id, sequence: 2 });
  const shown = await partner.ask("GET", `/sandbox/resources/payouts/${id}`);
  expect(shown.body["status"]).toBe("ERROR");
  const refused = await partner.ask("POST", "/sandbox/acts/payout.settle", { body: { id } });
  expect(JSON.stringify(refused.body)).toContain("The act payout.settle is not possible");
  expect(JSON.stringify(refused.body)).not.toMatch(/Possible acts: [^"]*payout\.settle[,.]/);
});
