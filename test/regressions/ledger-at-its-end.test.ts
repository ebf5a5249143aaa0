import { expect, test } from "vitest";
import { ACME_ACCOUNT, openPartner } from "../partner.ts";

/** The largest deposit, in minor units. */
const MOST = 999_999_999_999;

test("a deposit that the ledger cannot count exactly is refused with a sentence", async () => {
  await using partner = await openPartner({ audit: () => undefined });
  const deposit = () =>
    partner.ask("POST", "/sandbox/acts/account.deposit", {
      body: { id: ACME_ACCOUNT, amount: "9999999999.99" },
    });
  const room = Math.floor(Number.MAX_SAFE_INTEGER / MOST);
  let refused = await deposit();
  for (let count = 1; count <= room && refused.status === 200; count++) refused = await deposit();
  expect(refused).toMatchObject({ status: 409, body: { error: "INVALID_REQUEST" } });
  expect(JSON.stringify(refused.body)).toContain("Use smaller amounts, or reset the world.");
  expect((await deposit()).status).toBe(409);
});
