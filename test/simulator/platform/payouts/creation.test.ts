import { ACME_ACCOUNT, type Answered, detail, openPartner, payoutBody } from "../../../partner.ts";
import {
  BANK_ACCOUNT,
  GLOBEX_ACCOUNT,
  PAYOUTS,
  RECEIVER,
  TED,
  acmeBalance,
  askPayout,
  createPayout,
  ledgerBalance,
  payoutNow,
  reais,
} from "./payout-requests.ts";
import { expect, test } from "vitest";
import { shapeProblems } from "../../../../src/simulator/api/validation.ts";

function issues({ body }: Answered): string[] {
  return (body["details"] as { field: string; issue: string }[]).map(
    ({ field, issue }) => `${field} ${issue}`,
  );
}

test("a payout is answered as the platform API shows it: flat amount, PENDING, no batch", async () => {
  await using partner = await openPartner();
  const { status, body } = await askPayout(partner, { amount: reais(1250.5) });
  expect(status).toBe(201);
  expect(shapeProblems("Payout", body)).toEqual([]);
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    externalId: "payout-1",
    status: "PENDING",
    amount: "1250.50",
    currency: "BRL",
    description: "Invoice 42",
    endToEndId: expect.stringMatching(/^E99999004202611201200[A-Za-z0-9]{11}$/) as string,
  });
  expect(await payoutNow(partner, body["id"])).toEqual(body);
});

test("the amount is reserved as the payout is created", async () => {
  await using partner = await openPartner();
  const { id } = await createPayout(partner);
  expect(await acmeBalance(partner)).toBe("98750.00");
  expect(await ledgerBalance(partner, `held:${String(id)}`)).toBe("1250.00");
});

test("the whole balance can be paid out, but not a centavo more", async () => {
  await using partner = await openPartner();
  const refused = await askPayout(partner, { amount: reais("100000.01") });
  expect(refused.status).toBe(400);
  expect(issues(refused)).toEqual(["amount.value INSUFFICIENT_BALANCE"]);
  expect(detail(refused, "amount.value")["description"]).toContain("100000.00 available");
  await createPayout(partner, { amount: reais("100000.00") });
  expect(await acmeBalance(partner)).toBe("0.00");
  expect(issues(await askPayout(partner, { amount: reais("0.01") }))).toEqual([
    "amount.value INSUFFICIENT_BALANCE",
  ]);
});

test("all wrong fields are reported together, before the account is checked", async () => {
  await using partner = await openPartner();
  const refused = await askPayout(partner, {
    accountId: GLOBEX_ACCOUNT,
    amount: { currency: "USD", value: "0.001" },
    receiver: { name: "", document: { type: "CPF", number: "52998224724" } },
    paymentData: { pixKey: "nobody" },
    description: "",
  });
  expect(refused.status).toBe(400);
  expect(issues(refused).sort()).toEqual([
    "amount.currency INVALID",
    "amount.value INVALID",
    "description INVALID",
    "paymentData.pixKey INVALID",
    "receiver.document.number INVALID",
    "receiver.name INVALID",
  ]);
});

