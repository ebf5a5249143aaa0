import type { AccountBalance } from "../../api/generated/shapes.ts";
import type { Call } from "../call.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { amountShape } from "../shape.ts";
import { availableOn, balanceOf } from "../ledger/ledger.ts";
import { ownAccount } from "./account.ts";
import { pathParameter } from "../call.ts";
import { Problems } from "../problems.ts";

/** Reads what an account can spend now, whatever its status (interface: Endpoints 9). */
export function getAccountBalance(tx: Transaction, call: Call): AccountBalance {
  new Problems(call.problems).refuse();
  const { id } = ownAccount(tx, call.companyId, pathParameter(call, "accountId"));
  return { accountId: id, balance: amountShape(balanceOf(tx, availableOn(id), "BRL")) };
}
