import type { Records } from "../../engine/store.ts";
import type { Call } from "../call.ts";
import type { DepositBank as DepositBankAnswer } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { type StoredRecord, collection } from "../../engine/collection.ts";
import { defineResource } from "../resource.ts";
import { Problems } from "../problems.ts";
import { depositBankApi } from "./operations.ts";

/** A bank that takes deposits; the id is its slug. */
export type DepositBank = StoredRecord & DepositBankAnswer;

export const depositBanks = collection<DepositBank>("deposit-banks", {});

export const depositBankResource = defineResource({
  name: "deposit-banks",
  api: depositBankApi,
  collection: depositBanks,
  operations: { listDepositBanks },
});

/** The bank of an order that names none (interface: Create transparent order rule 5). */
export function defaultDepositBank(tx: Records): DepositBank {
  return assertDefined(
    Array.from(tx.all(depositBanks)).find((bank) => bank.default),
    "the default deposit bank",
  );
}

/** Lists the banks that a DEPOSIT order may name (interface: Endpoints 11; assumption: order.deposit-banks). */
function listDepositBanks(tx: Transaction, call: Call): DepositBankAnswer[] {
  new Problems(call.problems).refuse();
  return Array.from(tx.all(depositBanks), ({ id: _id, ...bank }) => bank);
}
