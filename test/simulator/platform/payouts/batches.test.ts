import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { type Answered, type Partner, detail, openPartner } from "../../../partner.ts";
import {
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

interface Child extends SandboxObject {
  readonly idempotencyKey: string;
}

function childrenOf(payout: SandboxObject): Child[] {
  return (payout["batch"] as { transactions: Child[] }).transactions;
}

async function act(partner: Partner, name: string, body: object): Promise<Answered> {
  return partner.ask("POST", `/sandbox/acts/${name}`, { token: null, body });
}

const BY_HAND = { assumptions: { "autopilot.payout.settlement": "manual" } };
const BY_BANK = { ...TED, paymentMethod: "PIX" };

test("a payout of the threshold is not split, and one centavo more makes a batch", async () => {
  await using partner = await openPartner();
  expect(await createPayout(partner, { amount: reais("15000.00") })).not.toHaveProperty("batch");
  const { batch } = await createPayout(partner, { amount: reais("15000.01") });
  expect((batch as { transactions: object[] }).transactions).toMatchObject([
    { sequence: 1, amount: "15000.00" },
    { sequence: 2, amount: "0.01" },
  ]);
});

test("a batch is answered completely, with counters and sums", async () => {
  await using partner = await openPartner();
  const payout = await createPayout(partner, { amount: reais("40000.00") }, { key: "supplier-42" });
  expect(shapeProblems("Payout", payout)).toEqual([]);
  expect(payout["amount"]).toBe("40000.00");
  expect(payout["batch"]).toMatchObject({
    transactionsCount: 3,
    paidCount: 0,
    failedCount: 0,
    pendingCount: 3,
    paidAmount: "0.00",
    pendingAmount: "40000.00",
    transactions: [
      { idempotencyKey: "supplier-42", sequence: 1, amount: "15000.00", status: "PENDING" },
      { idempotencyKey: "supplier-42-2", sequence: 2, amount: "15000.00", status: "PENDING" },
      { idempotencyKey: "supplier-42-3", sequence: 3, amount: "10000.00", status: "PENDING" },
    ],
  });
  const children = childrenOf(payout);
  expect(new Set(children.map(({ endToEndId }) => endToEndId as string)).size).toBe(3);
  expect(children[0]?.["endToEndId"]).toBe(payout["endToEndId"]);
});

test("a batch is paid child by child and announced once", async () => {
  await using partner = await openPartner(BY_HAND);
  const { id } = await createPayout(partner, { ...BY_BANK, amount: reais("40000.00") });
  const acted = await partner.act("payout.settle", { id, sequence: 2 });
  expect(acted).toMatchObject({
    status: "PENDING",
    batch: { paidCount: 1, pendingCount: 2, paidAmount: "15000.00", pendingAmount: "25000.00" },
  });
  expect(childrenOf(acted)[1]).toMatchObject({ status: "PAID", paidAt: "2026-11-20T12:00:00.000Z" });
  expect(await partner.webhooks()).toEqual([]);
  expect(await ledgerBalance(partner, `held:${String(id)}`)).toBe("25000.00");
  await partner.act("payout.settle", { id, sequence: 1 });
  const paid = await partner.act("payout.settle", { id, sequence: 3 });
  expect(paid).toMatchObject({ status: "PAID", batch: { paidCount: 3, pendingAmount: "0.00" } });
  expect(await partner.webhooks()).toMatchObject([
    { id, event: "ORDER-PAYOUT.PAID", amount: { value: "40000.00" } },
  ]);
});

test("a batch of which one child fails ends in ERROR, and that child's money is returned", async () => {
  await using partner = await openPartner();
  const { id } = await createPayout(partner, { ...BY_BANK, amount: reais("40000.00") });
  await partner.sandbox.plan({ plan: "payout.settlement", on: String(id), outcomes: ["PAID", "ERROR"] });
  await partner.advance("PT2S");
  const payout = await payoutNow(partner, id);
  expect(shapeProblems("Payout", payout)).toEqual([]);
  expect(payout).toMatchObject({
    status: "ERROR",
    errorMessage: "1 of 3 transactions were not paid; 15000.00 BRL went back to the account.",
    batch: { paidCount: 2, failedCount: 1, pendingCount: 0, paidAmount: "25000.00", pendingAmount: "0.00" },
  });
  expect(childrenOf(payout)[1]).toMatchObject({
    status: "ERROR",
    errorMessage: "AB09: The receiver's institution reported an error.",
  });
  expect(await partner.webhooks()).toMatchObject([
    { event: "ORDER-PAYOUT.ERROR", paidAt: null, message: payout["errorMessage"] },
  ]);
  expect(await acmeBalance(partner)).toBe("75000.00");
});

for (const [outcomes, status] of [
  [["PAID", "PAID"], "PAID"],
  [["CANCELED", "CANCELED"], "CANCELED"],
  [["ERROR", "ERROR"], "ERROR"],
  [["PAID", "CANCELED"], "ERROR"],
  [["CANCELED", "ERROR"], "ERROR"],
] as const) {
  test(`a batch of ${outcomes.join(" and ")} is ${status}`, async () => {
    await using partner = await openPartner();
    await partner.sandbox.plan({ plan: "payout.settlement", outcomes });
    const { id } = await createPayout(partner, { amount: reais("20000.00") });
    await partner.advance("PT2S");
    expect(await payoutNow(partner, id)).toMatchObject({ status });
    expect(await partner.webhooks()).toMatchObject([{ status }]);
  });
}

test("a batch whose children fail for one reason reports that reason", async () => {
  await using partner = await openPartner();
  const paymentData = { pixKey: "nobody@pix.example" };
  await createPayout(partner, { paymentData, amount: reais("40000.00") });
  await partner.advance("PT2S");
  expect(await partner.webhooks()).toMatchObject([
    { message: "The PIX key nobody@pix.example is not registered." },
  ]);
});

test("an act without a sequence applies to all children that are not final", async () => {
  await using partner = await openPartner(BY_HAND);
  const { id } = await createPayout(partner, { ...BY_BANK, amount: reais("40000.00") });
  await partner.act("payout.cancel", { id, sequence: 1 });
  const ended = await partner.act("payout.settle", { id });
  expect(childrenOf(ended).map(({ status }) => status as string)).toEqual(["CANCELED", "PAID", "PAID"]);
  expect(ended["status"]).toBe("ERROR");
  expect(await acmeBalance(partner)).toBe("75000.00");
});

test("a final child refuses every act, and so does a final payout", async () => {
  await using partner = await openPartner(BY_HAND);
  const { id } = await createPayout(partner, { ...BY_BANK, amount: reais("20000.00") });
  await partner.act("payout.fail", { id, sequence: 1, code: "AC07" });
  for (const name of ["payout.fail", "payout.cancel", "payout.analyse"]) {
    const refused = await act(partner, name, { id, sequence: 1 });
    expect(refused.status).toBe(409);
    expect(detail(refused, "act")).toMatchObject({
      issue: "ILLEGAL_ACT",
      description: `The act ${name} is not possible: transaction 1 of the payout ${String(id)} is ERROR. Possible acts: payout.settle.`,
    });
  }
  await partner.act("payout.settle", { id });
  const refused = await act(partner, "payout.cancel", { id });
  expect(detail(refused, "act")["description"]).toContain(`the payout ${String(id)} is ERROR`);
  expect((await payoutNow(partner, id))["errorMessage"]).toContain("1 of 2");
});

test("the refusal of an act does not call the same act possible", async () => {
  await using partner = await openPartner({
    assumptions: { "payout.batch-threshold": "5.00", "payout.pix-delay": "P1D" },
  });
  const { id } = await createPayout(partner, { amount: reais("10.00") });
  await partner.act("payout.settle", { id, sequence: 1 });
  await partner.act("payout.cancel", { id, sequence: 2 });
  expect((await payoutNow(partner, id))["status"]).toBe("ERROR");
  const refused = await act(partner, "payout.settle", { id });
  expect(JSON.stringify(refused.body)).toContain("The act payout.settle is not possible");
  expect(JSON.stringify(refused.body)).not.toMatch(/Possible acts: [^"]*payout\.settle[,.]/);
});

test("a sequence that the batch does not have is refused, and so is one of a payout that was not split", async () => {
  await using partner = await openPartner(BY_HAND);
  const { id } = await createPayout(partner, { ...BY_BANK, amount: reais("20000.00") });
  expect(
    detail(await act(partner, "payout.settle", { id, sequence: 3 }), "sequence")["description"],
  ).toContain("counts from 1 to 2");
  for (const sequence of [0, -1, 1.5, "1", null]) {
    expect((await act(partner, "payout.settle", { id, sequence })).status).toBe(400);
  }
  const whole = await createPayout(partner, BY_BANK);
  const refused = await act(partner, "payout.settle", { id: whole["id"], sequence: 1 });
  expect(detail(refused, "sequence")["description"]).toContain("was not split");
});

test("an act on an unknown payout is not found, and an unknown failure code is refused", async () => {
  await using partner = await openPartner(BY_HAND);
  expect((await act(partner, "payout.settle", { id: "nothing" })).status).toBe(404);
  const { id } = await createPayout(partner, BY_BANK);
  expect((await act(partner, "payout.fail", { id, code: "XX00" })).status).toBe(400);
  expect((await act(partner, "payout.settle", { id, amount: "1.00" })).status).toBe(400);
});

test("after a settlement by act no timer is left", async () => {
  await using partner = await openPartner();
  const { id } = await createPayout(partner);
  await partner.act("payout.cancel", { id });
  await partner.advance("P1D");
  expect(await partner.webhooks()).toMatchObject([{ event: "ORDER-PAYOUT.CANCELED" }]);
  expect(await acmeBalance(partner)).toBe("100000.00");
});

test("the children of a TED batch have no end-to-end id, and the batch has the first control number", async () => {
  await using partner = await openPartner({ start: "2026-11-23T10:00:00-03:00" });
  const payout = await createPayout(partner, { ...TED, amount: reais("20000.00") });
  for (const child of childrenOf(payout)) expect(child).not.toHaveProperty("endToEndId");
  await partner.advance("PT2S");
  expect(await partner.webhooks()).toMatchObject([
    { status: "PAID", controlNumber: "STR20261123000000001", endToEndId: null },
  ]);
});

test("the threshold and the size of a batch are assumptions of the world", async () => {
  await using partner = await openPartner({
    assumptions: { "payout.batch-threshold": "100.00", "payout.batch-size-max": 3 },
  });
  expect(childrenOf(await createPayout(partner, { amount: reais("300.00") }))).toHaveLength(3);
  const refused = await askPayout(partner, { amount: reais("300.01") });
  expect(refused.status).toBe(400);
  expect(detail(refused, "amount.value")["description"]).toContain("split into 4 transactions of 100.00");
});

test("a batch has at most 10,000 transactions, whatever is set", async () => {
  const beyond = { assumptions: { "payout.batch-size-max": 10_001 } };
  await expect(openPartner(beyond)).rejects.toThrow(
    "The assumption payout.batch-size-max is a whole number from 2 to 10000; found 10001.",
  );
  await using partner = await openPartner({ assumptions: { "payout.batch-threshold": "0.01" } });
  const refused = await askPayout(partner, { amount: reais("100.01") });
  expect(detail(refused, "amount.value")["description"]).toContain(
    "split into 10001 transactions of 0.01; a batch has at most 10000",
  );
});

test("the keys of later children have at most 64 characters, and all keys differ", async () => {
  await using partner = await openPartner({ assumptions: { "payout.batch-threshold": "10.00" } });
  const used = new Set<string>();
  const batchKeys = [`${"k".repeat(62)}-2`, "k".repeat(64), `${"k".repeat(62)}xy`, "k".repeat(63)];
  for (const key of batchKeys) {
    const keys = childrenOf(await createPayout(partner, { amount: reais("120.00") }, { key })).map(
      ({ idempotencyKey }) => idempotencyKey,
    );
    expect(keys[0]).toBe(key);
    expect(keys.filter((childKey) => childKey.length > 64)).toEqual([]);
    const suffixes = keys.slice(1).map((childKey) => childKey.replace(/^k+x?/, ""));
    expect(suffixes).toEqual(suffixes.map((_, index) => `-${index + 2}`));
    for (const childKey of keys) used.add(childKey);
  }
  expect(used.size).toBe(batchKeys.length * 12);
});
