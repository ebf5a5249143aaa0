import {
  acmeBalance,
  createPayout,
  ledgerBalance,
  payoutNow,
  TED,
} from "../simulator/platform/payouts/payout-requests.ts";
import { expect, test } from "vitest";
import { openPartner } from "../partner.ts";

const START = "2026-11-23T10:00:00-03:00";
const path = "/sandbox/acts/payout.return";

test("a TED that was paid does not come back", async () => {
  await using partner = await openPartner({ start: START });
  const { id } = await createPayout(partner, TED);
  await partner.advance("PT2S");
  const refused = await partner.ask("POST", path, { body: { id } });
  expect(refused.status).toBe(409);
  expect(refused.body["message"]).toContain("payout.returns");
});

test("with payout.ted-returns its money comes back once, without an event", async () => {
  await using partner = await openPartner({ start: START, assumptions: { "payout.ted-returns": true } });
  const { id } = await createPayout(partner, TED);
  expect((await partner.ask("POST", path, { body: { id } })).status).toBe(409);
  await partner.advance("PT2S");
  expect(await acmeBalance(partner)).toBe("98750.00");
  await partner.act("payout.return", { id });
  expect(await payoutNow(partner, id)).toMatchObject({ status: "REFUNDED" });
  expect(await acmeBalance(partner)).toBe("100000.00");
  expect((await partner.webhooks()).map(({ event }) => event)).toEqual(["ORDER-PAYOUT.PAID"]);
  expect((await partner.ask("POST", path, { body: { id } })).status).toBe(409);
  expect(await ledgerBalance(partner, `held:${String(id)}`)).not.toBe("1250.00");
});

test("nothing comes back to a closed account", async () => {
  await using partner = await openPartner({ start: START, assumptions: { "payout.ted-returns": true } });
  const ted = await createPayout(partner, { ...TED, externalId: "ted" });
  await partner.advance("PT2S");
  await partner.act("account.close", { id: "11111111-1111-4111-8111-111111111111" });
  expect((await partner.ask("POST", path, { body: { id: ted["id"] } })).status).toBe(409);
});
