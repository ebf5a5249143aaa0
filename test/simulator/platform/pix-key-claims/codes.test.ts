import {
  askClaims,
  codeOf,
  confirm,
  email,
  freshKey,
  GLOBEX,
  inboxOf,
  notThis,
  openClaim,
  resend,
  openPartner,
} from "./claimant.ts";
import { detail } from "../../../partner.ts";
import { expect, test } from "vitest";

test("the right code confirms a claim, which stays PENDING until it is answered", async () => {
  await using partner = await openPartner();
  const { claimId, validationId } = await openClaim(partner);
  const answered = await confirm(
    partner,
    validationId as string,
    await codeOf(partner, validationId as string),
  );
  expect([answered.status, answered.body]).toEqual([200, { claimId: claimId as string, status: "PENDING" }]);
});

test("a code confirms once", async () => {
  await using partner = await openPartner();
  const { validationId: id } = (await openClaim(partner)) as { validationId: string };
  const code = await codeOf(partner, id);
  await confirm(partner, id, code);
  const again = await confirm(partner, id, code);
  expect(again.status).toBe(400);
  expect(detail(again, "validationId")["issue"]).toBe("NOT_PENDING");
});

test("a resend sends another code for the same validation and invalidates the former code", async () => {
  await using partner = await openPartner();
  const { validationId: id } = (await openClaim(partner)) as { validationId: string };
  const first = await codeOf(partner, id);
  await partner.advance("PT9M");
  const answered = await resend(partner, id);
  expect([answered.status, answered.body]).toEqual([
    200,
    { validationId: id, status: "PENDING", expiresAt: "2026-11-20T12:19:00.000Z" },
  ]);
  const second = await codeOf(partner, id);
  expect(second).not.toBe(first);
  expect(detail(await confirm(partner, id, first), "code")["issue"]).toBe("INVALID");
  expect((await confirm(partner, id, second)).status).toBe(200);
});

test("a code is valid for ten minutes", async () => {
  await using partner = await openPartner();
  const early = (await openClaim(partner)) as { validationId: string };
  const late = (await openClaim(partner, email("b@mail.example"))) as { validationId: string };
  await partner.advance("PT9M59.999S");
  const confirmed = await confirm(partner, early.validationId, await codeOf(partner, early.validationId));
  expect(confirmed.status).toBe(200);
  await partner.advance("PT0.001S");
  const refused = await confirm(partner, late.validationId, await codeOf(partner, late.validationId));
  expect(detail(refused, "code")["issue"]).toBe("EXPIRED");
});

test("a code that expired is renewed by a resend", async () => {
  await using partner = await openPartner();
  const { validationId: id } = (await openClaim(partner)) as { validationId: string };
  await partner.advance("PT1H");
  expect((await resend(partner, id)).body["expiresAt"]).toBe("2026-11-20T13:10:00.000Z");
  await partner.advance("PT5M");
  expect((await confirm(partner, id, await codeOf(partner, id))).status).toBe(200);
});

test("three wrong codes expire the validation, and a resend gives three more", async () => {
  await using partner = await openPartner();
  const { validationId: id } = (await openClaim(partner)) as { validationId: string };
  const wrong = notThis(await codeOf(partner, id));
  const said: string[] = [];
  for (let attempt = 1; attempt <= 3; attempt++) {
    said.push(detail(await confirm(partner, id, wrong), "code")["description"] as string);
  }
  expect(said.map((sentence) => sentence.split(". ")[1])).toEqual([
    "Attempts left: 2.",
    "Attempts left: 1.",
    "Ask for a new one.",
  ]);
  const tooLate = await confirm(partner, id, await codeOf(partner, id));
  expect(detail(tooLate, "code")).toMatchObject({
    issue: "EXPIRED",
    description: "The confirmation code was tried too often. Ask for a new one.",
  });
  await resend(partner, id);
  const next = await codeOf(partner, id);
  await confirm(partner, id, notThis(next));
  await confirm(partner, id, notThis(next));
  expect((await confirm(partner, id, next)).status).toBe(200);
});

test("a wrong code is counted in the journal although the request is refused", async () => {
  await using partner = await openPartner();
  const { validationId: id } = (await openClaim(partner)) as { validationId: string };
  const before = partner.sandbox.digest();
  await confirm(partner, id, notThis(await codeOf(partner, id)));
  expect(partner.sandbox.digest()).not.toBe(before);
});

test.each([[123456], ["12345"], ["1234567"], ["12345a"], [""], [null], [undefined]])(
  "the code %j is refused by its form and costs no attempt",
  async (code) => {
    await using partner = await openPartner({ assumptions: { "claim.attempts": 1 } });
    const { validationId: id } = (await openClaim(partner)) as { validationId: string };
    const refused = await askClaims(partner, "/confirm", { body: { validationId: id, code } });
    expect(refused.status).toBe(400);
    expect(detail(refused, "code")["issue"]).toBe(code === undefined ? "REQUIRED" : "INVALID");
    expect((await confirm(partner, id, await codeOf(partner, id))).status).toBe(200);
  },
);

