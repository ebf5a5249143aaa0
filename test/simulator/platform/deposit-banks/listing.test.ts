import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { expect, test } from "vitest";
import { institutionByIspb } from "../../../../src/simulator/countries/brazil/institutions.ts";
import { openPartner } from "../../../partner.ts";

const PATH = "/v1/orders/deposit/banks";

test("the deposit banks are real ones, each with its slug, and one of them is the default", async () => {
  await using partner = await openPartner();
  const answered = await partner.ask("GET", PATH);
  expect(answered.status).toBe(200);
  const banks = answered.body as unknown as SandboxObject[];
  expect(banks.map((bank) => Object.keys(bank).toSorted())).toEqual(
    banks.map(() => ["code", "default", "ispb", "name", "slug"]),
  );
  expect(banks.map(({ ispb, code }) => institutionByIspb(ispb as string)?.compe === code)).not.toContain(
    false,
  );
  expect(banks.filter((bank) => bank["default"] === true)).toHaveLength(1);
  expect(new Set(banks.map((bank) => bank["slug"] as string)).size).toBe(banks.length);
});

test("the list of deposit banks requires a token with the scope", async () => {
  await using partner = await openPartner();
  expect((await partner.ask("GET", PATH, { token: null })).status).toBe(401);
  expect((await partner.ask("GET", PATH, { token: "acme-token-without-scope" })).status).toBe(403);
});