for (const [name, changed, expected] of [
  ["no paymentData", { paymentData: undefined }, ["paymentData REQUIRED"]],
  ["an empty paymentData", { paymentData: {} }, ["paymentData REQUIRED"]],
  ["a paymentData of null", { paymentData: null }, ["paymentData INVALID"]],
  [
    "two ways to pay",
    { receiver: RECEIVER, paymentData: { pixKey: "ok@pix.example", bankAccount: BANK_ACCOUNT } },
    ["paymentData.pixKey MUTUALLY_EXCLUSIVE", "paymentData.bankAccount MUTUALLY_EXCLUSIVE"],
  ],
  ["an unknown method", { paymentMethod: "DOC" }, ["paymentMethod INVALID"]],
  [
    "a TED to a key",
    { ...TED, paymentData: { pixKey: "ok@pix.example" } },
    ["paymentData.pixKey NOT_ALLOWED"],
  ],
  [
    "a TED to a QR code",
    { ...TED, paymentData: { qrcodeData: "0002" } },
    ["paymentData.qrcodeData NOT_ALLOWED"],
  ],
  ["a TED without receiver", { ...TED, receiver: undefined }, ["receiver REQUIRED"]],
  [
    "a PIX to a bank account without receiver",
    { paymentData: { bankAccount: BANK_ACCOUNT } },
    ["receiver REQUIRED"],
  ],
  ["a key of spaces", { paymentData: { pixKey: "  " } }, ["paymentData.pixKey INVALID"]],
  ["a CPF with wrong digits", { paymentData: { pixKey: "11144477736" } }, ["paymentData.pixKey INVALID"]],
  ["a phone without +", { paymentData: { pixKey: "5511987650001" } }, ["paymentData.pixKey INVALID"]],
] as const) {
  test(`${name} is refused`, async () => {
    await using partner = await openPartner();
    const refused = await askPayout(partner, changed);
    expect(refused.status).toBe(400);
    expect(issues(refused)).toEqual(expected);
    expect(await acmeBalance(partner)).toBe("100000.00");
  });
}

for (const [name, changed, expected] of [
  ["both identifiers", { ispb: "60701190" }, ["ispb MUTUALLY_EXCLUSIVE", "bankNumber MUTUALLY_EXCLUSIVE"]],
  ["an unknown COMPE number", { bankNumber: "999" }, ["bankNumber INVALID"]],
  ["a COMPE number of letters", { bankNumber: "abc" }, ["bankNumber INVALID"]],
  ["a short ISPB", { bankNumber: undefined, ispb: "607011" }, ["ispb INVALID"]],
  ["no branch", { branchNumber: undefined }, ["branchNumber REQUIRED"]],
  ["no account number", { accountNumber: undefined }, ["accountNumber REQUIRED"]],
  ["no account type", { accountType: undefined }, ["accountType REQUIRED"]],
  ["an unknown account type", { accountType: "CASH" }, ["accountType INVALID"]],
] as const) {
  test(`a bank account with ${name} is refused`, async () => {
    await using partner = await openPartner();
    const bankAccount = { ...BANK_ACCOUNT, ...changed };
    const refused = await askPayout(partner, { receiver: RECEIVER, paymentData: { bankAccount } });
    expect(refused.status).toBe(400);
    expect(issues(refused)).toEqual(expected.map((issue) => `paymentData.bankAccount.${issue}`));
  });
}

test("a bank account without any identifier is refused", async () => {
  await using partner = await openPartner();
  const { bankNumber: _bankNumber, ...bankAccount } = BANK_ACCOUNT;
  const refused = await askPayout(partner, { ...TED, paymentData: { bankAccount } });
  expect(issues(refused)).toEqual(["paymentData.bankAccount REQUIRED"]);
});

/** Refusals whose sentence was not true of what they had refused, or named nothing. */
test("the refusal of a PIX key does not claim that a CNPJ has only digits", async () => {
  await using partner = await openPartner();
  const answered = await askPayout(partner, { paymentData: { pixKey: "1A2B3C4D000178" } });
  expect(detail(answered, "paymentData.pixKey")["description"]).toContain(
    "a CPF or CNPJ without punctuation",
  );
});

test.each(["999999999999999", "1.123456789"])(
  "the refusal of the amount %s names the valid amounts",
  async (value) => {
    await using partner = await openPartner();
    const answered = await askPayout(partner, { amount: reais(value) });
    const { description } = detail(answered, "amount.value");
    expect(description).toContain(
      "at most ten digits before the point and the decimals of its currency after it",
    );
  },
);

test("another company's account and an unknown one are forbidden with the same message", async () => {
  await using partner = await openPartner();
  const answers = [];
  for (const accountId of [GLOBEX_ACCOUNT, "99999999-9999-4999-8999-999999999999"]) {
    const { status, body } = await askPayout(partner, { accountId });
    expect(status).toBe(403);
    expect(body).toMatchObject({ error: "FORBIDDEN_ERROR", details: [] });
    answers.push(String(body["message"]).replace(accountId, "…"));
  }
  expect(answers[0]).toBe(answers[1]);
});

