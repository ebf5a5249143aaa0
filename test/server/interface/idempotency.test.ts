import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { idempotencyKeyProblems } from "../../../src/simulator/api/validation.ts";
import { openPartner } from "../../partner.ts";
import { paidOrder, refund, refundBody, resource } from "../../simulator/platform/refunds/paid-order.ts";

const REPLAYED = "idempotency-replayed";

/** All refunds of a sandbox. */
async function refundsIn(partner: Awaited<ReturnType<typeof openPartner>>): Promise<unknown[]> {
  return (await partner.ask("GET", "/sandbox/resources/refunds")).body["data"] as unknown[];
}

test("the same key and body give the first answer again, byte for byte, even after the refund has changed", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const send = () =>
    partner.sandbox.fetch("/order/v2/refund", {
      method: "PUT",
      headers: { authorization: "Bearer acme-token", "idempotency-key": key },
      body: JSON.stringify(refundBody(orderId)),
    });
  const key = randomUUID();
  const first = await send();
  const text = await first.text();
  expect([first.status, first.headers.get(REPLAYED)]).toEqual([200, null]);
  await partner.advance("PT5S");
  const again = await send();
  expect([again.status, again.headers.get(REPLAYED)]).toEqual([200, "true"]);
  expect(await again.text()).toBe(text);
  expect(await refundsIn(partner)).toHaveLength(1);
});

test("bodies are compared as parsed JSON: the order of keys, white space and 1.0 for 1 make no difference", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const key = randomUUID();
  const first = await refund(
    partner,
    `{"orderId":"${orderId}","amount":1,"reason":"x","requestedBy":{"name":"A","email":"a@b.example"}}`,
    { key },
  );
  const again = await refund(
    partner,
    `{ "requestedBy": {"email":"a\\u0040b.example", "name":"A"},\n "reason":"x", "amount":1.0, "orderId":"${orderId}" }`,
    { key },
  );
  expect(first.status).toBe(200);
  expect([again.status, again.headers.get(REPLAYED)]).toEqual([200, "true"]);
  expect(again.body).toEqual(first.body);
});

test.each([
  ["another amount", { amount: "2.00" }],
  ["the amount as a number", { amount: 1 }],
  ["another requester", { requestedBy: { name: "Bia", email: "bia@partner.example" } }],
  ["one more field", { note: "urgent" }],
  ["a wrong field", { amount: "-1" }],
])("the same key with %s is refused", async (_what, changed) => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const key = randomUUID();
  await refund(partner, refundBody(orderId, { amount: "1.00" }), { key });
  const reused = await refund(partner, refundBody(orderId, { amount: "1.00", ...changed }), { key });
  expect([reused.status, reused.headers.get(REPLAYED)]).toEqual([400, null]);
  expect(reused.body).toEqual([
    `idempotency-key: The key "${key}" was used for another request. Send a new key, or the same body again.`,
  ]);
  expect(await refundsIn(partner)).toHaveLength(1);
});

test("a refused request leaves its key free", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const key = randomUUID();
  const refused = await refund(partner, refundBody(orderId, { amount: "60.00" }), { key });
  expect(refused.status).toBe(400);
  const unauthorized = await refund(partner, refundBody(orderId), { key, token: "acme-token-without-scope" });
  expect(unauthorized.status).toBe(403);
  const accepted = await refund(partner, refundBody(orderId), { key });
  expect([accepted.status, accepted.headers.get(REPLAYED)]).toEqual([200, null]);
});

test("a request that was refused because of a state is checked again under the same key", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const blocking = await refund(partner, refundBody(orderId));
  const key = randomUUID();
  expect((await refund(partner, refundBody(orderId), { key })).status).toBe(400);
  await partner.act("refund.reject", { id: blocking.body["id"] });
  expect((await refund(partner, refundBody(orderId), { key })).status).toBe(200);
});

test("a key belongs to one company", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const key = randomUUID();
  await refund(partner, refundBody(orderId), { key });
  const other = await refund(partner, refundBody(orderId), { key, token: "globex-token" });
  expect(other.status).toBe(400);
  expect(other.body).toEqual([expect.stringContaining("There is no order")]);
});

test("a key is remembered for a day of sandbox time, and then counts as new", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const key = randomUUID();
  const body = refundBody(orderId, { amount: "1.00" });
  const first = await refund(partner, body, { key });
  await partner.advance("PT23H59M59.999S");
  const replay = await refund(partner, body, { key });
  expect([replay.body, replay.headers.get(REPLAYED)]).toEqual([first.body, "true"]);
  await partner.advance("PT0.001S");
  const fresh = await refund(partner, body, { key });
  expect([fresh.status, fresh.headers.get(REPLAYED)]).toEqual([200, null]);
  expect(fresh.body["id"]).not.toBe(first.body["id"]);
  const again = await refund(partner, body, { key });
  expect([again.body, again.headers.get(REPLAYED)]).toEqual([fresh.body, "true"]);
});

