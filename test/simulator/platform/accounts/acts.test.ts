import { ACME_ACCOUNT, type Partner, detail, openPartner, subscriptionBody } from "../../../partner.ts";
import { expect, test } from "vitest";

const INACTIVE = "11111111-1111-4111-8111-111111111112";
const CLOSED = "11111111-1111-4111-8111-111111111113";
/** The largest deposit, in minor units. */
const MOST = 999_999_999_999;

async function balance(partner: Partner, id: string): Promise<string> {
  const answered = await partner.ask("GET", `/order/v1/banking/accounts/${id}/balance`);
  return answered.body["balance"].value as string;
}

function act(partner: Partner, name: string, body: object) {
  return partner.ask("POST", `/sandbox/acts/${name}`, { body });
}

test("the balance is what the account has available, in BRL, with two decimals", async () => {
  await using partner = await openPartner();
  const answered = await partner.ask("GET", `/order/v1/banking/accounts/${ACME_ACCOUNT}/balance`);
  expect(answered.status).toBe(200);
  expect(answered.body).toEqual({
    accountId: ACME_ACCOUNT,
    balance: { currency: "BRL", value: "100000.00" },
  });
});

test("the balance of an INACTIVE and of a CLOSED account can be read", async () => {
  await using partner = await openPartner();
  expect(await balance(partner, INACTIVE)).toBe("100000.00");
  expect(await balance(partner, CLOSED)).toBe("0.00");
});

test("the balance of an unknown account and of another company's is refused with the same message", async () => {
  await using partner = await openPartner();
  const unknown = await partner.ask(
    "GET",
    "/order/v1/banking/accounts/99999999-9999-4999-8999-999999999999/balance",
  );
  const foreign = await partner.ask(
    "GET",
    "/order/v1/banking/accounts/22222222-2222-4222-8222-222222222222/balance",
  );
  expect(unknown.status).toBe(404);
  expect(unknown.body).toEqual({ error: "NOT_FOUND", message: "Resource not found", details: [] });
  expect([foreign.status, foreign.body]).toEqual([unknown.status, unknown.body]);
});

test("an account id that is no UUID is refused", async () => {
  await using partner = await openPartner();
  const answered = await partner.ask("GET", "/order/v1/banking/accounts/acme/balance");
  expect(answered.status).toBe(400);
  expect(detail(answered, "accountId")["issue"]).toBe("INVALID");
});

test("a deposit raises the balance, and the books balance", async () => {
  await using partner = await openPartner();
  expect(await partner.act("account.deposit", { id: ACME_ACCOUNT, amount: "10.50" })).toMatchObject({
    id: ACME_ACCOUNT,
    status: "ACTIVE",
  });
  expect(await balance(partner, ACME_ACCOUNT)).toBe("100010.50");
  expect((await partner.sandbox.ledger())["balanced"]).toBe(true);
});

test("an INACTIVE account still accepts a deposit, a CLOSED one does not", async () => {
  await using partner = await openPartner();
  await partner.act("account.deposit", { id: INACTIVE, amount: 1 });
  expect(await balance(partner, INACTIVE)).toBe("100001.00");
  const refused = await act(partner, "account.deposit", { id: CLOSED, amount: "1.00" });
  expect(refused.status).toBe(409);
  expect(detail(refused, "act")["issue"]).toBe("ILLEGAL_ACT");
});

test("a deposit that the ledger cannot count exactly is refused with a sentence", async () => {
  await using partner = await openPartner({ audit: () => undefined });
  const deposit = () => act(partner, "account.deposit", { id: ACME_ACCOUNT, amount: "9999999999.99" });
  const room = Math.floor(Number.MAX_SAFE_INTEGER / MOST);
  let refused = await deposit();
  for (let count = 1; count <= room && refused.status === 200; count++) refused = await deposit();
  expect(refused).toMatchObject({ status: 409, body: { error: "INVALID_REQUEST" } });
  expect(JSON.stringify(refused.body)).toContain("Use smaller amounts, or reset the world.");
  expect((await deposit()).status).toBe(409);
});

test.each([["0"], ["-1"], ["1.001"], ["ten"], [null], [{}], [undefined], ["12345678901"]])(
  "a deposit of %j is refused",
  async (amount) => {
    await using partner = await openPartner();
    const refused = await act(partner, "account.deposit", { id: ACME_ACCOUNT, amount });
    expect(refused.status).toBe(400);
    expect(detail(refused, "amount")["description"]).not.toBe("");
    expect(await balance(partner, ACME_ACCOUNT)).toBe("100000.00");
  },
);

test("a deactivated account accepts no subscription until it is activated again", async () => {
  await using partner = await openPartner();
  const create = (externalId: string) =>
    partner.ask("POST", "/order/v1/banking/subscriptions", { body: subscriptionBody({ externalId }) });
  await partner.act("account.deactivate", { id: ACME_ACCOUNT });
  expect((await create("a")).status).toBe(403);
  await partner.act("account.activate", { id: ACME_ACCOUNT });
  expect((await create("b")).status).toBe(201);
});

test("a closed account stays closed, and the refusal names no possible act", async () => {
  await using partner = await openPartner();
  for (const name of ["account.activate", "account.deactivate", "account.close"]) {
    const refused = await act(partner, name, { id: CLOSED });
    expect(refused.status).toBe(409);
    expect(detail(refused, "act")["description"]).toContain("Possible acts: none.");
  }
});

test("an act that the state does not allow is refused with the acts that it does allow", async () => {
  await using partner = await openPartner();
  const refused = await act(partner, "account.activate", { id: ACME_ACCOUNT });
  expect(refused.status).toBe(409);
  expect(detail(refused, "act")["description"]).toContain(
    "account.deactivate, account.close, account.deposit",
  );
});