test("an account that is not ACTIVE is forbidden, and the refusal names its status", async () => {
  await using partner = await openPartner();
  for (const [digit, state] of [
    ["2", "INACTIVE"],
    ["3", "CLOSED"],
  ]) {
    const { status, body } = await askPayout(partner, { accountId: ACME_ACCOUNT.slice(0, -1) + digit });
    expect(status).toBe(403);
    expect(body["message"]).toContain(`is ${state}`);
  }
});

test("the status of an account is checked before its balance", async () => {
  await using partner = await openPartner();
  const refused = await askPayout(partner, { accountId: GLOBEX_ACCOUNT, amount: reais("9999999999.99") });
  expect(refused.status).toBe(403);
});

test("the idempotency key is required and has 1 to 64 characters", async () => {
  await using partner = await openPartner();
  const without = await partner.ask("POST", PAYOUTS, { body: payoutBody() });
  expect(issues(without)).toEqual(["idempotency-key REQUIRED"]);
  expect(issues(await askPayout(partner, {}, { key: "k".repeat(65) }))).toEqual(["idempotency-key INVALID"]);
  for (const key of ["k", "#".repeat(64), "order 42/7"]) {
    expect((await askPayout(partner, {}, { key })).status).toBe(201);
  }
});

test("the same key and body give the first answer, also after the payout is paid", async () => {
  await using partner = await openPartner();
  const first = await askPayout(partner, {}, { key: "once" });
  await partner.advance("PT1M");
  const again = await askPayout(partner, {}, { key: "once" });
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(again.body).toEqual(first.body);
  expect(await acmeBalance(partner)).toBe("98750.00");
  const other = await askPayout(partner, { amount: reais("1.00") }, { key: "once" });
  expect(issues(other)).toEqual(["idempotency-key REUSED"]);
});

test("a key belongs to its company", async () => {
  await using partner = await openPartner();
  await createPayout(partner, {}, { key: "shared" });
  const other = await askPayout(
    partner,
    { accountId: GLOBEX_ACCOUNT },
    { key: "shared", token: "globex-token" },
  );
  expect(other.status).toBe(201);
  expect(other.headers.get("idempotency-replayed")).toBeNull();
});

test("many concurrent payouts with one key pay once", async () => {
  await using partner = await openPartner();
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => askPayout(partner, { amount: reais("20000.00") }, { key: "storm" })),
  );
  expect(new Set(answers.map(({ body }) => body["id"])).size).toBe(1);
  expect(answers.filter(({ headers }) => headers.get("idempotency-replayed") === null)).toHaveLength(1);
  expect(await acmeBalance(partner)).toBe("80000.00");
});

test("many concurrent payouts never spend more than the balance", async () => {
  await using partner = await openPartner();
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => askPayout(partner, { amount: reais("7000.00") })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(14);
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(16);
  expect(await acmeBalance(partner)).toBe("2000.00");
});

test("several payouts may share an externalId, unless the world assumes otherwise", async () => {
  await using lenient = await openPartner();
  await createPayout(lenient);
  await createPayout(lenient);
  await using strict = await openPartner({ assumptions: { "payout.external-id-unique": true } });
  await createPayout(strict);
  expect(issues(await askPayout(strict))).toEqual(["externalId ALREADY_EXISTS"]);
  const globex = await askPayout(strict, { accountId: GLOBEX_ACCOUNT }, { token: "globex-token" });
  expect(globex.status).toBe(201);
});

test("a body that is no object is refused", async () => {
  await using partner = await openPartner();
  for (const body of ["{", "[]", "null", '"text"']) {
    const refused = await partner.ask("POST", PAYOUTS, { body, key: "k" });
    expect(refused.status).toBe(400);
    expect(issues(refused)).toEqual(["body INVALID"]);
  }
});
