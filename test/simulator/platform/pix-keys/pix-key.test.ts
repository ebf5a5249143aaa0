import type { Transaction } from "../../../../src/simulator/engine/transaction.ts";
import { accounts } from "../../../../src/simulator/platform/accounts/account.ts";
import { expect, test } from "vitest";
import { keysOfAccount, pixKeyOf, randomKeyOf } from "../../../../src/simulator/platform/pix-keys/pix-key.ts";
import { openPartner } from "../../../partner.ts";

type Records = Pick<Transaction, "get" | "all" | "find">;

/** The records of a fresh sandbox, as its audit sees them. */
async function recordsOfFreshSandbox(): Promise<Records> {
  let records: Records | undefined;
  await using partner = await openPartner({ audit: (simulation) => void (records = simulation.records) });
  await partner.sandbox.ledger();
  if (records === undefined) throw new Error("no world was seeded");
  return records;
}

test("the documented keys decide how a payout to them ends", async () => {
  const records = await recordsOfFreshSandbox();
  const settlements = ["ok", "error", "canceled", "slow"].map(
    (name) => pixKeyOf(records, `${name}@pix.example`)?.settlement,
  );
  expect(settlements).toEqual([
    { outcome: "PAID" },
    { outcome: "ERROR" },
    { outcome: "CANCELED" },
    { outcome: "PAID", delay: "PT1H" },
  ]);
  const owner = pixKeyOf(records, "ok@pix.example")?.owner.document.number;
  expect(pixKeyOf(records, "other-owner@pix.example")?.owner.document.number).not.toBe(owner);
});

test("a key that is not registered is in no directory", async () => {
  const records = await recordsOfFreshSandbox();
  expect(pixKeyOf(records, "nobody@pix.example")).toBeUndefined();
  expect(pixKeyOf(records, "not a key")).toBeUndefined();
});

test("a key is found in every notation", async () => {
  const records = await recordsOfFreshSandbox();
  expect(pixKeyOf(records, " OK@Pix.Example ")?.id).toBe("ok@pix.example");
  expect(pixKeyOf(records, "11.222.333/0001-81")?.id).toBe("11222333000181");
});

test("every account that is not closed has a random key, and every ACTIVE account of acme and globex another one", async () => {
  const records = await recordsOfFreshSandbox();
  for (const account of records.all(accounts)) {
    const owner = account.status === "CLOSED" ? undefined : account.id;
    expect(randomKeyOf(records, account.id)?.accountId).toBe(owner);
  }
  const types = keysOfAccount(records, "11111111-1111-4111-8111-111111111111").map(({ type }) => type);
  expect(types).toEqual(["RANDOM", "EMAIL", "PHONE", "CNPJ"]);
});

test("a key of an account is owned by its holder and pays into its bank account", async () => {
  const records = await recordsOfFreshSandbox();
  expect(pixKeyOf(records, "contas@acme.example")).toMatchObject({
    owner: { name: "Acme Assinaturas LTDA", document: { type: "CNPJ", number: "11222333000181" } },
    bank: { ispb: "99999004", branchNumber: "0001", accountNumber: "1000001" },
    accountId: "11111111-1111-4111-8111-111111111111",
    settlement: null,
  });
});
