import { codeOf, confirm, email, openClaim, statusOf, openPartner } from "./claimant.ts";
import { type Partner, detail } from "../../../partner.ts";
import { expect, test } from "vitest";

const PORTABILITY = { type: "PORTABILITY", key: { type: "EMAIL", value: "maria@mail.example" } };

async function open(partner: Partner, body: object, isConfirmed: boolean): Promise<string> {
  const { claimId, validationId } = await openClaim(partner, body);
  const id = String(validationId);
  if (isConfirmed) await confirm(partner, id, await codeOf(partner, id));
  return String(claimId);
}

/** Claims stayed PENDING for ever. */
test.each([
  ["OWNERSHIP", email("maria@mail.example"), true, "P14D", "COMPLETED"],
  ["OWNERSHIP", email("maria@mail.example"), false, "P7D", "CANCELED"],
  ["PORTABILITY", PORTABILITY, true, "P7D", "CANCELED"],
  ["PORTABILITY", PORTABILITY, false, "P7D", "CANCELED"],
])("a claim of %s %# is resolved by time", async (_type, body, isConfirmed, period, status) => {
  await using partner = await openPartner();
  const id = await open(partner, body, isConfirmed);
  await partner.advance(period === "P14D" ? "P13DT23H59M59S" : "P6DT23H59M59S");
  expect(await statusOf(partner, id)).toBe("PENDING");
  await partner.advance("PT1S");
  expect(await statusOf(partner, id)).toBe(status);
  expect(await partner.webhooks()).toEqual([]);
});

test("an ownership whose code comes back on the last day goes on to its completion", async () => {
  await using partner = await openPartner();
  const { claimId, validationId } = await openClaim(partner);
  await partner.advance("P6DT23H59M");
  const id = String(validationId);
  const accountId = "11111111-1111-4111-8111-111111111111";
  const path = `/order/v1/banking/accounts/${accountId}/keys/claims/resend`;
  const key = "00000000-0000-4000-8000-0000000000aa";
  await partner.ask("POST", path, { body: { validationId: id }, key });
  await confirm(partner, id, await codeOf(partner, id));
  await partner.advance("P1D");
  expect(await statusOf(partner, String(claimId))).toBe("PENDING");
  await partner.advance("P7D");
  expect(await statusOf(partner, String(claimId))).toBe("COMPLETED");
});

test.each(["COMPLETED", "DENIED"])("a holder who answers %s in time decides", async (outcome) => {
  for (const body of [PORTABILITY, email("maria@mail.example")]) {
    await using partner = await openPartner();
    const id = await open(partner, body, true);
    await partner.act(outcome === "COMPLETED" ? "claim.complete" : "claim.deny", { id });
    await partner.advance("P30D");
    expect(await statusOf(partner, id)).toBe(outcome);
  }
});

test("the periods are assumptions", async () => {
  const assumptions = { "claim.resolution-period": "P1D", "claim.completion-period": "P2D" };
  await using partner = await openPartner({ assumptions });
  const unconfirmed = await open(partner, email("a@mail.example"), false);
  const confirmed = await open(partner, email("b@mail.example"), true);
  await partner.advance("P1D");
  expect([await statusOf(partner, unconfirmed), await statusOf(partner, confirmed)]).toEqual([
    "CANCELED",
    "PENDING",
  ]);
  await partner.advance("P1D");
  expect(await statusOf(partner, confirmed)).toBe("COMPLETED");
});

test("a completion period that is the shorter one completes as soon as the other is over", async () => {
  const assumptions = { "claim.completion-period": "PT1M" };
  await using partner = await openPartner({ assumptions });
  const { claimId, validationId } = await openClaim(partner);
  await partner.advance("PT2M");
  await confirm(partner, String(validationId), await codeOf(partner, String(validationId)));
  await partner.advance("P7D");
  expect(await statusOf(partner, String(claimId))).toBe("COMPLETED");
});

test("claim.complete before the code came back is refused, unless it is forced", async () => {
  await using partner = await openPartner();
  const id = await open(partner, PORTABILITY, false);
  const path = "/sandbox/acts/claim.complete";
  for (const body of [{ id }, { id, force: false }]) {
    const refused = await partner.ask("POST", path, { body });
    expect(refused.status).toBe(409);
    expect(detail(refused, "act")["description"]).toContain("force: true");
  }
  expect((await partner.ask("POST", path, { body: { id, force: "yes" } })).status).toBe(400);
  expect(await partner.act("claim.complete", { id, force: true })).toMatchObject({ status: "COMPLETED" });
});

test("claim.deny needs no code", async () => {
  await using partner = await openPartner();
  const id = await open(partner, PORTABILITY, false);
  expect(await partner.act("claim.deny", { id })).toMatchObject({ status: "DENIED" });
});
