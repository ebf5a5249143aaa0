import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import {
  ACME_KEY,
  askClaims,
  codeOf,
  confirm,
  email,
  freshKey,
  GLOBEX,
  inboxOf,
  notThis,
  openClaim,
  statusOf,
  openPartner,
} from "./claimant.ts";
import { ACME_ACCOUNT, type Partner, detail } from "../../../partner.ts";
import { expect, test } from "vitest";

/** Opens a claim of globex for acme's e-mail key, with globex's code sent back. */
async function globexClaims(partner: Partner): Promise<string> {
  const { claimId, validationId } = await openClaim(partner, email(ACME_KEY), GLOBEX);
  await confirm(partner, validationId as string, await codeOf(partner, validationId as string), GLOBEX);
  return claimId as string;
}

async function requestCode(partner: Partner, claimId: string): Promise<SandboxObject> {
  return (await askClaims(partner, `/${claimId}/confirm-request`)).body;
}

/** Whether acme's account still has the key: a claim of its own key is refused, one of a lost key is not. */
async function acmeHasKey(partner: Partner): Promise<boolean> {
  const answered = await askClaims(partner, "", { body: email(ACME_KEY) });
  return answered.status === 400;
}

test("a PENDING claim can be canceled by its requester, before and after its code is confirmed", async () => {
  await using partner = await openPartner();
  const before = await openClaim(partner);
  const after = await openClaim(partner, email("b@mail.example"));
  await confirm(
    partner,
    after["validationId"] as string,
    await codeOf(partner, after["validationId"] as string),
  );
  for (const { claimId } of [before, after]) {
    const answered = await askClaims(partner, `/${claimId}/cancel`);
    expect([answered.status, answered.body]).toEqual([
      200,
      { claimId: claimId as string, status: "CANCELED" },
    ]);
  }
});

for (const [act, status, fields] of [
  ["claim.complete", "COMPLETED", { force: true }],
  ["claim.deny", "DENIED", {}],
] as const) {
  test(`a claim that is ${status} cannot be canceled any more`, async () => {
    await using partner = await openPartner();
    const { claimId } = await openClaim(partner);
    expect(await partner.act(act, { id: claimId, ...fields })).toEqual({
      claimId: claimId as string,
      status,
    });
    const refused = await askClaims(partner, `/${claimId}/cancel`);
    expect(refused.status).toBe(400);
    expect(detail(refused, "claimId")).toMatchObject({ issue: "NOT_PENDING" });
    expect(await statusOf(partner, claimId as string)).toBe(status);
  });
}

test("a claim is canceled once: the same idempotency key gives the same answer, another key is refused", async () => {
  await using partner = await openPartner();
  const { claimId } = await openClaim(partner);
  const key = freshKey();
  const first = await askClaims(partner, `/${claimId}/cancel`, { key });
  const again = await askClaims(partner, `/${claimId}/cancel`, { key });
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect((await askClaims(partner, `/${claimId}/cancel`)).status).toBe(400);
});

test.each([["nothing"], ["2b1a0c9d-8e7f-4a6b-9c5d-4e3f2a1b0c9d"]])(
  "the claim %s is refused by every endpoint that names one",
  async (claimId) => {
    await using partner = await openPartner();
    for (const path of ["cancel", "confirm-request", "confirm"]) {
      const body = { validationId: "4d3c2b1a-0f9e-4d8c-8b7a-6f5e4d3c2b1a", code: "123456" };
      const refused = await askClaims(partner, `/${claimId}/${path}`, { body });
      expect(refused.status).toBe(400);
      expect(detail(refused, "claimId")["issue"]).toBe("INVALID");
    }
  },
);

test("a claim can be canceled by the claimer only: the donor gets not found", async () => {
  await using partner = await openPartner();
  const claimId = await globexClaims(partner);
  const refused = await askClaims(partner, `/${claimId}/cancel`);
  expect(detail(refused, "claimId")["issue"]).toBe("INVALID");
  expect(await statusOf(partner, claimId)).toBe("PENDING");
});