test.each([
  ["nothing"],
  ["4d3c2b1a-0f9e-4d8c-8b7a-6f5e4d3c2b1a"],
  [7],
  [null],
  [""],
  ["x".repeat(65)],
  [undefined],
])("the validation %j is refused by confirm and resend", async (validationId) => {
  await using partner = await openPartner();
  const issue = validationId === undefined ? "REQUIRED" : "INVALID";
  for (const path of ["/confirm", "/resend"]) {
    const refused = await askClaims(partner, path, { body: { validationId, code: "123456" } });
    expect(refused.status).toBe(400);
    expect(detail(refused, "validationId")["issue"]).toBe(issue);
  }
});

test("another company's validation is refused with the same message as an unknown one", async () => {
  await using partner = await openPartner();
  const { validationId: id } = (await openClaim(partner)) as { validationId: string };
  const foreign = await resend(partner, id, GLOBEX);
  expect(detail(foreign, "validationId")).toEqual({
    field: "validationId",
    issue: "INVALID",
    description: `There is no validation "${id}" that this account has to confirm here.`,
  });
  expect(detail(await resend(partner, id, { token: "globex-token" }), "accountId")["issue"]).toBe("INVALID");
});

test("a code can be sent again three times for each validation", async () => {
  await using partner = await openPartner();
  const { validationId: id } = (await openClaim(partner)) as { validationId: string };
  for (let time = 1; time <= 3; time++) expect((await resend(partner, id)).status).toBe(200);
  const fourth = await resend(partner, id);
  expect(fourth.status).toBe(400);
  expect(detail(fourth, "validationId")["issue"]).toBe("LIMIT_REACHED");
  expect(await inboxOf(partner)).toHaveLength(4);
});

test("the numbers of resends can be set", async () => {
  await using partner = await openPartner({ assumptions: { "claim.resends": 0 } });
  const { validationId: id } = (await openClaim(partner)) as { validationId: string };
  expect(detail(await resend(partner, id), "validationId")["issue"]).toBe("LIMIT_REACHED");
});

test("an account gets at most ten codes on a day in Brasília, creations included, and more on the next day", async () => {
  await using partner = await openPartner({ start: "2026-11-20T23:50:00-03:00" });
  const validationIds: string[] = [];
  for (const name of ["a", "b", "c"]) {
    validationIds.push((await openClaim(partner, email(`${name}@mail.example`)))["validationId"] as string);
  }
  const [first = "", second = "", third = ""] = validationIds;
  for (const id of [first, first, first, second, second, second, third]) {
    expect((await resend(partner, id)).status).toBe(200);
  }
  for (const refused of [
    await resend(partner, third),
    await askClaims(partner, "", { body: email("d@mail.example") }),
  ]) {
    expect(refused.status).toBe(400);
    expect(detail(refused, "accountId")["issue"]).toBe("LIMIT_REACHED");
  }
  expect((await openClaim(partner, email("e@mail.example"), GLOBEX))["status"]).toBe("PENDING");
  await partner.advance({ to: "2026-11-20T23:59:59.999-03:00" });
  expect((await resend(partner, third)).status).toBe(400);
  await partner.advance("PT0.001S");
  expect((await resend(partner, third)).status).toBe(200);
});

test("a resend with the same key and body is answered again and sends nothing", async () => {
  await using partner = await openPartner();
  const { validationId } = await openClaim(partner);
  const key = freshKey();
  const first = await askClaims(partner, "/resend", { body: { validationId }, key });
  await partner.advance("PT1M");
  const again = await askClaims(partner, "/resend", { body: { validationId }, key });
  expect(again.body).toEqual(first.body);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await inboxOf(partner)).toHaveLength(2);
  const other = await openClaim(partner, email("b@mail.example"));
  const reused = await askClaims(partner, "/resend", {
    body: { validationId: other["validationId"] as string },
    key,
  });
  expect(detail(reused, "idempotency-key")["issue"]).toBe("REUSED");
});

test.each([
  ["", "REQUIRED"],
  ["not-a-uuid", "INVALID"],
  ["x".repeat(65), "INVALID"],
])("resend and cancel refuse the idempotency key %j", async (key, issue) => {
  await using partner = await openPartner();
  const { claimId, validationId } = await openClaim(partner);
  for (const [path, body] of [
    ["/resend", { validationId: validationId as string }],
    [`/${claimId}/cancel`, undefined],
  ] as const) {
    const refused = await askClaims(partner, path, { body, key });
    expect(refused.status).toBe(400);
    expect(detail(refused, "idempotency-key")["issue"]).toBe(issue);
  }
});

test("the code of a claim that has ended is neither sent again nor accepted", async () => {
  await using partner = await openPartner();
  const { claimId, validationId: id } = (await openClaim(partner)) as {
    claimId: string;
    validationId: string;
  };
  const code = await codeOf(partner, id);
  await askClaims(partner, `/${claimId}/cancel`);
  expect(detail(await resend(partner, id), "validationId")["issue"]).toBe("NOT_PENDING");
  expect(detail(await confirm(partner, id, code), "validationId")["issue"]).toBe("NOT_PENDING");
});

test("the expiry of a code is disarmed when its claim ends", async () => {
  await using partner = await openPartner();
  const { claimId } = await openClaim(partner);
  await askClaims(partner, `/${claimId}/cancel`);
  expect((await partner.advance("PT1H"))["fired"]).toBe(0);
});
