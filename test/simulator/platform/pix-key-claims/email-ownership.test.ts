import { expect, test } from "vitest";
import { askClaims, email, GLOBEX } from "./claimant.ts";
import { openPartner } from "../../../partner.ts";

test.each(["contas@acme.example", "nobody@mail.example"])(
  "the e-mail %s does not change its owner by a claim, unless that is assumed",
  async (key) => {
    await using partner = await openPartner();
    const refused = await askClaims(partner, "", { ...GLOBEX, body: email(key) });
    expect(refused.status).toBe(400);
    expect(refused.body["details"]).toMatchObject([{ field: "type", issue: "NOT_ALLOWED" }]);
    await using accepting = await openPartner({ assumptions: { "claim.email-ownership": "accept" } });
    expect((await askClaims(accepting, "", { ...GLOBEX, body: email(key) })).status).toBe(201);
  },
);

test("an e-mail of the holder still comes by PORTABILITY, and a phone by OWNERSHIP", async () => {
  await using partner = await openPartner();
  for (const body of [
    { type: "PORTABILITY", key: { type: "EMAIL", value: "antigo@acme.example" } },
    { type: "OWNERSHIP", key: { type: "PHONE", value: "+5521912345678" } },
  ])
    expect((await askClaims(partner, "", { body })).status).toBe(201);
});
