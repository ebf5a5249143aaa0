import type { Order } from "../orders/order.ts";
import type { Payout } from "./payout.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { accounts } from "../accounts/account.ts";
import { canTake } from "../transition.ts";
import { failureMessage } from "./failures.ts";
import { formatMoney } from "../../engine/money.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { orderLifecycle } from "../orders/lifecycle.ts";
import { amountDue, orders } from "../orders/order.ts";
import { subscriptionLifecycle } from "../subscriptions/lifecycle.ts";
import { subscriptions } from "../subscriptions/subscription.ts";
import { taxDocument } from "./tax-document.ts";

type Reader = Pick<Transaction, "get">;

/**
 * Why the receiver's side does not take the payment, as an errorMessage; null where nothing is in the way. A
 * plan or a hand may say otherwise, since it is somebody else's decision.
 */
export function obstacleTo(tx: Reader, payout: Payout): string | null {
  const { destination, receiver } = payout;
  if (destination.missing === "key") return `The PIX key ${destination.pix?.key} is not registered.`;
  if (destination.missing === "account") return failureMessage("AC03");
  const { owner } = destination;
  if (receiver !== null && owner !== null && receiver.document.number !== owner.document.number) {
    return failureMessage("BE01");
  }
  return closedAccount(tx, payout) ?? deadCode(tx, payout);
}

/** Why the sandbox itself cannot pay the QR code, whoever says it should; null where it can. */
export function deadCode(tx: Reader, { destination, accountId, amount }: Payout): string | null {
  if (destination.missing === "charge") return failureMessage("BE17", "No charge stands behind it.");
  const order = orderPaidBy(tx, destination.orderId);
  if (order === undefined) return null;
  if (!canTake(orderLifecycle, order, "pay")) {
    return failureMessage("BE17", `The order behind it is ${order.status}.`);
  }
  const due = amountDue(order);
  if (due !== null && due.minor !== amount.minor) {
    return failureMessage("BE17", `The order behind it asks for ${formatMoney(due)} now.`);
  }
  const subscription = subscriptionPaidBy(tx, order);
  if (subscription === undefined) return null;
  if (!canTake(subscriptionLifecycle, subscription, "accept")) {
    return failureMessage("BE17", `The subscription behind it is ${subscription.status}.`);
  }
  const { document } = assertDefined(tx.get(accounts, accountId), `the account ${accountId}`);
  return taxDocument(document) === null
    ? failureMessage("CH11", "A subscription wants a CPF or CNPJ.")
    : null;
}

/** The order that a payout to its QR code pays. */
export function orderPaidBy(tx: Reader, orderId: string | null): Order | undefined {
  return orderId === null ? undefined : assertDefined(tx.get(orders, orderId), `the order ${orderId}`);
}

/** The subscription that is accepted by paying the order, its first charge. */
export function subscriptionPaidBy(tx: Reader, order: Order): Subscription | undefined {
  const { subscriptionId, scheduledPaymentId } = order;
  if (subscriptionId === null || scheduledPaymentId !== null) return undefined;
  return assertDefined(tx.get(subscriptions, subscriptionId), `the subscription ${subscriptionId}`);
}

function closedAccount(tx: Reader, { destination: { accountId } }: Payout): string | null {
  const account = accountId === null ? undefined : tx.get(accounts, accountId);
  if (account === undefined || account.status === "ACTIVE") return null;
  return failureMessage(account.status === "CLOSED" ? "AC07" : "AC06");
}
