import { expect, test } from "vitest";
import { openPartner, type Partner } from "../../../partner.ts";
import {
  acmeBalance,
  createPayout,
  GLOBEX_ACCOUNT,
  ledgerBalance,
  payoutNow,
  reais,
  TED,
} from "./payout-requests.ts";
import { makeOrder, orderBody } from "../orders/asking.ts";

const START = "2026-11-23T10:00:00-03:00";

async function opened(returns: string): Promise<Partner> {
  return openPartner({ start: START, assumptions: { "payout.returns": returns } });
}

async function refusal(partner: Partner, act: string, body: object): Promise<string> {
  const { status, body: answer } = await partner.ask("POST", `/sandbox/acts/payout.${act}`, { body });
  const [detail] = answer["details"] as { description: string }[];
  return `${status} ${detail?.description}`;
}

test.each([
  ["PIX", {}],
  ["TED", TED],
])("a paid %s does not come back by default", async (_method, body) => {
  await using partner = await openPartner({ start: START });
  const { id } = await createPayout(partner, body);
  await partner.advance("PT2S");
  expect(await refusal(partner, "return", { id })).toBe(
    "409 The act payout.return is not possible: a payout that was paid does not come back. Set the assumption payout.returns to silent, canceled-event or error-event.",
  );
});

test.each([
  ["silent", []],
  ["canceled-event", [{ event: "ORDER-PAYOUT.CANCELED", status: "CANCELED" }]],
  ["error-event", [{ event: "ORDER-PAYOUT.ERROR", status: "ERROR" }]],
])("with %s a PIX comes back, and its status is REFUNDED", async (returns, events) => {
  await using partner = await opened(returns);
  const { id } = await createPayout(partner);
  await partner.advance("PT2S");
  expect(await partner.act("payout.return", { id, amount: "0.01" })).toMatchObject({
    status: "PARTIAL_REFUNDED",
    errorMessage: "0.01 BRL came back from the receiver's institution.",
  });
  expect(await acmeBalance(partner)).toBe("98750.01");
  expect(await refusal(partner, "return", { id, amount: "1250.00" })).toBe(
    "400 At most 1249.99 can come back; found 1250.00.",
  );
  await partner.act("payout.return", { id });
  expect(await payoutNow(partner, id)).toMatchObject({ status: "REFUNDED" });
  expect(await acmeBalance(partner)).toBe("100000.00");
  const sent = (await partner.webhooks()).slice(1);
  expect(sent).toMatchObject([...events, ...events]);
  for (const event of sent) expect(event["paidAt"]).toBe("2026-11-23T13:00:02.000Z");
  expect(await refusal(partner, "return", { id })).toContain("is REFUNDED. Possible acts: none");
});

test("only what was paid comes back, and only once the payout has ended", async () => {
  await using partner = await opened("silent");
  const { id } = await createPayout(partner, { amount: reais("30000.00") });
  await partner.act("payout.settle", { id, sequence: 1 });
  expect(await refusal(partner, "return", { id, sequence: 1 })).toContain(
    "is PENDING. Wait until it has ended.",
  );
  await partner.act("payout.fail", { id, sequence: 2 });
  expect(await refusal(partner, "return", { id, sequence: 2 })).toContain("transaction 2 of the payout");
  expect(await refusal(partner, "return", { id, amount: "15000.01" })).toContain("At most 15000.00");
  expect(await partner.act("payout.return", { id, amount: "40.00" })).toMatchObject({
    status: "ERROR",
    batch: {
      paidCount: 1,
      failedCount: 1,
      paidAmount: "14960.00",
      transactions: [{ status: "PARTIAL_REFUNDED" }, { status: "ERROR" }],
    },
  });
  expect(await acmeBalance(partner)).toBe("85040.00");
});

test("a receiver of the sandbox returns no more than it has, and the money of an order goes back by order.return", async () => {
  await using partner = await opened("silent");
  const paid = await createPayout(partner, { paymentData: { pixKey: "financeiro@globex.example" } });
  await partner.advance("PT2S");
  await createPayout(
    partner,
    { accountId: GLOBEX_ACCOUNT, amount: reais("6000.00") },
    { token: "globex-token" },
  );
  expect(await refusal(partner, "return", { id: paid["id"] })).toContain("has 250.00 left of it");
  await partner.act("payout.return", { id: paid["id"], amount: "250.00" });
  expect(await ledgerBalance(partner, `available:${GLOBEX_ACCOUNT}`)).toBe("0.00");
  const order = await makeOrder(partner, orderBody("PIX"));
  await partner.act("account.deposit", { id: GLOBEX_ACCOUNT, amount: "150.00" });
  const code = await createPayout(
    partner,
    {
      accountId: GLOBEX_ACCOUNT,
      paymentData: { qrcodeData: order["qrcodeData"] },
      amount: reais("150.00"),
    },
    { token: "globex-token" },
  );
  await partner.advance("PT2S");
  expect(await refusal(partner, "return", { id: code["id"] })).toContain("Take order.return on that order.");
});

