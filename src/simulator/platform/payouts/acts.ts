import type { ActDefinition } from "../resource.ts";
import type {
  PayoutChildFields,
  PayoutFailFields,
  PayoutReturnFields,
  PayoutSettleFields,
} from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import {
  cancelTransaction,
  failTransaction,
  impossibility,
  reportReturn,
  returnTransaction,
  settleAfterAll,
  settleTransaction,
} from "./settlement.ts";
import { transactionStates } from "./states.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { availableOn, balanceOf } from "../ledger/ledger.ts";
import { canTake } from "../../engine/lifecycle.ts";
import { failureMessage } from "./failures.ts";
import { formatMoney, least, type Money, parseMoney, subtract, sumOf } from "../../engine/money.ts";
import { illegalAct, invalidRequest } from "../refusals.ts";
import { illegalAction, possibleFrom } from "../state-machine.ts";
import {
  type Payout,
  type PayoutTransaction,
  type PayoutTransactionAction,
  payoutLifecycle,
  leftOf,
  payoutTransactionLifecycle,
  transactionsOf,
} from "./payout.ts";
import { Problems, validateValue } from "../problems.ts";
import { receiverObstacle } from "../orders/commands.ts";

/** The actions of institutions on a payout, or on one child of its batch. */
export const payoutActs = {
  settle: {
    summary:
      "The open amount, or one child of a batch, reaches the receiver. With `force` this also works for a failed payment.",
    fields: "PayoutSettleFields",
    run: settle,
  },
  fail: {
    summary: "The payout, or one child of a batch, ends in an error and its money returns.",
    fields: "PayoutFailFields",
    run: (tx, payout, { sequence, code }: PayoutFailFields) => {
      const message = failureMessage(code ?? "AB09");
      for (const transaction of selected(tx, payout, "fail", sequence))
        failTransaction(tx, transaction, message);
    },
  },
  cancel: {
    summary: "The payout, or one child of a batch, is canceled and its money returns.",
    fields: "PayoutChildFields",
    run: (tx, payout, { sequence }: PayoutChildFields) => {
      for (const transaction of selected(tx, payout, "cancel", sequence)) cancelTransaction(tx, transaction);
    },
  },
  analyse: {
    summary:
      "The payout, or one child of a batch, is held for a review until it is settled, fails or is canceled.",
    fields: "PayoutChildFields",
    run: (tx, payout, { sequence }: PayoutChildFields) => {
      for (const transaction of selected(tx, payout, "analyse", sequence))
        transactionStates.take(tx, transaction, "analyse");
    },
  },
  return: {
    summary:
      "The receiver's institution returns a paid payout, whole or in part, or one child of a batch. It needs the assumption payout.returns.",
    fields: "PayoutReturnFields",
    run: sendBack,
  },
} as const satisfies Readonly<Record<string, ActDefinition<Payout>>>;

function settle(tx: Transaction, payout: Payout, { sequence, force }: PayoutSettleFields): void {
  const failed = (
    sequence === undefined ? transactionsOf(tx, payout.id) : [childOf(tx, payout, sequence)]
  ).filter(({ status }) => status === "ERROR");
  const isAfterAll = failed.length > 0 && (sequence !== undefined || payout.status === "ERROR");
  if (isAfterAll && force !== true) {
    throw illegalAct(
      `The act payout.settle is not possible: the payout ${payout.id} failed, and its money is back on the account. With force: true it goes through after all, and its money is taken again.`,
    );
  }
  const transactions = isAfterAll ? failed : selected(tx, payout, "settle", sequence);
  const reason = impossibility(tx, payout);
  if (reason !== null) {
    const others = isAfterAll ? "" : " Possible acts: payout.fail, payout.cancel.";
    throw illegalAct(`Failed to settle the payout ${payout.id}: ${reason}${others}`);
  }
  if (isAfterAll) requireBalance(tx, payout, failed);
  for (const transaction of transactions)
    if (isAfterAll) settleAfterAll(tx, transaction);
    else settleTransaction(tx, transaction);
}

function requireBalance(tx: Transaction, payout: Payout, taken: readonly PayoutTransaction[]): void {
  const { currency } = payout.amount;
  const needed = sumOf(
    currency,
    taken.map(({ amount }) => amount),
  );
  const available = balanceOf(tx, availableOn(payout.accountId), currency);
  if (available.minor >= needed.minor) return;
  throw illegalAct(
    `The act payout.settle is not possible: it takes ${formatMoney(needed)} again, and the account ${payout.accountId} has ${formatMoney(available)} available. Perform account.deposit first.`,
  );
}

