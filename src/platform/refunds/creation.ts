import type { Call } from "../call.ts";
import type { Money } from "../../engine/money.ts";
import type { Order } from "../orders/order.ts";
import type { Refund } from "./refund.ts";
import type { Refund as RefundShape, RefundRequest } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { accounts } from "../accounts/account.ts";
import { availableOn, balanceOf, heldFor, move } from "../ledger/ledger.ts";
import { formatMoney, parseMoney } from "../../engine/money.ts";
import { validateRefund } from "./rules.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { platformInstitution } from "../../countries/brazil/institutions.ts";
import { Problems } from "../problems.ts";
import { refundLifecycle } from "./lifecycle.ts";
import { refundShape } from "./shape.ts";
import { returnId } from "../../countries/brazil/identifiers.ts";
import { scheduleOutcome } from "./outcome.ts";

/** Refunds an order, whole or in part (interface: Endpoints 5). */
export function refundOrder(tx: Transaction, call: Call<RefundRequest>): RefundShape {
  const problems = new Problems(call.problems);
  const found = validateRefund(tx, call, problems);
  problems.refuse();
  const order = assertDefined(found, "the order of a refund that was checked");
  const { currency } = assertDefined(order.amount, `the amount of the order ${order.id}`);
  const amount = assertDefined(parseMoney(currency, call.body.amount), "an amount that was checked");
  return refundShape(open(tx, order, call.body, amount));
}

/** Sets the money aside, where it is there, and leaves the outcome to the institutions. */
function open(tx: Transaction, order: Order, { reason, requestedBy }: RefundRequest, amount: Money): Refund {
  const id = tx.chance("refunds").uuid();
  const impediment = impedimentOf(tx, order.accountId, amount);
  if (impediment === null) {
    const memo = `refund of order ${order.id} set aside`;
    move(tx, { from: availableOn(order.accountId), to: heldFor(id), amount, memo, objectId: id });
  }
  tx.log({
    kind: "note",
    objectId: id,
    orderId: order.id,
    what: `refund of ${formatMoney(amount)} ${amount.currency} requested`,
  });
  return scheduleOutcome(tx, {
    id,
    companyId: order.companyId,
    orderId: order.id,
    accountId: order.accountId,
    amount,
    reason,
    requestedBy: { name: requestedBy.name, email: requestedBy.email },
    status: refundLifecycle.initial,
    endToEndId: returnId({
      ispb: platformInstitution.ispb,
      instant: tx.now,
      chance: tx.chance("return-ids"),
    }),
    impediment,
    message: "",
    createdAt: tx.now,
    updatedAt: tx.now,
    refundedAt: null,
    outcomeTimer: null,
  });
}

/** What keeps the account from giving the money back, in a sentence; null where nothing does. */
function impedimentOf(tx: Transaction, accountId: string, amount: Money): string | null {
  const account = assertDefined(tx.get(accounts, accountId), `the account ${accountId}`);
  if (account.status !== "ACTIVE") return `The account ${accountId} is ${account.status}.`;
  const available = balanceOf(tx, availableOn(accountId), amount.currency);
  if (available.minor >= amount.minor) return null;
  return `The balance of the account ${accountId} does not suffice: ${formatMoney(available)} ${amount.currency} were available.`;
}
