import { cpSync, mkdtempSync } from "node:fs";
import { createSubscription, openPartner } from "./partner.ts";
import { expect, test } from "vitest";
import { join } from "node:path";
import { openSandbox } from "../src/sandbox/sandbox.ts";
import { pixKeys } from "../src/platform/pix-keys/pix-key.ts";
import { SHIPPED_FIXTURES } from "../src/access/fixture-files.ts";
import { tmpdir } from "node:os";

/** A story with calls, acts, refusals, retries and clock moves; what partners see of it, byte for byte. */
async function story(seed: number): Promise<{ bytes: string; digest: string }> {
  await using partner = await openPartner({ seed });
  partner.receiver.script([500, 200, 503]);
  const first = await createSubscription(partner, { externalId: "one" });
  const second = await createSubscription(partner, {
    externalId: "two",
    type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
    initialCharge: { amount: { currency: "BRL", value: "10.00" } },
  });
  await partner.ask("POST", "/order/v1/banking/subscriptions", { body: "{" });
  const accepted = await partner.act("subscription.accept", { id: first["id"] });
  await partner.act("subscription.accept", { id: second["id"] });
  await partner.act("subscription.request-cancellation", { id: first["id"], reason: "PAYER_DECEASED" });
  const happened = await partner.advance("P1M");
  const wire = partner.receiver.received.map(({ headers, body }) => [headers, body]);
  return {
    bytes: JSON.stringify([first, second, accepted, happened, wire]),
    digest: partner.sandbox.digest(),
  };
}

test("the same seed and calls give the same answers, webhook bodies, signatures and journal", async () => {
  const [one, other] = [await story(7), await story(7)];
  expect(one.bytes).toBe(other.bytes);
  expect(one.digest).toBe(other.digest);
});

test("a world begins in the same way after one with another seed as in a process of its own", async () => {
  const begun = async (seed: number, fixtures?: string) => {
    const start = "2026-11-20T09:00:00-03:00";
    const own = fixtures === undefined ? {} : { fixtures };
    const { sandbox, worlds } = await openSandbox({ seed, start, ...own });
    await using _ = sandbox;
    return { keys: Array.from(worlds.default.records.all(pixKeys)), digest: sandbox.digest() };
  };
  const folder = mkdtempSync(join(tmpdir(), "fixtures-"));
  cpSync(SHIPPED_FIXTURES, folder, { recursive: true });
  const [alone, another, after] = [await begun(11, folder), await begun(12), await begun(11)];
  expect(after).toStrictEqual(alone);
  expect(another.keys).not.toEqual(after.keys);
});

test("another seed gives other ids", async () => {
  const [one, other] = [await story(7), await story(8)];
  expect(one.bytes).not.toBe(other.bytes);
});