/** Sends paid money back, child by child in their order, up to the requested amount (assumption: payout.returns). */
function sendBack(tx: Transaction, payout: Payout, { sequence, amount }: PayoutReturnFields): void {
  const { id, status } = payout;
  const returns = assumption(tx, "payout.returns");
  const fail = (because: string): Error => illegalAct(`The act payout.return is not possible: ${because}`);
  if (returns === "none") {
    throw fail(
      "a payout that was paid does not come back. Set the assumption payout.returns to silent, canceled-event or error-event.",
    );
  }
  if (status === "PENDING") throw fail(`the payout ${id} is PENDING. Wait until it has ended.`);
  const paid = selected(tx, payout, "return", sequence);
  const obstacle = obstacleToReturn(tx, payout);
  if (obstacle !== null) throw fail(obstacle);
  const left = sumOf(payout.amount.currency, paid.map(leftOf));
  let open = askedFor(amount, left);
  requireReceived(tx, payout, open);
  for (const transaction of paid) {
    const part = least(leftOf(transaction), open);
    if (part.minor > 0) returnTransaction(tx, transaction, part);
    open = subtract(open, part);
  }
  reportReturn(tx, payout, returns === "silent" ? undefined : returns);
}

/** Returns the amount of a return: by default the rest of the payment, and never more. */
function askedFor(amount: string | number | undefined, left: Money): Money {
  const problems = new Problems();
  validateValue(problems, "amount", left.currency, amount);
  const asked = amount === undefined ? left : parseMoney(left.currency, amount);
  problems.check("amount", asked, ({ minor }) =>
    minor <= left.minor ? undefined : `At most ${formatMoney(left)} can come back; found ${amount}.`,
  );
  problems.refuse();
  return assertDefined(asked, "an amount that was checked");
}

/** Returns the reason why the money cannot come back, as a sentence. Null if it can. */
function obstacleToReturn(tx: Transaction, { accountId, destination }: Payout): string | null {
  if (destination.orderId !== null)
    return `it paid the order ${destination.orderId}. Take order.return on that order.`;
  const closed = receiverObstacle(tx, accountId);
  return closed === null ? null : `it cannot come back: ${closed}.`;
}

/** A receiver of the sandbox has to have the money still. */
function requireReceived(tx: Transaction, { destination: { accountId } }: Payout, amount: Money): void {
  if (accountId === null) return;
  const available = balanceOf(tx, availableOn(accountId), amount.currency);
  if (available.minor >= amount.minor) return;
  throw illegalAct(
    `The act payout.return is not possible: the receiver's account ${accountId} has ${formatMoney(available)} left of it. Return that, or perform account.deposit on it first.`,
  );
}

/** Returns the transactions that an act is about. Refuses if the action is not possible. */
function selected(
  tx: Transaction,
  payout: Payout,
  action: PayoutTransactionAction,
  sequence: number | undefined,
): readonly PayoutTransaction[] {
  const { id } = payout;
  if (sequence === undefined) {
    const possible = transactionsOf(tx, id).filter((one) => canTake(payoutTransactionLifecycle, one, action));
    if (possible.length > 0) return possible;
    throw illegalAction(payoutLifecycle, payout, action);
  }
  const child = childOf(tx, payout, sequence);
  if (!canTake(payoutTransactionLifecycle, child, action)) {
    throw illegalAct(
      `The act payout.${action} is not possible: transaction ${child.sequence} of the payout ${id} is ${child.status}. ${possibleFrom(payoutTransactionLifecycle, child.status, `payout.${action}`)}`,
    );
  }
  return [child];
}

function childOf(tx: Transaction, { id, batchId }: Payout, sequence: number): PayoutTransaction {
  const children = batchId === null ? [] : transactionsOf(tx, id);
  const child = children[sequence - 1];
  if (child !== undefined) return child;
  const description =
    batchId === null
      ? `The payout ${id} was not split into a batch. Leave the sequence out.`
      : `The batch of the payout ${id} counts from 1 to ${children.length}; found ${sequence}.`;
  throw invalidRequest([{ field: "sequence", issue: "INVALID", description }]);
}
