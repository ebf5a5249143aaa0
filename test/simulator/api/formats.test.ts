import { ACME_ACCOUNT, detail, openPartner, subscriptionBody } from "../../partner.ts";
import { compilerFor } from "../../../src/simulator/api/schema-compiler.ts";
import { expect, test } from "vitest";

const ID = "3f1c9a52-8b7e-4c1d-9e2a-5b6c7d8e9f01";

/** ajv-formats takes the URN of a UUID, and a blank between date and time. */
test.each([
  ["uuid", ID, true],
  ["uuid", ID.toUpperCase(), true],
  ["uuid", `urn:uuid:${ID}`, false],
  ["uuid", `{${ID}}`, false],
  ["uuid", ` ${ID}`, false],
  ["date-time", "2026-11-20T12:00:00Z", true],
  ["date-time", "2026-11-20t12:00:00z", true],
  ["date-time", "2026-11-20T09:00:00.123-03:00", true],
  ["date-time", "2026-11-20 12:00:00Z", false],
  ["date-time", "2026-11-20T12:00:00", false],
  ["date-time", "2026-02-30T12:00:00Z", false],
])("as %s, %s is taken: %s", (format, text, isTaken) => {
  for (const source of ["json", "text"] as const)
    expect(compilerFor(source).validate({ type: "string", format }, text)).toBe(isTaken);
});

test("a UUID with the prefix of its URN is no account", async () => {
  await using partner = await openPartner();
  const body = subscriptionBody({ accountId: "urn:uuid:11111111-1111-4111-8111-111111111111" });
  const refused = await partner.ask("POST", "/order/v1/banking/subscriptions", { body });
  expect(detail(refused, "accountId")["description"]).toContain("must be a UUID");
});

/** It counted the two units of UTF-16 of each of these. */
test("a text that is too long is counted in characters", async () => {
  await using partner = await openPartner();
  const path = "/order/v1/banking/subscriptions";
  const of = (length: number) => ({ body: subscriptionBody({ externalId: "🎵".repeat(length) }) });
  expect((await partner.ask("POST", path, of(128))).status).toBe(201);
  const refused = await partner.ask("POST", path, of(129));
  expect(detail(refused, "externalId")["description"]).toContain("found 129 characters");
});

test("a refused id is shown as it was sent, whatever it looks like", async () => {
  await using partner = await openPartner();
  const path = "/order/v1/banking/subscriptions";
  const shown = async (accountId: string): Promise<string> => {
    const { body } = await partner.ask("POST", path, { body: subscriptionBody({ accountId }) });
    return JSON.stringify(body);
  };
  expect(await shown(`${ACME_ACCOUNT} `)).toContain(`${ACME_ACCOUNT} `);
  expect(await shown("4111 1111 1111 1111")).toContain("4111 1111 1111 1111");
});