test("what was called failed is paid after all only by force, and where the balance suffices", async () => {
  await using partner = await openPartner({ start: START });
  const { id } = await createPayout(partner, TED);
  await partner.act("payout.fail", { id, code: "AC03" });
  expect(await refusal(partner, "settle", { id })).toContain("With force: true it goes through after all");
  await createPayout(partner, { amount: reais("99000.00"), externalId: "other" });
  expect(await refusal(partner, "settle", { id, force: true })).toContain(
    "it takes 1250.00 again, and the account 11111111-1111-4111-8111-111111111111 has 1000.00 available",
  );
  await partner.act("account.deposit", { id: "11111111-1111-4111-8111-111111111111", amount: "250.00" });
  expect(await partner.act("payout.settle", { id, force: true })).toMatchObject({ status: "PAID" });
  expect(await acmeBalance(partner)).toBe("0.00");
  expect(await refusal(partner, "settle", { id, force: true })).toContain("is PAID.");
  expect((await partner.webhooks()).map(({ event }) => event)).toEqual([
    "ORDER-PAYOUT.ERROR",
    "ORDER-PAYOUT.PAID",
  ]);
});

test("of a batch one failed child after the other is paid after all", async () => {
  await using partner = await openPartner({ start: START });
  const { id } = await createPayout(partner, { amount: reais("40000.00") });
  await partner.act("payout.fail", { id, sequence: 1 });
  await partner.act("payout.settle", { id, sequence: 1, force: true });
  expect(await partner.act("payout.fail", { id })).toMatchObject({
    status: "ERROR",
    errorMessage: expect.stringContaining("2 of 3") as unknown,
  });
  expect(await partner.act("payout.settle", { id, sequence: 3, force: true })).toMatchObject({
    status: "ERROR",
    errorMessage: "1 of 3 transactions were not paid; 15000.00 BRL went back to the account.",
  });
  expect(await partner.act("payout.settle", { id, force: true })).toMatchObject({ status: "PAID" });
  expect(await acmeBalance(partner)).toBe("60000.00");
});

test("a payout under review waits for an act, whatever was due or planned", async () => {
  await using partner = await openPartner({ start: START });
  const { id } = await createPayout(partner);
  await partner.act("payout.analyse", { id });
  expect(await refusal(partner, "analyse", { id })).toContain("is PENDING. Possible acts: payout.settle");
  await partner.sandbox.plan({ plan: "payout.settlement", on: String(id), outcomes: ["ERROR"] });
  await partner.advance("P3D");
  expect(await payoutNow(partner, id)).toMatchObject({ status: "PENDING" });
  expect(await partner.act("payout.settle", { id })).toMatchObject({ status: "PAID" });
});

test.each(["AC06", "AG03"])("a plan of ERROR:%s fails with that code", async (code) => {
  await using partner = await openPartner({ start: START });
  await partner.sandbox.plan({ plan: "payout.settlement", outcomes: [`ERROR:${code}`] });
  const { id } = await createPayout(partner);
  await partner.advance("PT2S");
  expect((await payoutNow(partner, id))["errorMessage"]).toMatch(new RegExp(`^${code}: [A-Z].*\\.$`));
  const planned = await partner.ask("POST", "/sandbox/plans", {
    body: { plan: "payout.settlement", outcomes: ["ERROR:ZZ99"] },
  });
  expect(planned.status).toBe(400);
});

test("a former id of an assumption is read as the present one", async () => {
  await using partner = await openPartner({ assumptions: { "payout.ted-returns": false } });
  const { body } = await partner.ask("GET", "/sandbox/assumptions");
  expect(body["data"]).toContainEqual(expect.objectContaining({ id: "payout.returns", value: "none" }));
  const { body: made } = await partner.ask("POST", "/sandbox/worlds", {
    body: { assumptions: { "payout.ted-returns": "true" } },
  });
  const token = (made["companies"] as { token: string }[])[0]!.token;
  const { body: assumed } = await partner.ask("GET", "/sandbox/assumptions", { token });
  expect(assumed["data"]).toContainEqual(expect.objectContaining({ id: "payout.returns", value: "silent" }));
});

test("with payout.ted-returns the money of a TED comes back once, without an event", async () => {
  await using partner = await openPartner({ start: START, assumptions: { "payout.ted-returns": true } });
  const { id } = await createPayout(partner, TED);
  expect(await refusal(partner, "return", { id })).toMatch(/^409 /);
  await partner.advance("PT2S");
  expect(await acmeBalance(partner)).toBe("98750.00");
  await partner.act("payout.return", { id });
  expect(await payoutNow(partner, id)).toMatchObject({ status: "REFUNDED" });
  expect(await acmeBalance(partner)).toBe("100000.00");
  expect((await partner.webhooks()).map(({ event }) => event)).toEqual(["ORDER-PAYOUT.PAID"]);
  expect(await refusal(partner, "return", { id })).toMatch(/^409 /);
  expect(await ledgerBalance(partner, `held:${String(id)}`)).not.toBe("1250.00");
});

test("no TED comes back to a closed account", async () => {
  await using partner = await openPartner({ start: START, assumptions: { "payout.ted-returns": true } });
  const ted = await createPayout(partner, { ...TED, externalId: "ted" });
  await partner.advance("PT2S");
  await partner.act("account.close", { id: "11111111-1111-4111-8111-111111111111" });
  expect(await refusal(partner, "return", { id: ted["id"] })).toMatch(/^409 /);
});
