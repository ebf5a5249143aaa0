import type { PixKeyBank, PixKeyOwner, PixKeySettlement } from "./pix-key.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { accounts } from "../accounts/account.ts";
import { giveKey, pixKeys, randomKeyOf } from "./pix-key.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { pixKeyType } from "../../countries/brazil/pix-keys.ts";

/** A key of the fixtures: of an account of the sandbox, or of somebody elsewhere. */
export type PixKeyFixture = AccountKeyFixture | OutsideKeyFixture;

interface AccountKeyFixture {
  readonly key: string;
  readonly accountId: string;
}

interface OutsideKeyFixture {
  readonly key: string;
  readonly owner: PixKeyOwner;
  readonly bank: PixKeyBank;
  readonly settlement?: PixKeySettlement;
}

/**
 * Enters the keys of the fixtures, and a random key for every account that has none and is not closed. A key of
 * an account that these fixtures do not have is left out: a folder may bring companies of its own.
 */
export function foundPixKeys(tx: Transaction, fixtures: readonly PixKeyFixture[]): void {
  for (const fixture of fixtures) {
    const { key } = fixture;
    const type = assertDefined(pixKeyType(key), `the type of the PIX key ${key}`);
    if ("accountId" in fixture) {
      const account = tx.get(accounts, fixture.accountId);
      if (account !== undefined) giveKey(tx, account, { key, type });
    } else {
      const { owner, bank, settlement = null } = fixture;
      tx.put(pixKeys, { id: key, type, owner, bank, settlement, accountId: null });
    }
  }
  for (const account of tx.all(accounts)) {
    if (account.status === "CLOSED" || randomKeyOf(tx, account.id) !== undefined) continue;
    giveKey(tx, account, { key: tx.chance("pix-keys").uuid(), type: "RANDOM" });
  }
}