test("a completed claim moves the key to the claimer's account", async () => {
  await using partner = await openPartner();
  const claimId = await globexClaims(partner);
  expect(await acmeHasKey(partner)).toBe(true);
  await partner.act("claim.complete", { id: claimId });
  expect(await acmeHasKey(partner)).toBe(false);
  const again = await askClaims(partner, "", { ...GLOBEX, body: email(ACME_KEY) });
  expect(detail(again, "key.value")["issue"]).toBe("ALREADY_EXISTS");
});

test("a denied or canceled claim moves no key", async () => {
  await using partner = await openPartner();
  await partner.act("claim.deny", { id: await globexClaims(partner) });
  const canceled = await globexClaims(partner);
  await askClaims(partner, `/${canceled}/cancel`, GLOBEX);
  expect(await acmeHasKey(partner)).toBe(true);
});

test("of several claims for one key the completed one gets it and the others are denied", async () => {
  await using partner = await openPartner();
  const first = await openClaim(partner, email("ok@pix.example"));
  const second = await openClaim(partner, email("ok@pix.example"), GLOBEX);
  await partner.act("claim.complete", { id: second["claimId"], force: true });
  expect(await statusOf(partner, first["claimId"] as string)).toBe("DENIED");
});

test("an act on a claim that has ended is refused", async () => {
  await using partner = await openPartner();
  const { claimId } = await openClaim(partner);
  await partner.act("claim.deny", { id: claimId });
  const refused = await partner.ask("POST", "/sandbox/acts/claim.complete", {
    body: { id: claimId as string },
  });
  expect(refused.status).toBe(409);
  expect(detail(refused, "act")["issue"]).toBe("ILLEGAL_ACT");
});

test("a plan answers a claim after its code is confirmed", async () => {
  await using partner = await openPartner();
  const { claimId, validationId } = await openClaim(partner);
  await partner.sandbox.plan({ plan: "claim.answer", on: claimId as string, outcomes: ["DENIED"] });
  await partner.advance("PT1M");
  expect(await statusOf(partner, claimId as string)).toBe("PENDING");
  const code = await codeOf(partner, validationId as string);
  expect((await confirm(partner, validationId as string, code)).body["status"]).toBe("PENDING");
  await partner.advance("PT5S");
  expect(await statusOf(partner, claimId as string)).toBe("DENIED");
});

test("a claim that was canceled before its planned answer stays CANCELED", async () => {
  await using partner = await openPartner();
  await partner.sandbox.plan({ plan: "claim.answer", outcomes: ["COMPLETED"] });
  const claimId = await globexClaims(partner);
  await askClaims(partner, `/${claimId}/cancel`, GLOBEX);
  await partner.advance("PT1M");
  expect(await statusOf(partner, claimId)).toBe("CANCELED");
  expect(await acmeHasKey(partner)).toBe(true);
});

test("the donor gets its own code under the claimer's claim id, and rejects the claim with it", async () => {
  await using partner = await openPartner();
  const claimId = await globexClaims(partner);
  const validation = await requestCode(partner, claimId);
  expect(validation).toEqual({
    validationId: expect.any(String) as string,
    status: "PENDING",
    expiresAt: "2026-11-20T12:10:00.000Z",
  });
  const validationId = validation["validationId"] as string;
  expect((await inboxOf(partner)).at(-1)).toMatchObject({ to: ACME_KEY, channel: "EMAIL", validationId });
  const body = { validationId, code: await codeOf(partner, validationId) };
  const answered = await askClaims(partner, `/${claimId}/confirm`, { body });
  expect([answered.status, answered.body]).toEqual([200, { claimId, status: "DENIED" }]);
  expect(await acmeHasKey(partner)).toBe(true);
});

