import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { askClaims, email, freshKey, inboxOf, openClaim, statusOf, openPartner } from "./claimant.ts";
import { detail } from "../../../partner.ts";
import { expect, test } from "vitest";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const INACTIVE = "11111111-1111-4111-8111-111111111112";

test("a new claim is PENDING, with a validation whose code is valid for ten minutes", async () => {
  await using partner = await openPartner();
  const answered = await askClaims(partner, "", { body: email("maria@mail.example") });
  expect(answered.status).toBe(201);
  expect(answered.body).toEqual({
    claimId: expect.stringMatching(UUID) as string,
    validationId: expect.stringMatching(UUID) as string,
    status: "PENDING",
    expiresAt: "2026-11-20T12:10:00.000Z",
  });
  expect(await statusOf(partner, answered.body["claimId"] as string)).toBe("PENDING");
});

test("a code of six digits is sent to the claimed e-mail", async () => {
  await using partner = await openPartner();
  const { validationId } = await openClaim(partner, email(" Maria@Mail.example"));
  expect(await inboxOf(partner)).toEqual([
    {
      channel: "EMAIL",
      to: "maria@mail.example",
      code: expect.stringMatching(/^\d{6}$/) as string,
      validationId: validationId as string,
      sentAt: "2026-11-20T12:00:00.000Z",
    },
  ]);
});

test("the code is sent to a claimed phone by SMS, and for a document to the holder's e-mail", async () => {
  await using partner = await openPartner();
  await openClaim(partner, { type: "OWNERSHIP", key: { type: "PHONE", value: "+55 (21) 91234-5678" } });
  const initech = { accountId: "33333333-3333-4333-8333-333333333301", token: "initech-token" };
  const list = await partner.ask("GET", "/order/v1/banking/accounts?fullName=beatriz", {
    token: "initech-token",
  });
  const { number } = list.body["data"][0].document as { number: string };
  await openClaim(partner, { type: "PORTABILITY", key: { type: "CPF", value: number } }, initech);
  expect((await inboxOf(partner)).map(({ channel, to }) => [channel, to])).toEqual([
    ["SMS", "+5521912345678"],
    ["EMAIL", "conta01@initech.example"],
  ]);
});

test("the same seed gives the same codes, another seed gives others", async () => {
  const codesWith = async (seed: number) => {
    await using partner = await openPartner({ seed });
    await openClaim(partner);
    await openClaim(partner, email("b@mail.example"));
    return (await inboxOf(partner)).map(({ code }) => code as string);
  };
  expect(await codesWith(7)).toEqual(await codesWith(7));
  expect(await codesWith(7)).not.toEqual(await codesWith(8));
});

test.each([
  ["no type", { key: { type: "EMAIL", value: "a@b.example" } }, "type", "REQUIRED"],
  ["an unknown type", { type: "THEFT", key: { type: "EMAIL", value: "a@b.example" } }, "type", "INVALID"],
  ["no key", { type: "OWNERSHIP" }, "key", "REQUIRED"],
  ["a key that is text", { type: "OWNERSHIP", key: "a@b.example" }, "key", "INVALID"],
  ["a null key", { type: "OWNERSHIP", key: null }, "key", "INVALID"],
  ["a key without a value", { type: "OWNERSHIP", key: { type: "EMAIL" } }, "key.value", "REQUIRED"],
  ["a key without a type", { type: "OWNERSHIP", key: { value: "a@b.example" } }, "key.type", "REQUIRED"],
  ["an empty value", { type: "OWNERSHIP", key: { type: "EMAIL", value: "" } }, "key.value", "INVALID"],
  ["a number for a value", { type: "OWNERSHIP", key: { type: "PHONE", value: 5 } }, "key.value", "INVALID"],
  ["a broken e-mail", email("a@"), "key.value", "INVALID"],
  [
    "an e-mail called a phone",
    { type: "OWNERSHIP", key: { type: "PHONE", value: "a@b.example" } },
    "key.value",
    "INVALID",
  ],
  [
    "eleven digits called a phone",
    { type: "OWNERSHIP", key: { type: "PHONE", value: "11987650001" } },
    "key.value",
    "INVALID",
  ],
  [
    "a random key",
    { type: "PORTABILITY", key: { type: "RANDOM", value: "33333333-aaaa-4aaa-8aaa-333333333333" } },
    "key.type",
    "NOT_ALLOWED",
  ],
  [
    "ownership of a document",
    { type: "OWNERSHIP", key: { type: "CPF", value: "52998224725" } },
    "type",
    "NOT_ALLOWED",
  ],
  [
    "portability of another person's document",
    { type: "PORTABILITY", key: { type: "CPF", value: "52998224725" } },
    "key.value",
    "INVALID",
  ],
  ["the account's own key", email("contas@acme.example"), "key.value", "ALREADY_EXISTS"],
  [
    "portability of another person's key",
    { type: "PORTABILITY", key: { type: "EMAIL", value: "ok@pix.example" } },
    "type",
    "INVALID",
  ],
  ["ownership of the holder's own key elsewhere", email("antigo@acme.example"), "type", "INVALID"],
  ["a body that is a list", [], "body", "INVALID"],
  ["broken JSON", "{", "body", "INVALID"],
])("a claim with %s is refused", async (_what, body, field, issue) => {
  await using partner = await openPartner();
  const answered = await askClaims(partner, "", { body });
  expect(answered.status).toBe(400);
  expect(answered.body["error"]).toBe("INVALID_REQUEST");
  expect(detail(answered, field)["issue"]).toBe(issue);
  expect(await inboxOf(partner)).toEqual([]);
});

