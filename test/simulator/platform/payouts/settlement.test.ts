import { detail, openPartner } from "../../../partner.ts";
import {
  BANK_ACCOUNT,
  GLOBEX_ACCOUNT,
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

const BANK_ERROR = "AB09: The receiver's institution reported an error.";
const GLOBEX_HOLDER = { name: "Globex Cobranças SA", document: { type: "CNPJ", number: "60746948000112" } };
const GLOBEX_BANK = {
  ispb: "99999004",
  accountType: "PAYMENT_ACCOUNT",
  branchNumber: "0001",
  accountNumber: "2000001",
};

test("a payout by key is paid after two seconds, and its event has every field", async () => {
  await using partner = await openPartner();
  const { id, endToEndId } = await createPayout(partner);
  await partner.advance("PT1.999S");
  expect(await partner.webhooks()).toEqual([]);
  await partner.advance("PT0.001S");
  const [event, ...others] = await partner.webhooks();
  expect(others).toEqual([]);
  expect(shapeProblems("PayoutEvent", event)).toEqual([]);
  expect(event).toEqual({
    id,
    code: "payout-1",
    event: "ORDER-PAYOUT.PAID",
    status: "PAID",
    paidAt: "2026-11-20T12:00:02.000Z",
    updatedAt: "2026-11-20T12:00:02.000Z",
    endToEndId,
    controlNumber: null,
    type: "PAY-OUT",
    message: "The payout was paid.",
    description: "Invoice 42",
    amount: { currency: "BRL", value: "1250.00" },
    ownerBank: {
      name: "Acme Assinaturas LTDA",
      document: { type: "CNPJ", number: "11222333000181" },
      bank: {
        ispb: "99999004",
        name: "SANDBANK IP",
        branch: "0001",
        account: "1000001",
        accountType: "PAYMENT_ACCOUNT",
      },
      pix: { type: "RANDOM", key: "11111111-aaaa-4aaa-8aaa-111111111111" },
    },
    receiver: {
      name: "Meire Saraiva",
      document: { type: "CPF", number: "84378543770" },
      bank: {
        ispb: "60701190",
        name: "Itaú Unibanco",
        branch: "0001",
        account: "123456",
        accountType: "CHECKING_ACCOUNT",
        code: "341",
      },
      pix: { type: "EMAIL", key: "ok@pix.example" },
    },
  });
  expect(await payoutNow(partner, id)).toMatchObject({ status: "PAID", endToEndId });
  expect(await acmeBalance(partner)).toBe("98750.00");
  expect(await ledgerBalance(partner, `held:${String(id)}`)).toBe("0.00");
});

for (const [key, event, message, errorMessage] of [
  ["error@pix.example", "ORDER-PAYOUT.ERROR", BANK_ERROR, BANK_ERROR],
  [
    "canceled@pix.example",
    "ORDER-PAYOUT.CANCELED",
    "The payout was canceled, and its money is back on the account.",
    undefined,
  ],
] as const) {
  test(`a payout to ${key} ends in ${event} and the money is returned`, async () => {
    await using partner = await openPartner();
    const { id } = await createPayout(partner, { paymentData: { pixKey: key } });
    await partner.advance("PT2S");
    const [sent] = await partner.webhooks();
    expect(shapeProblems("PayoutEvent", sent)).toEqual([]);
    expect(sent).toMatchObject({ id, event, status: event.slice("ORDER-PAYOUT.".length), paidAt: null });
    expect(await acmeBalance(partner)).toBe("100000.00");
    expect(sent?.["message"]).toBe(message);
    expect((await payoutNow(partner, id))["errorMessage"]).toBe(errorMessage);
  });
}

test("a payout to slow@pix.example is paid after an hour", async () => {
  await using partner = await openPartner();
  await createPayout(partner, { paymentData: { pixKey: "slow@pix.example" } });
  await partner.advance("PT59M59S");
  expect(await partner.webhooks()).toEqual([]);
  await partner.advance("PT1S");
  expect(await partner.webhooks()).toMatchObject([{ status: "PAID", paidAt: "2026-11-20T13:00:00.000Z" }]);
});

test("a payout to an unknown key is accepted and ends in ERROR", async () => {
  await using partner = await openPartner();
  await createPayout(partner, { paymentData: { pixKey: "nobody@pix.example" } });
  await partner.advance("PT2S");
  const [event] = await partner.webhooks();
  expect(shapeProblems("PayoutEvent", event)).toEqual([]);
  expect(event).toMatchObject({
    status: "ERROR",
    message: "The PIX key nobody@pix.example is not registered.",
    receiver: { name: "UNKNOWN", document: { type: "CPF", number: "00000000000" } },
  });
  expect(await acmeBalance(partner)).toBe("100000.00");
});

test("a key that is a document identifies its owner even if the directory does not have it", async () => {
  await using partner = await openPartner();
  await createPayout(partner, { paymentData: { pixKey: "52998224725" } });
  await partner.advance("PT2S");
  const [event] = await partner.webhooks();
  expect(event?.["receiver"]).toEqual({
    name: "UNKNOWN",
    document: { type: "CPF", number: "52998224725" },
    pix: { type: "CPF", key: "52998224725" },
  });
});

test("a receiver who is not the owner of the key is accepted and ends in ERROR", async () => {
  await using partner = await openPartner();
  const paymentData = { pixKey: "other-owner@pix.example" };
  await createPayout(partner, { paymentData, receiver: RECEIVER });
  await partner.advance("PT2S");
  expect(await partner.webhooks()).toMatchObject([
    {
      status: "ERROR",
      message: "BE01: The receiver's document does not match the holder of the account.",
      receiver: RECEIVER,
    },
  ]);
  expect(await acmeBalance(partner)).toBe("100000.00");
});

test("a receiver who owns the key is paid, and so is an owner whom the request does not name", async () => {
  await using partner = await openPartner();
  const paymentData = { pixKey: "other-owner@pix.example" };
  const owner = { name: "Carvalho EIRELI", document: { type: "CNPJ", number: "72985866000100" } };
  await createPayout(partner, { paymentData, receiver: owner });
  await createPayout(partner, { paymentData });
  await partner.advance("PT2S");
  expect(await partner.webhooks()).toMatchObject([
    { status: "PAID", receiver: owner },
    { status: "PAID", receiver: owner },
  ]);
});

test("a world can refuse unknown keys and wrong owners when the payout is created", async () => {
  await using partner = await openPartner({
    assumptions: { "payout.unknown-key": "reject", "payout.receiver-mismatch": "reject" },
  });
  const unknown = await askPayout(partner, { paymentData: { pixKey: "nobody@pix.example" } });
  expect(detail(unknown, "paymentData.pixKey")["issue"]).toBe("UNKNOWN");
  const wrong = await askPayout(partner, {
    paymentData: { pixKey: "other-owner@pix.example" },
    receiver: RECEIVER,
  });
  expect(detail(wrong, "receiver.document.number")["issue"]).toBe("MISMATCH");
  expect(await acmeBalance(partner)).toBe("100000.00");
});

test("a bank account is found by its COMPE number or its ISPB", async () => {
  await using partner = await openPartner();
  const { bankNumber: _bankNumber, ...account } = BANK_ACCOUNT;
  for (const bank of [{ bankNumber: "1" }, { bankNumber: "0001" }, { ispb: "00000000" }]) {
    await createPayout(partner, {
      receiver: RECEIVER,
      paymentData: { bankAccount: { ...account, ...bank } },
    });
  }
  await partner.advance("PT2S");
  const bank = { ispb: "00000000", code: "001", name: "Banco do Brasil", branch: "0001", account: "123456" };
  const expected = { status: "PAID", receiver: { ...RECEIVER, bank } };
  const events = await partner.webhooks();
  expect(events).toMatchObject([expected, expected, expected]);
  expect(events[0]?.["receiver"]).not.toHaveProperty("pix");
});

test("a TED within banking hours is settled in seconds and has a control number", async () => {
  await using partner = await openPartner({ start: "2026-11-23T10:00:00-03:00" });
  const created = await createPayout(partner, TED);
  expect(created["endToEndId"]).toMatch(/^E/);
  expect(created).not.toHaveProperty("controlNumber");
  await createPayout(partner, TED);
  await partner.advance("PT2S");
  const [first, second] = await partner.webhooks();
  expect(shapeProblems("PayoutEvent", first)).toEqual([]);
  expect(first).toMatchObject({
    status: "PAID",
    endToEndId: null,
    controlNumber: "STR20261123000000001",
    receiver: { ...RECEIVER, bank: { code: "341" } },
  });
  expect(second?.["controlNumber"]).toBe("STR20261123000000002");
  expect(await payoutNow(partner, created["id"])).toMatchObject({
    status: "PAID",
    endToEndId: created["endToEndId"],
    controlNumber: "STR20261123000000001",
  });
});

for (const [sent, settled, why] of [
  ["2026-11-23T06:29:59-03:00", "2026-11-23T09:30:02.000Z", "before the opening waits for it"],
  ["2026-11-23T06:30:00-03:00", "2026-11-23T09:30:02.000Z", "at the opening is settled"],
  ["2026-11-23T16:59:59-03:00", "2026-11-23T20:00:01.000Z", "just before the closing is settled"],
  ["2026-11-23T17:00:00-03:00", "2026-11-24T09:30:02.000Z", "at the closing waits for the morning"],
  ["2026-11-20T10:00:00-03:00", "2026-11-23T09:30:02.000Z", "on a bank holiday waits for Monday"],
  ["2026-11-21T10:00:00-03:00", "2026-11-23T09:30:02.000Z", "on a Saturday waits for Monday"],
  ["2026-12-24T18:00:00-03:00", "2026-12-28T09:30:02.000Z", "on Christmas Eve waits past the weekend"],
  ["2027-02-05T17:00:00-03:00", "2027-02-10T09:30:02.000Z", "before Carnival waits for Ash Wednesday"],
] as const) {
  test(`a TED sent ${why} (${sent})`, async () => {
    await using partner = await openPartner({ start: sent });
    await createPayout(partner, TED);
    await partner.advance("P10D");
    expect(await partner.webhooks()).toMatchObject([{ status: "PAID", paidAt: settled }]);
  });
}

test("the hours and delays of settlement are assumptions of the world", async () => {
  await using partner = await openPartner({
    start: "2026-11-23T20:00:00-03:00",
    assumptions: {
      "payout.ted-closes": "22:00",
      "payout.ted-delay": "PT10M",
      "payout.pix-delay": "PT30S",
    },
  });
  await createPayout(partner, TED);
  await createPayout(partner);
  await partner.advance("P1D");
  expect(await partner.webhooks()).toMatchObject([
    { paidAt: "2026-11-23T23:00:30.000Z" },
    { paidAt: "2026-11-23T23:10:00.000Z" },
  ]);
});

test("a PIX is settled at any hour of any day", async () => {
  await using partner = await openPartner({ start: "2026-12-25T03:00:00-03:00" });
  await createPayout(partner);
  await partner.advance("PT2S");
  expect(await partner.webhooks()).toMatchObject([{ status: "PAID" }]);
});

test("a receiver within the sandbox is credited: by key and by bank account", async () => {
  await using partner = await openPartner();
  await createPayout(partner, { paymentData: { pixKey: "financeiro@globex.example" } });
  await createPayout(partner, { receiver: GLOBEX_HOLDER, paymentData: { bankAccount: GLOBEX_BANK } });
  await partner.advance("PT2S");
  expect(await ledgerBalance(partner, `available:${GLOBEX_ACCOUNT}`)).toBe("7500.00");
  expect(await acmeBalance(partner)).toBe("97500.00");
});

for (const [name, changed, message] of [
  ["that does not exist", { bank: { accountNumber: "7777777" } }, "AC03"],
  ["of another holder", { receiver: RECEIVER }, "BE01"],
] as const) {
  test(`an account of the sandbox ${name} ends the payout in ERROR`, async () => {
    await using partner = await openPartner();
    const { bank = {}, receiver = GLOBEX_HOLDER } = changed as { bank?: object; receiver?: object };
    await createPayout(partner, { receiver, paymentData: { bankAccount: { ...GLOBEX_BANK, ...bank } } });
    await partner.advance("PT2S");
    const [event] = await partner.webhooks();
    expect(event?.["message"]).toMatch(new RegExp(`^${message}: `));
    expect(await acmeBalance(partner)).toBe("100000.00");
  });
}

test("an account that is closed before the settlement is not credited", async () => {
  await using partner = await openPartner();
  await createPayout(partner, { paymentData: { pixKey: "financeiro@globex.example" } });
  await partner.act("account.deactivate", { id: GLOBEX_ACCOUNT });
  await partner.advance("PT2S");
  expect(await partner.webhooks()).toMatchObject([
    { status: "ERROR", message: "AC06: The receiver's account is blocked." },
  ]);
  expect(await acmeBalance(partner)).toBe("100000.00");
});

test("a company may pay out to its own account", async () => {
  await using partner = await openPartner();
  await createPayout(partner, { paymentData: { pixKey: "contas@acme.example" } });
  expect(await acmeBalance(partner)).toBe("98750.00");
  await partner.advance("PT2S");
  expect(await acmeBalance(partner)).toBe("100000.00");
});

test("a plan takes precedence over the key", async () => {
  await using partner = await openPartner();
  const first = await createPayout(partner, { paymentData: { pixKey: "error@pix.example" } });
  await createPayout(partner);
  await partner.sandbox.plan({ plan: "payout.settlement", on: String(first["id"]), outcomes: ["PAID"] });
  await partner.sandbox.plan({ plan: "payout.settlement", outcomes: ["CANCELED"] });
  await partner.advance("PT2S");
  expect(await partner.webhooks()).toMatchObject([{ status: "PAID" }, { status: "CANCELED" }]);
});

test("with the manual autopilot only plans and the keys with a fixed outcome settle a payout", async () => {
  await using partner = await openPartner({ assumptions: { "autopilot.payout.settlement": "manual" } });
  await partner.sandbox.plan({ plan: "payout.settlement", outcomes: ["ERROR"] });
  await createPayout(partner, TED);
  await createPayout(partner, { externalId: "by-key", paymentData: { pixKey: "slow@pix.example" } });
  const good = await createPayout(partner, { externalId: "good-key" });
  const waiting = await createPayout(partner, {
    receiver: RECEIVER,
    paymentData: { bankAccount: BANK_ACCOUNT },
  });
  await partner.advance("P1M");
  expect(await partner.webhooks()).toMatchObject([
    { code: "by-key", status: "PAID" },
    { code: "payout-1", status: "ERROR" },
  ]);
  for (const { id } of [good, waiting]) {
    expect(await payoutNow(partner, id)).toMatchObject({ status: "PENDING" });
    await partner.act("payout.settle", { id });
    expect(await payoutNow(partner, id)).toMatchObject({ status: "PAID" });
  }
});

test("with the immediate autopilot everything settles immediately", async () => {
  await using partner = await openPartner({ assumptions: { "autopilot.payout.settlement": "immediate" } });
  const created = await createPayout(partner, TED);
  expect(created["status"]).toBe("PENDING");
  expect(await partner.webhooks()).toMatchObject([{ status: "PAID", paidAt: "2026-11-20T12:00:00.000Z" }]);
});

test("the amount may be a number", async () => {
  await using partner = await openPartner();
  expect((await createPayout(partner, { amount: reais(0.1) }))["amount"]).toBe("0.10");
});
