import type { FailureCode } from "./failures.ts";
import type { Payout, PayoutTransaction } from "./payout.ts";
import type { PayoutAction } from "./lifecycle.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { act } from "../act.ts";
import { actObject } from "../act-object.ts";
import { cancelTransaction, failTransaction, settleTransaction } from "./settlement.ts";
import { canTake, requireAction } from "../transition.ts";
import { deadCode } from "./obstacles.ts";
import { failureMessage } from "./failures.ts";
import { illegalAct, invalidRequest } from "../refusals.ts";
import { payoutLifecycle, payoutTransactionLifecycle } from "./lifecycle.ts";
import { payouts, transactionsOf } from "./payout.ts";

interface ChildFields {
  /** The one child of a batch that is meant; all that are open where it is left out. */
  readonly sequence?: number;
}

interface FailFields extends ChildFields {
  readonly code?: FailureCode;
}

/** What the institutions do to a payout, or to one child of its batch. */
export const payoutActs = [
  act<ChildFields>({
    name: "payout.settle",
    collection: "payouts",
    schema: "PayoutChildFields",
    summary: "The money reaches the receiver: all of it that is still on its way, or one child of a batch.",
    run: (tx, { id, fields }) => {
      const { payout, transactions } = meant(tx, { id, fields, action: "settle" });
      const reason = deadCode(tx, payout);
      if (reason !== null) {
        throw illegalAct(
          `Failed to settle the payout ${id}: ${reason} Possible from there: payout.fail, payout.cancel.`,
        );
      }
      for (const transaction of transactions) settleTransaction(tx, transaction);
    },
  }),
  act<FailFields>({
    name: "payout.fail",
    collection: "payouts",
    schema: "PayoutFailFields",
    summary: "The payout, or one child of a batch, ends in an error and its money returns.",
    run: (tx, { id, fields }) => {
      const message = failureMessage(fields.code ?? "AB09");
      const { transactions } = meant(tx, { id, fields, action: "fail" });
      for (const transaction of transactions) failTransaction(tx, transaction, message);
    },
  }),
  act<ChildFields>({
    name: "payout.cancel",
    collection: "payouts",
    schema: "PayoutChildFields",
    summary: "The payout, or one child of a batch, is canceled and its money returns.",
    run: (tx, { id, fields }) => {
      const { transactions } = meant(tx, { id, fields, action: "cancel" });
      for (const transaction of transactions) cancelTransaction(tx, transaction);
    },
  }),
];

/** The payout with the transactions that an act is about; refused where the action is not possible. */
function meant(
  tx: Transaction,
  { id, fields, action }: { id: string; fields: ChildFields; action: PayoutAction },
): { payout: Payout; transactions: readonly PayoutTransaction[] } {
  const payout = actObject(tx, payouts, id);
  if (fields.sequence === undefined) {
    requireAction(payoutLifecycle, payout, action);
    const open = transactionsOf(tx, id).filter((one) => canTake(payoutTransactionLifecycle, one, action));
    return { payout, transactions: open };
  }
  const child = childOf(tx, payout, fields.sequence);
  if (!canTake(payoutTransactionLifecycle, child, action)) {
    throw illegalAct(
      `Failed to take payout.${action}: transaction ${child.sequence} of the payout ${id} is ${child.status}. Nothing is possible from there.`,
    );
  }
  return { payout, transactions: [child] };
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
