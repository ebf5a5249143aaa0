import type { DepositBank as DepositBankShape } from "../../api/generated/shapes.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { collection } from "../../engine/collection.ts";
import { assertDefined } from "../../engine/assertion.ts";

/** A bank that takes deposits; the id is its slug. */
export type DepositBank = StoredRecord & DepositBankShape;

export const depositBanks = collection<DepositBank>("deposit-banks", {});

/** The bank an order gets that names none (interface: Create transparent order rule 5). */
export function defaultDepositBank(tx: Pick<Transaction, "all">): DepositBank {
  return assertDefined(
    Array.from(tx.all(depositBanks)).find((bank) => bank.default),
    "the default deposit bank",
  );
}
