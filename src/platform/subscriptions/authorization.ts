import type { Money } from "../../engine/money.ts";
import type { Order } from "../orders/order.ts";
import type { StepOutcome } from "../autopilot.ts";
import type { TaxPerson } from "../payers/payer.ts";
import type { Subscription } from "./subscription.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { announceSubscription } from "./events.ts";
import { endOrder, payOrder } from "../orders/payment.ts";
import { illegalAct } from "../refusals.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { orderLifecycle } from "../orders/lifecycle.ts";
import { orders } from "../orders/order.ts";
import { payerFrom } from "../payers/payer.ts";
import { outcomeOf, scheduleStep } from "../autopilot.ts";
import { canTake, requireAction, take } from "../transition.ts";
import { subscriptionLifecycle } from "./lifecycle.ts";
import { subscriptions } from "./subscription.ts";
import { timerKind, timers } from "../../engine/timers.ts";

/** Who accepts, and the most they let a charge be. */
export interface Acceptance {
  readonly payer?: TaxPerson | undefined;
  readonly maximum?: Money | null;
  /** Of the payment that settles the first charge, where it has one already. */
  readonly endToEndId?: string | null;
}

/**
 * The payer accepts. On journey 3 accepting and paying the first charge are one: the order is settled first
 * (interface: Create subscription rule 3), so one that can no longer be paid refuses the whole.
 */
export function acceptSubscription(
  tx: Transaction,
  subscription: Subscription,
  acceptance: Acceptance,
): Subscription {
  requireAction(subscriptionLifecycle, subscription, "accept");
  const payer = payerFrom(tx, acceptance.payer ?? subscription.announcedPayer ?? subscription.debtor);
  const order = firstOrder(tx, subscription);
  if (order !== undefined) {
    if (!isPayable(order)) {
      throw illegalAct(
        `Failed to accept the subscription ${subscription.id}: its first charge, the order ${order.id}, is ${order.status} and cannot be paid. Possible from there: subscription.reject, subscription.fail, subscription.request-cancellation.`,
      );
    }
    const amount = assertDefined(order.amount, "the amount of a first charge");
    payOrder(tx, order, { payer, amount, endToEndId: acceptance.endToEndId ?? null });
  }
  const taken = take(tx, subscriptionLifecycle, subscription, "accept");
  const accepted = tx.put(subscriptions, { ...taken, payer, payerMaximum: acceptance.maximum ?? null });
  announceSubscription(tx, "SUBSCRIPTION.ACCEPTED", accepted);
  return accepted;
}

/** The payer refuses. */
export function rejectSubscription(tx: Transaction, subscription: Subscription): Subscription {
  const rejected = tx.put(subscriptions, take(tx, subscriptionLifecycle, subscription, "reject"));
  announceSubscription(tx, "SUBSCRIPTION.REJECTED", rejected);
  closeFirstOrder(tx, rejected);
  return rejected;
}

/** The financial provider fails to go on with the authorization. */
export function failSubscription(tx: Transaction, subscription: Subscription): Subscription {
  const failed = tx.put(subscriptions, take(tx, subscriptionLifecycle, subscription, "fail"));
  announceSubscription(tx, "SUBSCRIPTION.ERROR", failed);
  closeFirstOrder(tx, failed);
  return failed;
}

/** Cancels the unpaid first charge of a subscription that came to its end: its QR code is dead. */
export function closeFirstOrder(tx: Transaction, subscription: Subscription): void {
  const order = firstOrder(tx, subscription);
  if (order !== undefined && canTake(orderLifecycle, order, "cancel")) endOrder(tx, order, "cancel");
}

/** Lets the payer decide where a plan, a fixture or the autopilot says so (assumption: autopilot.subscription.authorization). */
export function scheduleAuthorization(tx: Transaction, subscription: Subscription): void {
  scheduleStep(tx, {
    step: "subscription.authorization",
    objectId: subscription.id,
    person: subscription.announcedPayer ?? subscription.debtor,
    timer: decideAuthorization,
    input: { subscriptionId: subscription.id },
  });
}

/** Lets a plan that came later decide, in place of what was decided before. */
export function rescheduleAuthorization(tx: Transaction, subscription: Subscription): void {
  for (const { id, kind, input } of tx.all(timers)) {
    const { subscriptionId } = input as Partial<Deciding>;
    if (kind === decideAuthorization.name && subscriptionId === subscription.id) tx.disarm(id);
  }
  scheduleAuthorization(tx, subscription);
}

interface Deciding {
  readonly subscriptionId: string;
}

export const decideAuthorization = timerKind<Deciding & StepOutcome<"subscription.authorization">>(
  "subscription.authorization",
  (tx, { subscriptionId, outcome: decided }) => {
    const subscription = assertDefined(
      tx.get(subscriptions, subscriptionId),
      `the subscription ${subscriptionId}`,
    );
    if (!canTake(subscriptionLifecycle, subscription, "accept")) return;
    const person = subscription.announcedPayer ?? subscription.debtor;
    const outcome = outcomeOf(tx, "subscription.authorization", {
      objectId: subscriptionId,
      decided,
      person,
    });
    if (outcome === "REJECTED") rejectSubscription(tx, subscription);
    else if (outcome === "ERROR") failSubscription(tx, subscription);
    else if (isPayable(firstOrder(tx, subscription))) acceptSubscription(tx, subscription, {});
  },
);

/** Whether a first charge, where there is one, can still be paid. */
function isPayable(order: Order | undefined): boolean {
  return order === undefined || canTake(orderLifecycle, order, "pay");
}

function firstOrder(tx: Transaction, subscription: Subscription): Order | undefined {
  const orderId = subscription.initialCharge?.orderId;
  return orderId ? assertDefined(tx.get(orders, orderId), `the order ${orderId}`) : undefined;
}
