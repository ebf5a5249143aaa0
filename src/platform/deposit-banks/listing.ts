import type { Call } from "../call.ts";
import type { DepositBank } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { depositBanks } from "./deposit-bank.ts";
import { Problems } from "../problems.ts";

/** Lists the banks that a DEPOSIT order may name (interface: Endpoints 11; assumption: order.deposit-banks). */
export function listDepositBanks(tx: Transaction, call: Call): DepositBank[] {
  new Problems(call.problems).refuse();
  return Array.from(tx.all(depositBanks), ({ id: _id, ...bank }) => bank);
}
