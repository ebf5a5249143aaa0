import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { ACME_ACCOUNT, type Answered, type Partner, openPartner, payoutBody } from "../../partner.ts";
import { type Operation, operations } from "../../../src/simulator/api/operations.ts";
import { accountClaim, keyedRequests } from "./keyed-requests.ts";

const REPLAYED = "idempotency-replayed";

async function balance(partner: Partner): Promise<string> {
  const { body } = await partner.ask("GET", `/order/v1/banking/accounts/${ACME_ACCOUNT}/balance`);
  return (body["balance"] as { value: string }).value;
}

for (const [operation, prepare] of Object.entries(keyedRequests)) {
  test(`${operation} gives its first answer again, and keeps a used key from another request`, async () => {
    await using partner = await openPartner();
    const { method, path, body, otherBody, otherPath, successStatus } = await prepare(partner);
    const key = randomUUID();
    const first = await partner.ask(method, path, { body, key });
    expect([first.status, first.headers.get(REPLAYED)]).toEqual([successStatus, null]);
    const again = await partner.ask(method, path, { body, key });
    expect([again.status, again.headers.get(REPLAYED)]).toEqual([successStatus, "true"]);
    expect(again.body).toEqual(first.body);
    const reused = await partner.ask(method, otherPath ?? path, { body: otherBody ?? body, key });
    expect(reused.status).toBe(400);
    expect(JSON.stringify(reused.body)).toContain("was used for another request");
    const fresh = await partner.ask(method, path, { body: otherBody ?? body, key: randomUUID() });
    expect(fresh.headers.get(REPLAYED)).toBeNull();
  });

  test(`${operation} takes effect once for many identical concurrent requests`, async () => {
    await using partner = await openPartner();
    const { method, path, body } = await prepare(partner);
    const key = randomUUID();
    const twins = await Promise.all(
      Array.from({ length: 20 }, () => partner.ask(method, path, { body, key })),
    );
    expect(new Set(twins.map((twin) => JSON.stringify(twin.body))).size).toBe(1);
    expect(twins.filter(({ headers }) => headers.get(REPLAYED) === null)).toHaveLength(1);
  });

  test(`${operation} requires a key`, async () => {
    await using partner = await openPartner();
    const { method, path, body } = await prepare(partner);
    const keyless = await partner.ask(method, path, { body });
    expect(keyless.status).toBe(400);
    expect(JSON.stringify(keyless.body)).toContain("The header idempotency-key is required.");
  });
}

test("a key may serve one request of each operation", async () => {
  await using partner = await openPartner();
  const key = randomUUID();
  const answers: Answered[] = [];
  for (const prepare of Object.values(keyedRequests)) {
    const { method, path, body } = await prepare(partner);
    answers.push(await partner.ask(method, path, { body, key }));
  }
  expect(answers.map(({ status }) => status).every((status) => status < 300)).toBe(true);
  expect(answers.map(({ headers }) => headers.get(REPLAYED))).toEqual(answers.map(() => null));
});

test("two companies may use one key", async () => {
  await using partner = await openPartner();
  const path = "/order/v1/banking/order-payouts";
  const mine = await partner.ask("POST", path, { body: payoutBody(), key: "shared" });
  const accountId = "22222222-2222-4222-8222-222222222222";
  const theirs = await partner.ask("POST", path, {
    body: payoutBody({ accountId }),
    key: "shared",
    token: "globex-token",
  });
  expect([mine.status, theirs.status]).toEqual([201, 201]);
  expect(theirs.body["id"]).not.toBe(mine.body["id"]);
});

test.each([
  ["x", 201],
  ["a".repeat(64), 201],
  ["invoice 7/2026: first try", 201],
  ["a".repeat(65), 400],
])("the key %j of a payout is answered %i", async (key, status) => {
  await using partner = await openPartner();
  const answered = await partner.ask("POST", "/order/v1/banking/order-payouts", { body: payoutBody(), key });
  expect(answered.status).toBe(status);
});

test("a payout that the balance refused is checked again under its key", async () => {
  await using partner = await openPartner();
  const body = payoutBody({ amount: { currency: "BRL", value: "100000.01" } });
  const ask = () => partner.ask("POST", "/order/v1/banking/order-payouts", { body, key: "one" });
  expect((await ask()).status).toBe(400);
  await partner.act("account.deposit", { id: ACME_ACCOUNT, amount: "0.01" });
  const accepted = await ask();
  expect([accepted.status, accepted.headers.get(REPLAYED)]).toEqual([201, null]);
});

test("a body is ignored where an operation takes none", async () => {
  await using partner = await openPartner();
  const { claimId } = await accountClaim(partner);
  const path = `/order/v1/banking/accounts/${ACME_ACCOUNT}/keys/claims/${claimId}/cancel`;
  const key = randomUUID();
  const withBody = await partner.ask("POST", path, { key, body: { ignored: true } });
  const without = await partner.ask("POST", path, { key });
  expect([withBody.status, without.status]).toEqual([200, 200]);
  expect(without.headers.get(REPLAYED)).toBe("true");
});

test("over a real port, hundreds of concurrent payouts spend at most the balance, each key once", async () => {
  await using partner = await openPartner();
  const { url } = await partner.sandbox.listen();
  const keys = Array.from({ length: 150 }, (_, index) => `storm-${index}`);
  const storm = [...keys, ...keys.toReversed()];
  const answers = await Promise.all(
    storm.map(async (key) => {
      const response = await fetch(`${url}/order/v1/banking/order-payouts`, {
        method: "POST",
        headers: { authorization: "Bearer acme-token", "idempotency-key": key },
        body: JSON.stringify(payoutBody({ externalId: key, amount: { currency: "BRL", value: "1000.00" } })),
      });
      return { key, status: response.status, text: await response.text() };
    }),
  );
  const accepted = answers.filter(({ status }) => status === 201);
  expect(new Set(accepted.map(({ text }) => text)).size).toBe(100);
  expect(new Set(accepted.map(({ key }) => key)).size).toBe(100);
  expect(answers.every(({ status }) => status === 201 || status === 400)).toBe(true);
  expect(await balance(partner)).toBe("0.00");
  await partner.advance("PT2S");
  expect(await balance(partner)).toBe("0.00");
  expect(await partner.sandbox.ledger()).toMatchObject({ balanced: true });
});

test("this test covers every operation with the header", () => {
  const keyed = Object.values(operations as Readonly<Record<string, Operation>>)
    .filter(({ idempotencyKey }) => idempotencyKey !== undefined)
    .map(({ operationId }) => operationId);
  expect(Object.keys(keyedRequests).toSorted()).toEqual(keyed.toSorted());
});
