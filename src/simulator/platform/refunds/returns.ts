import type { ActDefinition } from "../resource.ts";
import type { OrderDisputeFields, OrderReturnFields } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { availableOn, balanceOf, heldFor, move } from "../ledger/ledger.ts";
import { canTake } from "../../engine/lifecycle.ts";
import { creditedAmount, type Order, orderLifecycle } from "../orders/order.ts";
import { type Dispute, disputeLifecycle, openDispute } from "./dispute.ts";
import { formatMoney, least, money, type Money, parseMoney } from "../../engine/money.ts";
import { illegalAct } from "../refusals.ts";
import { Problems, validateValue } from "../problems.ts";
import { refunds } from "./refund.ts";
import { possibleFrom } from "../state-machine.ts";
import { takeBack } from "./commands.ts";
import { disputeStates } from "./states.ts";

/** The states of an order that has money to block. */
const from = orderLifecycle.transitions.find(({ action }) => action === "refund")?.from ?? [];

/** The actions of institutions on the money of an order without a request (assumption: refund.unrequested). */
export const returnActs = {
  return: {
    summary:
      "An institution takes the money of a paid order back, or a part of it, without a refund request of your client.",
    fields: "OrderReturnFields",
    run: (tx, order, { amount, reason = "fraud" }: OrderReturnFields) => {
      takeBack(tx, order, { amount: takenFrom(tx, order, { amount, act: "order.return" }), reason });
    },
  },
  dispute: {
    summary: "The payer disputes the payment. Its money, or a part of it, is blocked until the decision.",
    from,
    fields: "OrderDisputeFields",
    run: (tx, order, { amount }: OrderDisputeFields) => dispute(tx, order, amount),
  },
  "dispute-lost": {
    summary: "The payer wins the dispute and gets the blocked amount back.",
    from,
    run: (tx, order) => {
      const { id, amount } = disputeStates.take(tx, requireDispute(tx, order, "order.dispute-lost"), "lose");
      takeBack(tx, order, { amount, reason: "payer-contest", from: heldFor(id) });
    },
  },
  "dispute-won": {
    summary: "The receiver wins the dispute. The blocked amount is available again.",
    from,
    run: (tx, order) => {
      const { id, amount } = disputeStates.take(tx, requireDispute(tx, order, "order.dispute-won"), "win");
      const memo = `dispute of order ${order.id} won`;
      move(tx, { from: heldFor(id), to: availableOn(order.accountId), amount, memo, objectId: order.id });
    },
  },
} as const satisfies Readonly<Record<string, ActDefinition<Order>>>;

function dispute(tx: Transaction, order: Order, asked: string | number | undefined): void {
  const current = openDispute(tx, order.id);
  if (current !== undefined) {
    throw illegalAct(
      `The act order.dispute is not possible: ${formatMoney(current.amount)} ${current.amount.currency} of the order ${order.id} are disputed already. Possible acts: order.dispute-lost, order.dispute-won.`,
    );
  }
  const amount = takenFrom(tx, order, { amount: asked, act: "order.dispute" });
  const id = tx.chance("disputes").uuid();
  const memo = `disputed payment of order ${order.id} blocked`;
  move(tx, { from: availableOn(order.accountId), to: heldFor(id), amount, memo, objectId: order.id });
  const what = `${formatMoney(amount)} ${amount.currency} disputed and blocked`;
  tx.log({ kind: "note", objectId: order.id, what });
  const { initial: status } = disputeLifecycle;
  disputeStates.create(tx, { id, orderId: order.id, amount, status, createdAt: tx.now, updatedAt: tx.now });
}

function requireDispute(tx: Transaction, order: Order, act: string): Dispute {
  const found = openDispute(tx, order.id);
  if (found !== undefined) return found;
  throw illegalAct(
    `The act ${act} is not possible: the payment of the order ${order.id} is not disputed. Begin with order.dispute.`,
  );
}

/**
 * Returns the amount that an institution takes of an order: by default the rest, and never more than the account has.
 */
function takenFrom(
  tx: Transaction,
  order: Order,
  { amount: asked, act }: { readonly amount: string | number | undefined; readonly act: string },
): Money {
  const { id, accountId, status } = order;
  if (!canTake(orderLifecycle, order, "refund")) {
    throw illegalAct(
      `The act ${act} is not possible: the order ${id} is ${status}. ${possibleFrom(orderLifecycle, status, act)}`,
    );
  }
  const left = leftOf(tx, order);
  const { currency } = left;
  if (left.minor === 0) {
    throw illegalAct(
      `The act ${act} is not possible: nothing is left of the payment of the order ${id} that is not refunded, on its way back or disputed. Wait for the outcome of what is open, or take another order.`,
    );
  }
  const problems = new Problems();
  validateValue(problems, "amount", currency, asked);
  problems.check("amount", asked, (value) =>
    assertDefined(parseMoney(currency, value), "an amount that was checked").minor <= left.minor
      ? undefined
      : `At most ${formatMoney(left)} ${currency} of the payment are left; found ${value}.`,
  );
  problems.refuse();
  const available = balanceOf(tx, availableOn(accountId), currency);
  if (available.minor === 0) {
    throw illegalAct(
      `The act ${act} is not possible: the account ${accountId} has no ${currency} left to take. Perform account.deposit first.`,
    );
  }
  const wanted = asked === undefined ? left : assertDefined(parseMoney(currency, asked), "a checked amount");
  return least(wanted, available);
}

/** Returns the money of an order that is neither refunded, nor held for a refund, nor disputed. */
function leftOf(tx: Transaction, order: Order): Money {
  const credited = assertDefined(creditedAmount(order), `what was paid for the order ${order.id}`);
  const taken = tx
    .find(refunds, "order", order.id)
    .filter(
      ({ status, impediment }) => status === "REFUNDED" || (status === "INITIAL" && impediment === null),
    )
    .reduce((sum, { amount }) => sum + amount.minor, 0);
  const disputed = openDispute(tx, order.id)?.amount.minor ?? 0;
  return money(credited.currency, credited.minor - taken - disputed);
}
