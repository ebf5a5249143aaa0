import type { Records } from "../../engine/store.ts";
import type { BankAccount, Person } from "../payers/payer.ts";
import type { IsoDuration } from "../../engine/instant.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { type FailureCode, failureCodes } from "../payouts/failures.ts";
import { type StoredRecord, collection } from "../../engine/collection.ts";
import { type PixKeyType, normalizePixKey } from "../../countries/brazil/pix-keys.ts";
import { type Account, bankOf } from "../accounts/account.ts";

/**
 * An entry of the key directory: the owner of the key and the destination of its money. The id is the normalized key.
 */
export interface PixKey extends StoredRecord {
  readonly type: PixKeyType;
  readonly owner: Person;
  readonly bank: BankAccount;
  /** The outcome of a payout to the key. Null if the fixtures do not decide it. */
  readonly settlement: PixKeySettlement | null;
  /** The account of the sandbox that the key belongs to; null for a key of another institution. */
  readonly accountId: string | null;
}

/** The outcome of a payout to a key: an outcome of the step `payout.settlement`. */
export interface PixKeySettlement {
  readonly outcome: "PAID" | "ERROR" | "CANCELED" | `ERROR:${FailureCode}`;
  /** The delay until the outcome. Default: the usual delay. */
  readonly delay?: IsoDuration;
}

export const pixKeys = collection<PixKey, "account">("pix-keys", {
  account: (pixKey) => pixKey.accountId ?? undefined,
});

/** Returns the directory's entry for a key, which need not be normalized. Undefined for an unknown key. */
export function pixKeyOf(tx: Records, key: string): PixKey | undefined {
  const id = normalizePixKey(key);
  return id === undefined ? undefined : (tx.get(pixKeys, id) ?? failingKey(id));
}

/** A key such as `ac06@pix.example`, which exists in every world: a payout to it fails with that code. */
function failingKey(id: string): PixKey | undefined {
  const code = failureCodes.find((known) => id === `${known.toLowerCase()}@pix.example`);
  return code && { id, type: "EMAIL", ...FAILING, settlement: { outcome: `ERROR:${code}` }, accountId: null };
}

const FAILING = {
  owner: { name: "Fabio Falha", document: { type: "CPF", number: "90000000922" } },
  bank: {
    ispb: "60701190",
    branchNumber: "0001",
    accountNumber: "723456",
    accountType: "CHECKING_ACCOUNT",
  },
};

/** Returns the keys of an account of the sandbox, in the order of their entry. */
export function keysOfAccount(tx: Records, accountId: string): PixKey[] {
  return tx.find(pixKeys, "account", accountId);
}

/** The account's random (EVP) key, until it is closed (interface: Create transparent order rule 4). */
export function randomKeyOf(tx: Records, accountId: string): PixKey | undefined {
  return keysOfAccount(tx, accountId).find(({ type }) => type === "RANDOM");
}

/** Enters a key of an account and replaces any entry that the key had before. */
export function giveKey(
  tx: Transaction,
  account: Account,
  { key, type }: { readonly key: string; readonly type: PixKeyType },
): PixKey {
  return tx.put(pixKeys, {
    id: key,
    type,
    owner: { name: account.fullName, document: account.document },
    bank: bankOf(account),
    settlement: null,
    accountId: account.id,
  });
}