test("a claim without a body is refused", async () => {
  await using partner = await openPartner();
  const answered = await askClaims(partner, "");
  expect(detail(answered, "body")["issue"]).toBe("REQUIRED");
});

test("the holder's own key elsewhere is claimed by portability", async () => {
  await using partner = await openPartner();
  const key = { type: "EMAIL", value: "antigo@acme.example" };
  expect((await openClaim(partner, { type: "PORTABILITY", key }))["status"]).toBe("PENDING");
});

test.each([
  ["no UUID", "acme"],
  ["unknown", "99999999-9999-4999-8999-999999999999"],
  ["another company's", "22222222-2222-4222-8222-222222222222"],
  ["INACTIVE", INACTIVE],
])("an account that is %s is refused, as a field of the request", async (_what, accountId) => {
  await using partner = await openPartner();
  const answered = await askClaims(partner, "", { accountId, body: email("a@b.example") });
  expect(answered.status).toBe(400);
  expect(detail(answered, "accountId")["issue"]).toBe("INVALID");
});

test("a refusal names every wrong field", async () => {
  await using partner = await openPartner();
  const accountId = "22222222-2222-4222-8222-222222222222";
  const body = { type: "THEFT", key: { type: "PHONE", value: "x" } };
  const answered = await askClaims(partner, "", { accountId, body });
  const fields = (answered.body["details"] as SandboxObject[]).map((one) => one["field"] as string);
  expect(fields.toSorted()).toEqual(["accountId", "key.value", "type"]);
});

test("a key that the directory does not have can be refused", async () => {
  await using partner = await openPartner({ assumptions: { "claim.unknown-key": "reject" } });
  const answered = await askClaims(partner, "", { body: email("maria@mail.example") });
  expect(detail(answered, "key.value")["issue"]).toBe("NOT_FOUND");
  expect((await openClaim(partner, email("ok@pix.example")))["status"]).toBe("PENDING");
});

test("one claim for each key can be required", async () => {
  await using partner = await openPartner({ assumptions: { "claim.one-per-key": true } });
  const { claimId } = await openClaim(partner);
  const second = await askClaims(partner, "", { body: email("maria@mail.example") });
  expect(detail(second, "key.value")["issue"]).toBe("ALREADY_EXISTS");
  await askClaims(partner, `/${claimId}/cancel`, { key: freshKey() });
  expect((await openClaim(partner))["status"]).toBe("PENDING");
});

test("every endpoint of claims requires a token with the scope", async () => {
  await using partner = await openPartner();
  const id = "2b1a0c9d-8e7f-4a6b-9c5d-4e3f2a1b0c9d";
  for (const path of [
    "",
    "/confirm",
    "/resend",
    `/${id}/cancel`,
    `/${id}/confirm-request`,
    `/${id}/confirm`,
  ]) {
    expect((await askClaims(partner, path, { token: "nobody", body: {} })).status).toBe(401);
    expect((await askClaims(partner, path, { token: "acme-token-without-scope", body: {} })).status).toBe(
      403,
    );
  }
});
