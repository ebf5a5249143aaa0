import type { Records } from "../../engine/store.ts";
import type { Money } from "../../engine/money.ts";
import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import {
  type AuthorizationOutcome,
  type Subscription,
  authorization,
  expectedPayer,
  subscriptionLifecycle,
  subscriptions,
} from "./subscription.ts";
import { canTake } from "../../engine/lifecycle.ts";
import { type BankData, type TaxPerson, decisionOf, payerFrom } from "../payers/payer.ts";
import {
  amountToPay,
  endOrder,
  payOrder,
  paymentObstacle,
  settleBy,
  stuckOrder,
} from "../orders/commands.ts";
import { illegalAct } from "../refusals.ts";
import { type Order, orderLifecycle, orderPayment, orders } from "../orders/order.ts";
import type { PaymentOutcome } from "../orders/checkout.ts";
import { subscriptionStates } from "./states.ts";
import { requireAction } from "../state-machine.ts";

/** The reader of the QR code, and the details of the acceptance. */
interface Acceptance {
  /** The payer. Default: the expected payer. An unknown account is replaced by a random one. */
  readonly payer?: (TaxPerson & { readonly bankData?: BankData }) | undefined;
  /** The highest amount of a charge that the payer accepts. */
  readonly maximum?: Money | null;
  /** The outcome of the authorization. Default: the planned outcome, otherwise ACCEPTED. */
  readonly outcome?: AuthorizationOutcome | undefined;
  /** The id of the payment that settles the first charge, if it already has one. */
  readonly endToEndId?: string | null;
}

/** The financial provider knows the subscription: its QR code can be read. */
export function registerSubscription(tx: Transaction, drafted: Subscription): Subscription {
  return subscriptionStates.take(tx, drafted, "register");
}

/**
 * Accepts the subscription: the payer reads the QR code and agrees. On journey 3 that pays the first charge first
 * (interface: Create subscription rule 3). If the first charge can no longer be paid, the whole is refused.
 *
 * The authorization can still fail after that, while the charge stays paid (assumption:
 * subscription.paid-and-refused).
 */
export function acceptSubscription(
  tx: Transaction,
  subscription: Subscription,
  acceptance: Acceptance,
): Subscription {
  requireAction(subscriptionLifecycle, subscription, "accept");
  const { endToEndId = null, maximum = null } = acceptance;
  const { bankData, ...person } = acceptance.payer ?? { ...expectedPayer(subscription), bankData: undefined };
  const payer = bankData === undefined ? payerFrom(tx, person) : { ...person, bankData };
  const order = firstOrder(tx, subscription);
  if (order !== undefined) {
    const obstacle = obstacleTo(tx, order);
    if (obstacle !== null) {
      throw illegalAct(
        `Failed to accept the subscription ${subscription.id}: its first charge, the order ${order.id}, ${obstacle}. Possible acts: subscription.reject, subscription.fail, subscription.request-cancellation.`,
      );
    }
    const amount = assertDefined(order.amount, "the amount of a first charge");
    if (stuckOrder(tx, order, { payer, amount }) !== undefined) return subscription;
    payOrder(tx, order, { payer, amount, endToEndId });
  }
  const outcome = acceptance.outcome ?? authorization.planned(tx, subscription) ?? "ACCEPTED";
  if (outcome !== "ACCEPTED") return endSubscription(tx, subscription, REFUSALS[outcome]);
  return subscriptionStates.take(tx, subscription, "accept", { payer, payerMaximum: maximum });
}

/** An authorization whose first charge ended unpaid may end with it (assumption: subscription.first-charge-unpaid). */
export function rejectUnpaid(tx: Transaction, order: Order): void {
  const subscription = ENDED_UNPAID.has(order.status) ? subscriptionPaidBy(tx, order) : undefined;
  if (subscription === undefined || assumption(tx, "subscription.first-charge-unpaid") === "keep") return;
  if (canTake(subscriptionLifecycle, subscription, "reject"))
    subscriptionStates.take(tx, subscription, "reject");
}

/** The subscription that is accepted by paying the order, its first charge. */
export function subscriptionPaidBy(tx: Records, order: Order): Subscription | undefined {
  const { subscriptionId, scheduledPaymentId } = order;
  if (subscriptionId === null || scheduledPaymentId !== null) return undefined;
  return recordOf(tx, subscriptions, subscriptionId);
}

const ENDED_UNPAID: ReadonlySet<Order["status"]> = new Set(["EXPIRED", "CANCELED", "ERROR"]);

/** Ends an authorization; an unpaid first charge is canceled, because its QR code can no longer be paid. */
export function endSubscription(
  tx: Transaction,
  subscription: Subscription,
  action: "reject" | "fail" | "cancel",
): Subscription {
  const ended = subscriptionStates.take(tx, subscription, action);
  const order = firstOrder(tx, ended);
  if (order !== undefined && canTake(orderLifecycle, order, "cancel")) endOrder(tx, order, "cancel");
  return ended;
}

const REFUSALS = { REJECTED: "reject", ERROR: "fail" } as const;

/** The payer answers to the QR code. A first charge that can no longer be paid leaves the subscription as it is. */
export function decideAuthorization(
  tx: Transaction,
  subscription: Subscription,
  decided: AuthorizationOutcome | null,
): void {
  const order = firstOrder(tx, subscription);
  if (order !== undefined) return readImmediateCode(tx, subscription, { order, decided });
  const outcome = authorization.outcome(tx, subscription, decided);
  if (outcome === "ACCEPTED") acceptSubscription(tx, subscription, { outcome });
  else endSubscription(tx, subscription, REFUSALS[outcome]);
}

/** The payer of a journey 3 refuses the whole, or pays the first charge, unless a plan decides on that payment. */
function readImmediateCode(
  tx: Transaction,
  subscription: Subscription,
  { order, decided }: { readonly order: Order; readonly decided: AuthorizationOutcome | null },
): void {
  const person = expectedPayer(subscription);
  const answer = decided ?? decisionOf(tx, authorization.name, { person });
  if (answer === "REJECTED" || answer === "ERROR")
    return void endSubscription(tx, subscription, REFUSALS[answer]);
  if (obstacleTo(tx, order) !== null || tx.isArmed(orderPayment.name, order.id)) return;
  const payment = (decisionOf(tx, orderPayment.name, { person }) as PaymentOutcome | undefined) ?? "PAID";
  if (payment === "PAID") acceptSubscription(tx, subscription, {});
  else rejectUnpaid(tx, settleBy(tx, order, payment));
}

/** Returns the reason why a first charge cannot be paid, as a clause after its name. Null if it can. */
function obstacleTo(tx: Transaction, order: Order): string | null {
  if (!canTake(orderLifecycle, order, "pay")) return `is ${order.status} and cannot be paid`;
  const obstacle = paymentObstacle(tx, order, amountToPay(tx, order));
  return obstacle === null ? null : `cannot be paid: ${obstacle}`;
}

function firstOrder(tx: Transaction, subscription: Subscription): Order | undefined {
  const orderId = subscription.initialCharge?.orderId;
  return orderId ? recordOf(tx, orders, orderId) : undefined;
}