test("how long a key is remembered can be set", async () => {
  await using partner = await openPartner({ assumptions: { "idempotency.retention": "PT1M" } });
  const { orderId } = await paidOrder(partner);
  const key = randomUUID();
  const body = refundBody(orderId, { amount: "1.00" });
  await refund(partner, body, { key });
  await partner.advance("PT1M");
  expect((await refund(partner, body, { key })).headers.get(REPLAYED)).toBeNull();
});

test("remembered keys are no timers: an advance until idle stops at the refund's outcome", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  await refund(partner, refundBody(orderId));
  await partner.webhooks();
  const { to } = await partner.advance({ until: "idle" });
  expect(to).toBe("2026-11-20T12:00:05.000Z");
});

test("a reset forgets every key", async () => {
  await using partner = await openPartner();
  const key = randomUUID();
  const { orderId } = await paidOrder(partner);
  await refund(partner, refundBody(orderId), { key });
  await partner.sandbox.reset();
  const again = await paidOrder(partner);
  const fresh = await refund(partner, refundBody(again.orderId), { key });
  expect([fresh.status, fresh.headers.get(REPLAYED)]).toEqual([200, null]);
});

test.each([
  [
    "missing",
    undefined,
    "The header idempotency-key is required. Send a different key with each new request.",
  ],
  ["empty", "", "The header idempotency-key is required. Send a different key with each new request."],
  ["blank", "  ", "The header idempotency-key is required. Send a different key with each new request."],
  ["no UUID", "refund-1", 'The key must be a UUID; found "refund-1".'],
  ["64 characters long", "a".repeat(64), `The key must be a UUID; found "${"a".repeat(64)}".`],
  ["65 characters long", "a".repeat(65), "The key has at most 64 characters; found 65."],
  [
    "a UUID without hyphens",
    "0123456789abcdef0123456789abcdef",
    'The key must be a UUID; found "0123456789abcdef0123456789abcdef".',
  ],
])("a key that is %s is refused on a refund", async (_what, key, sentence) => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const answered = await partner.ask("PUT", "/order/v2/refund", {
    body: refundBody(orderId),
    ...(key !== undefined && { key }),
  });
  expect([answered.status, answered.body]).toEqual([400, [`idempotency-key: ${sentence}`]]);
});

test("a UUID in capitals is a UUID", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const answered = await refund(partner, refundBody(orderId), { key: randomUUID().toUpperCase() });
  expect(answered.status).toBe(200);
});

test("of many identical concurrent requests one has an effect, and all get its answer", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const key = randomUUID();
  const twins = await Promise.all(
    Array.from({ length: 50 }, () => refund(partner, refundBody(orderId, { amount: "1.00" }), { key })),
  );
  expect(new Set(twins.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(twins.filter(({ headers }) => headers.get(REPLAYED) === null)).toHaveLength(1);
  expect(await refundsIn(partner)).toHaveLength(1);
});

test("over a real port, many identical requests and requests beyond the balance move each centavo once", async () => {
  await using partner = await openPartner();
  const { orderId } = await paidOrder(partner);
  const { url } = await partner.sandbox.listen();
  const keys = Array.from({ length: 80 }, () => randomUUID());
  const storm = keys.flatMap((key) => Array.from({ length: 5 }, () => key));
  const answers = await Promise.all(
    storm.map(async (key) => {
      const response = await fetch(`${url}/order/v2/refund`, {
        method: "PUT",
        headers: { authorization: "Bearer acme-token", "idempotency-key": key },
        body: JSON.stringify(refundBody(orderId, { amount: "1.00" })),
      });
      const isReplay = response.headers.has(REPLAYED);
      return { key, status: response.status, isReplay, text: await response.text() };
    }),
  );
  const accepted = answers.filter(({ status }) => status === 200);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]));
  expect(accepted.filter(({ isReplay }) => !isReplay)).toHaveLength(59);
  expect(new Set(accepted.map(({ key, text }) => key + text)).size).toBe(59);
  expect(await refundsIn(partner)).toHaveLength(59);
  await partner.advance("PT5S");
  expect(await resource(partner, "orders", orderId)).toMatchObject({ status: "PARTIAL_REFUNDED" });
  expect(await partner.sandbox.ledger()).toMatchObject({ balanced: true });
});

test.each([
  ["x", []],
  ["a".repeat(64), []],
  ["order 7/2026: first try", []],
  ["a".repeat(65), ["The key has at most 64 characters; found 65."]],
  ["", ["The header idempotency-key is required. Send a different key with each new request."]],
])("where any text is a key, %j is checked by its length alone", (key, sentences) => {
  expect(idempotencyKeyProblems("text", key).map(({ description }) => description)).toEqual(sentences);
});
