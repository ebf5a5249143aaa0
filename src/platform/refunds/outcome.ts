import type { Order } from "../orders/order.ts";
import type { Refund } from "./refund.ts";
import type { RefundAction } from "./lifecycle.ts";
import type { StepOutcome } from "../autopilot.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { announceRefund } from "./events.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { availableOn, heldFor, move, OUTSIDE } from "../ledger/ledger.ts";
import { illegalAct } from "../refusals.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { markRefunded } from "../orders/payment.ts";
import { orders } from "../orders/order.ts";
import { outcomeOf, scheduleStep } from "../autopilot.ts";
import { canTake, requireAction, take } from "../transition.ts";
import { refundedOf, refunds } from "./refund.ts";
import { refundLifecycle } from "./lifecycle.ts";
import { timerKind } from "../../engine/timers.ts";
import { transitionFrom } from "../../engine/lifecycle.ts";

/** What a failed refund says where nobody gives another reason. */
const REJECTED = "The payer's institution rejected the refund.";
const FAILED = "The refund failed for a technical reason. Its amount can be refunded anew.";

/**
 * The money arrives with the payer, and the order is refunded whole or in part. Refused where the money could
 * not be set aside: what is not there cannot arrive.
 */
export function settleRefund(tx: Transaction, refund: Refund): Refund {
  requireAction(refundLifecycle, refund, "settle");
  if (refund.impediment !== null) {
    throw illegalAct(
      `Failed to settle the refund ${refund.id}: ${refund.impediment} Possible from there: refund.reject, refund.fail.`,
    );
  }
  const settled = put(tx, refund, "settle", { refundedAt: tx.now });
  const { amount, id, orderId } = settled;
  move(tx, { from: heldFor(id), to: OUTSIDE, amount, memo: `refund of order ${orderId} paid`, objectId: id });
  markRefunded(tx, orderOf(tx, settled), refundedOf(tx, orderId, amount.currency, ["REFUNDED"]));
  announceOutcome(tx, "settle", settled);
  return settled;
}

/** The other side turns the refund down: its amount is free again. */
export function rejectRefund(tx: Transaction, refund: Refund, message?: string): Refund {
  return giveBack(tx, refund, "reject", message ?? refund.impediment ?? REJECTED);
}

/** The refund comes to nothing for a technical reason: its amount is free again. */
export function failRefund(tx: Transaction, refund: Refund, message?: string): Refund {
  return giveBack(tx, refund, "fail", message ?? FAILED);
}

/** Puts the refund, with the timer by which its outcome is decided, where it does not wait for a hand. */
export function scheduleOutcome(tx: Transaction, refund: Refund): Refund {
  const outcomeTimer = scheduleStep(tx, {
    step: "refund.outcome",
    objectId: refund.id,
    delay: assumption(tx, "refund.delay"),
    timer: decideRefund,
    input: { refundId: refund.id },
  });
  return tx.put(refunds, { ...refund, outcomeTimer });
}

/** The institutions decide (assumption: refund.delay); without the money, a good end is out of the question. */
export const decideRefund = timerKind<{ refundId: string } & StepOutcome<"refund.outcome">>(
  "refund.outcome",
  (tx, { refundId, outcome: decided }) => {
    const refund = assertDefined(tx.get(refunds, refundId), `the refund ${refundId}`);
    if (!canTake(refundLifecycle, refund, "settle")) return;
    const outcome = outcomeOf(tx, "refund.outcome", { objectId: refundId, decided });
    if (outcome === "ERROR") failRefund(tx, refund);
    else if (outcome === "REJECTED" || refund.impediment !== null) rejectRefund(tx, refund);
    else settleRefund(tx, refund);
  },
);

function giveBack(
  tx: Transaction,
  refund: Refund,
  action: Exclude<RefundAction, "settle">,
  message: string,
): Refund {
  const ended = put(tx, refund, action, { message });
  const { id, orderId, accountId, amount } = ended;
  if (ended.impediment === null) {
    const memo = `refund of order ${orderId} returned`;
    move(tx, { from: heldFor(id), to: availableOn(accountId), amount, memo, objectId: id });
  }
  announceOutcome(tx, action, ended);
  return ended;
}

function put(tx: Transaction, refund: Refund, action: RefundAction, changed: Partial<Refund>): Refund {
  const taken = take(tx, refundLifecycle, refund, action);
  tx.disarm(refund.outcomeTimer);
  return tx.put(refunds, { ...taken, ...changed, outcomeTimer: null });
}

function announceOutcome(tx: Transaction, action: RefundAction, refund: Refund): void {
  const row = assertDefined(
    transitionFrom(refundLifecycle, "INITIAL", action),
    `the row of refund.${action}`,
  );
  const { emits } = row as (typeof refundLifecycle.transitions)[number];
  announceRefund(tx, emits, { refund, order: orderOf(tx, refund) });
}

function orderOf(tx: Transaction, { orderId }: Refund): Order {
  return assertDefined(tx.get(orders, orderId), `the order ${orderId}`);
}
