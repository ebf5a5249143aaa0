import type { Money } from "../../engine/money.ts";
import type { Order } from "../orders/order.ts";
import type { Subscription } from "./subscription.ts";
import type { TaxPerson } from "../payers/payer.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { announceSubscription } from "./view.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { authorization, subscriptionLifecycle, subscriptions } from "./subscription.ts";
import { canTake } from "../../engine/lifecycle.ts";
import { endOrder, payOrder } from "../orders/commands.ts";
import { illegalAct } from "../refusals.ts";
import { orderLifecycle, orders } from "../orders/order.ts";
import { payerFrom } from "../payers/payer.ts";
import { stateMachine } from "../state-machine.ts";

const states = stateMachine(subscriptions, subscriptionLifecycle, {
  emit: announceSubscription,
  arm: { "subscription.authorization": authorization.schedule },
});

/** Who accepts, and the most they let a charge be. */
export interface Acceptance {
  readonly payer?: TaxPerson | undefined;
  readonly maximum?: Money | null;
  /** Of the payment that settles the first charge, where it has one already. */
  readonly endToEndId?: string | null;
}

/** The financial provider knows the subscription: its QR code can be read. */
export function registerSubscription(tx: Transaction, drafted: Subscription): Subscription {
  return states.take(tx, drafted, "register");
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
  states.require(subscription, "accept");
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
  return states.take(tx, subscription, "accept", { payer, payerMaximum: acceptance.maximum ?? null });
}

/** The payer refuses. */
export function rejectSubscription(tx: Transaction, subscription: Subscription): Subscription {
  const rejected = states.take(tx, subscription, "reject");
  cancelFirstOrder(tx, rejected);
  return rejected;
}

/** The financial provider fails to continue with the authorization. */
export function failSubscription(tx: Transaction, subscription: Subscription): Subscription {
  const failed = states.take(tx, subscription, "fail");
  cancelFirstOrder(tx, failed);
  return failed;
}

/** A cancellation was accepted: its own event shows the subscription as CANCELED. */
export function cancelSubscription(tx: Transaction, subscription: Subscription): Subscription {
  const canceled = states.take(tx, subscription, "cancel");
  cancelFirstOrder(tx, canceled);
  return canceled;
}

/** The payer decides. A first charge that can no longer be paid leaves the subscription as it is. */
export function decideAuthorization(
  tx: Transaction,
  subscription: Subscription,
  decided: (typeof authorization)["outcomes"][number] | null,
): void {
  const outcome = authorization.outcome(tx, subscription, decided);
  if (outcome === "REJECTED") rejectSubscription(tx, subscription);
  else if (outcome === "ERROR") failSubscription(tx, subscription);
  else if (isPayable(firstOrder(tx, subscription))) acceptSubscription(tx, subscription, {});
}

/** The unpaid first charge of a subscription that ended is canceled: its QR code can no longer be paid. */
function cancelFirstOrder(tx: Transaction, subscription: Subscription): void {
  const order = firstOrder(tx, subscription);
  if (order !== undefined && canTake(orderLifecycle, order, "cancel")) endOrder(tx, order, "cancel");
}

/** Whether a first charge, where there is one, can still be paid. */
function isPayable(order: Order | undefined): boolean {
  return order === undefined || canTake(orderLifecycle, order, "pay");
}

function firstOrder(tx: Transaction, subscription: Subscription): Order | undefined {
  const orderId = subscription.initialCharge?.orderId;
  return orderId ? assertDefined(tx.get(orders, orderId), `the order ${orderId}`) : undefined;
}
