import type { AccountDepositFields } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { accountLifecycle } from "./lifecycle.ts";
import { accounts } from "./account.ts";
import { act } from "../act.ts";
import { actObject } from "../act-object.ts";
import { availableOn, move, OUTSIDE } from "../ledger/ledger.ts";
import { cancelChargesOfAccount } from "../scheduled-payments/cascade.ts";
import { validateValue } from "../field-rules.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { parseMoney } from "../../engine/money.ts";
import { Problems } from "../problems.ts";
import { take } from "../transition.ts";
import { withdrawFromDirectory } from "../pix-key-claims/cancellation.ts";

/** What the institution and the holder of an account do to it. */
export const accountActs = [
  act({
    name: "account.activate",
    collection: "accounts",
    schema: null,
    summary: "The account works again.",
    run: (tx, { id }) => change(tx, id, "activate"),
  }),
  act({
    name: "account.deactivate",
    collection: "accounts",
    schema: null,
    summary: "The account stops working for a while: no subscriptions, no payouts.",
    run: (tx, { id }) => change(tx, id, "deactivate"),
  }),
  act({
    name: "account.close",
    collection: "accounts",
    schema: null,
    summary: "The account is closed for good; it gives up its PIX keys and its open claims.",
    run: (tx, { id }) => {
      change(tx, id, "close");
      withdrawFromDirectory(tx, id);
    },
  }),
  act<AccountDepositFields>({
    name: "account.deposit",
    collection: "accounts",
    schema: "AccountDepositFields",
    summary: "Somebody outside pays BRL into the account.",
    run: (tx, { id, fields }) => deposit(tx, id, fields.amount),
  }),
];

function change(tx: Transaction, id: string, action: "activate" | "deactivate" | "close"): void {
  const account = tx.put(accounts, take(tx, accountLifecycle, actObject(tx, accounts, id), action));
  if (account.status !== "ACTIVE") cancelChargesOfAccount(tx, account);
}

function deposit(tx: Transaction, id: string, value: string | number): void {
  const account = take(tx, accountLifecycle, actObject(tx, accounts, id), "deposit");
  const problems = new Problems();
  validateValue(problems, "amount", "BRL", value);
  problems.refuse();
  const amount = assertDefined(parseMoney("BRL", value), "an amount that was checked");
  move(tx, { from: OUTSIDE, to: availableOn(id), amount, memo: "deposit", objectId: id });
  tx.put(accounts, account);
}