test("the donor's confirmation can complete the claim instead", async () => {
  await using partner = await openPartner({ assumptions: { "claim.donor-confirmation": "COMPLETED" } });
  const claimId = await globexClaims(partner);
  const { validationId } = (await requestCode(partner, claimId)) as { validationId: string };
  const body = { validationId, code: await codeOf(partner, validationId) };
  const answered = await askClaims(partner, `/${claimId}/confirm`, { body });
  expect(answered.body["status"]).toBe("COMPLETED");
  expect(await acmeHasKey(partner)).toBe(false);
});

test("a wrong code of the donor is counted, and the claim stays PENDING", async () => {
  await using partner = await openPartner();
  const claimId = await globexClaims(partner);
  const { validationId } = (await requestCode(partner, claimId)) as { validationId: string };
  const code = notThis(await codeOf(partner, validationId));
  const refused = await askClaims(partner, `/${claimId}/confirm`, { body: { validationId, code } });
  expect(detail(refused, "code")["description"]).toContain("Attempts left: 2.");
  expect(await statusOf(partner, claimId)).toBe("PENDING");
});

test("another request for the donor's confirmation invalidates the former code", async () => {
  await using partner = await openPartner();
  const claimId = await globexClaims(partner);
  const first = (await requestCode(partner, claimId)) as { validationId: string };
  const code = await codeOf(partner, first.validationId);
  const second = (await requestCode(partner, claimId)) as { validationId: string };
  expect(second.validationId).not.toBe(first.validationId);
  const body = { validationId: first.validationId, code };
  const refused = await askClaims(partner, `/${claimId}/confirm`, { body });
  expect(detail(refused, "code")["issue"]).toBe("EXPIRED");
});

test("the claimer's validation cannot be used by the donor, and the donor's not by the claimer", async () => {
  await using partner = await openPartner();
  const opened = await openClaim(partner, email(ACME_KEY), GLOBEX);
  const claimId = opened["claimId"] as string;
  const claimers = opened["validationId"] as string;
  const { validationId: donors } = (await requestCode(partner, claimId)) as { validationId: string };
  const crossed = { validationId: claimers, code: await codeOf(partner, claimers) };
  const asDonor = await askClaims(partner, `/${claimId}/confirm`, { body: crossed });
  expect(detail(asDonor, "validationId")["issue"]).toBe("INVALID");
  const asClaimer = await confirm(partner, donors, await codeOf(partner, donors));
  expect(detail(asClaimer, "validationId")["issue"]).toBe("INVALID");
});

test("a claim for a key of another institution has no donor in the sandbox", async () => {
  await using partner = await openPartner();
  const { claimId } = await openClaim(partner, email("ok@pix.example"), GLOBEX);
  const refused = await askClaims(partner, `/${claimId}/confirm-request`);
  expect(detail(refused, "claimId")["issue"]).toBe("INVALID");
});

test("a claim that has ended sends no code to the donor", async () => {
  await using partner = await openPartner();
  const claimId = await globexClaims(partner);
  await partner.act("claim.deny", { id: claimId });
  const refused = await askClaims(partner, `/${claimId}/confirm-request`);
  expect(detail(refused, "claimId")["issue"]).toBe("NOT_PENDING");
});

test("closing an account releases its keys and cancels its open claims", async () => {
  await using partner = await openPartner();
  const { claimId } = await openClaim(partner);
  await partner.act("account.close", { id: ACME_ACCOUNT });
  expect(await statusOf(partner, claimId as string)).toBe("CANCELED");
  const claimed = await openClaim(partner, email(ACME_KEY), GLOBEX);
  await partner.act("claim.complete", { id: claimed["claimId"], force: true });
  expect(await statusOf(partner, claimed["claimId"] as string)).toBe("COMPLETED");
});

test("claims send no webhooks", async () => {
  await using partner = await openPartner();
  await partner.act("claim.complete", { id: await globexClaims(partner) });
  expect(await partner.webhooks()).toEqual([]);
});
