import { ACME_ACCOUNT, detail, openPartner, subscriptionBody } from "../../partner.ts";
import { expect, test } from "vitest";
import { excessOf } from "../../../src/simulator/engine/json.ts";
import { gzipSync } from "node:zlib";

/** Three thousand brackets in six kilobytes ended in a 500: everything that calls itself ran out of stack. */
const LISTS = "[".repeat(3_000) + "]".repeat(3_000);
const OBJECTS = '{"a":'.repeat(20_000) + "1" + "}".repeat(20_000);
const KEY = "8a1f1f0e-0000-4000-8000-000000000001";
const SUBSCRIPTIONS = "/order/v1/banking/subscriptions";

function bodyWith(field: string, text: string, rest: object = {}): string {
  return JSON.stringify({ ...rest, [field]: null }).replace(`"${field}":null`, `"${field}":${text}`);
}

test.each([
  ["POST", SUBSCRIPTIONS, "payer", subscriptionBody()],
  ["POST", SUBSCRIPTIONS, "description", subscriptionBody()],
  ["POST", "/order/v1/banking/order-payouts", "nobodyKnows", {}],
  ["PUT", "/order/v2/transparent", "order", {}],
  ["POST", "/sandbox/faults", "attempt", { on: "webhook", effect: "drop" }],
  ["POST", "/sandbox/plans", "outcomes", { plan: "order.payment" }],
  ["POST", "/sandbox/worlds", "name", {}],
  ["PUT", "/sandbox/clock", "now", {}],
  ["POST", "/sandbox/acts/account.deposit", "amount", { id: ACME_ACCOUNT }],
  ["POST", "/sandbox/pact/states", "params", { state: "x" }],
])("%s %s refuses a body whose %s is nested without end", async (method, path, field, rest) => {
  await using partner = await openPartner();
  for (const text of [LISTS, OBJECTS]) {
    const answered = await partner.ask(method, path, { body: bodyWith(field, text, rest), key: KEY });
    expect(answered.status).toBe(400);
    expect(detail(answered, "body")["description"]).toContain("more than 100 levels deep");
  }
});

test("a refund answers such a body with a sentence, and a recording keeps it as text", async () => {
  await using partner = await openPartner();
  const body = bodyWith("reason", LISTS);
  const answered = await partner.ask("PUT", "/order/v2/refund", { body, key: KEY });
  expect(answered.status).toBe(400);
  expect(answered.body[0]).toContain("body: The body is nested more than 100 levels deep");
  expect(await partner.sandbox.recording()).toContain("[[[[");
});

test("a body of a hundred levels is accepted", () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  expect(excessOf(nested(100))).toBeUndefined();
  expect(excessOf(nested(101))).toBe("levels");
});

test("a compressed body is refused for its encoding, and not for its characters", async () => {
  await using partner = await openPartner();
  const response = await partner.sandbox.fetch(SUBSCRIPTIONS, {
    method: "POST",
    headers: { authorization: "Bearer acme-token", "content-encoding": "gzip" },
    body: gzipSync(JSON.stringify(subscriptionBody())),
  });
  const body = (await response.json()) as Record<string, unknown>;
  expect(response.status).toBe(400);
  expect(detail({ status: 400, headers: response.headers, body }, "body")["description"]).toBe(
    "The body is encoded as gzip. Send it without a content-encoding.",
  );
});
