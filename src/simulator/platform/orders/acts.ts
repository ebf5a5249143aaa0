import type { OrderPayFields } from "../../api/generated/shapes.ts";
import { personOf, type TaxPerson } from "../payers/payer.ts";
import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { acceptSubscription, rejectUnpaid } from "../subscriptions/commands.ts";
import { actsFrom } from "../../engine/lifecycle.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { type CardState, type ThreeDsState, countryOf } from "./checkout.ts";
import { declineOrder, endOrder, receiverObstacle, settleBy, settleOrder } from "./commands.ts";
import { formatInstant } from "../../engine/instant.ts";
import { formatMoney, parseMoney } from "../../engine/money.ts";
import { illegalAct } from "../refusals.ts";
import { illegalAction, requireAction } from "../state-machine.ts";
import {
  type Order,
  amountAsked,
  awaitsChallenge,
  orderLifecycle,
  orderPayment,
  orders,
  payableAs,
  takesParts,
} from "./order.ts";
import { Problems, validateValue } from "../problems.ts";
import type { ActDefinition } from "../resource.ts";
import { returnActs } from "../refunds/returns.ts";
import { subscriptions } from "../subscriptions/subscription.ts";
import { validateOrderDocument } from "./rules.ts";

const CHALLENGE_FAILED = "The 3-D Secure challenge was not passed.";

/** The acts of the payer, the bank and the issuer of a card on an order. */
export const orderActs = {
  pay: {
    summary:
      "The payer pays the due amount, or a part of it. The first charge of a journey 3 subscription also decides the subscription, with the outcome in `authorization`.",
    fields: "OrderPayFields",
    run: (tx, order, fields: OrderPayFields) => {
      requireUnpaid(order, "pay");
      if (payableAs(tx, order) === null) throw illegalAction(orderLifecycle, order, "pay");
      requireReceiver(tx, order);
      validatePayment(tx, order, fields);
      if (order.subscriptionId === null) pay(tx, order, fields);
      else acceptBy(tx, order.subscriptionId, fields);
    },
  },
  expire: unpaid("The time to pay is over.", "expire"),
  cancel: unpaid("The order is canceled before it is paid.", "cancel"),
  fail: unpaid("The payment fails for a technical reason.", "fail", (tx, order) =>
    endOrder(tx, order, "fail", "The payment failed at the financial provider."),
  ),
  decline: unpaid("The payer, or the issuer of the card, declines.", "decline", declineOrder),
  analyse: unpaid("The payment is held up for a review.", "analyse"),
  "pass-challenge": unpaid("The customer passes the 3-D Secure challenge.", "pass-challenge", passChallenge),
  "fail-challenge": unpaid("The customer fails the 3-D Secure challenge.", "fail-challenge", failChallenge),
  ...returnActs,
} as const satisfies Readonly<Record<string, ActDefinition<Order>>>;

function pay(tx: Transaction, order: Order, { amount, payer }: OrderPayFields): void {
  const { currency } = currencyAndDocuments(order);
  settleOrder(tx, order, {
    payer: payer && personOf(payer),
    amount: amount === undefined ? undefined : parseMoney(currency, amount),
  });
}

/** Paying a first charge authorizes its subscription, unless a plan or the act says otherwise. */
export function acceptBy(
  tx: Transaction,
  subscriptionId: string,
  { payer, authorization }: Omit<OrderPayFields, "amount">,
): void {
  const subscription = recordOf(tx, subscriptions, subscriptionId);
  acceptSubscription(tx, subscription, {
    payer: payer && (personOf(payer) as TaxPerson),
    outcome: authorization,
  });
}

function currencyAndDocuments(order: Order) {
  return assertDefined(countryOf(order.paymentMethod), `the country of ${order.paymentMethod}`);
}

/**
 * Returns an act on an order without a payment that waits for its confirmation. By default it just takes the action.
 */
function unpaid(
  summary: string,
  action: Parameters<typeof endOrder>[2],
  run = (tx: Transaction, order: Order): Order => endOrder(tx, order, action),
): ActDefinition<Order> {
  return {
    summary,
    run(tx, order) {
      requireUnpaid(order, action);
      rejectUnpaid(tx, run(tx, order));
    },
  };
}

/** Refuses every action on a paid boleto except its confirmation. */
function requireUnpaid({ id, confirmation }: Order, action: string): void {
  if (confirmation === null) return;
  throw illegalAct(
    `The act order.${action} is not possible: the order ${id} was paid, and the bank confirms it at ${formatInstant(confirmation.at)}. Possible acts: none.`,
  );
}

/** A closed account takes no payments, as it takes no deposits. */
function requireReceiver(tx: Transaction, order: Order): void {
  const obstacle = receiverObstacle(tx, order.accountId);
  if (obstacle === null) return;
  const possible = actsFrom(orderLifecycle, order.status).filter((act) => act !== "order.pay");
  throw illegalAct(
    `The act order.pay is not possible: ${obstacle} and cannot receive the payment of the order ${order.id}. ${possible.length > 0 ? `Possible acts: ${possible.join(", ")}.` : "Possible acts: none."}`,
  );
}

function validatePayment(
  tx: Transaction,
  order: Order,
  { amount, payer, authorization }: OrderPayFields,
): void {
  const problems = new Problems();
  const country = currencyAndDocuments(order);
  const isFirstCharge = order.subscriptionId !== null;
  const documentTypes = isFirstCharge ? ["CPF", "CNPJ"] : country.documentTypes;
  validateOrderDocument(tx, problems, {
    field: "payer.document",
    document: payer?.document,
    country: { ...country, documentTypes },
  });
  validateValue(problems, "amount", country.currency, amount);
  if (authorization !== undefined && !isFirstCharge) {
    const description =
      "Only the first charge of a journey 3 subscription takes authorization. Leave it out.";
    problems.add("authorization", "NOT_ALLOWED", description);
  }
  const due = amountAsked(order);
  if (due === null && amount === undefined) {
    const description = "The amount of this order is open. Say which amount the payer chooses.";
    problems.add("amount", "REQUIRED", description);
  }
  problems.check("amount", amount, (value) => {
    const paid = assertDefined(parseMoney(country.currency, value), "an amount that was checked");
    if (due === null) return undefined;
    if (isFirstCharge && paid.minor !== due.minor)
      return `A first charge is paid in full, ${formatMoney(due)}; found ${value}.`;
    if (order.paymentMethod === "PIX" && paid.minor < due.minor)
      return `A PIX QR code with an amount is paid in full, ${formatMoney(due)}; found ${value}.`;
    if (!takesParts(tx, order) && paid.minor < due.minor)
      return `A boleto is paid in full, ${formatMoney(due)}; found ${value}.`;
    if (payableAs(tx, order) === "late" && paid.minor < due.minor)
      return `What comes late is paid in full, ${formatMoney(due)}; found ${value}.`;
    const isTakenInExcess = order.paymentMethod !== "PIX" && assumption(tx, "order.overpayment") !== "refuse";
    return isTakenInExcess || paid.minor <= due.minor
      ? undefined
      : `At most ${formatMoney(due)} is due; found ${value}.`;
  });
  problems.refuse();
}

/** The customer passes the 3-D Secure challenge; the issuer of the card then answers at once. */
function passChallenge(tx: Transaction, order: Order): Order {
  requireAction(orderLifecycle, order, "pass-challenge");
  const card = challengedCard(order);
  const pending = endOrder(tx, withThreeDs(tx, order, card, "AUTHENTICATED"), "pass-challenge");
  return settleBy(tx, pending, orderPayment.outcome(tx, pending));
}

/** Fails the 3-D Secure challenge, as if the customer failed or left it: the order can no longer be paid. */
function failChallenge(tx: Transaction, order: Order): Order {
  requireAction(orderLifecycle, order, "fail-challenge");
  const card = challengedCard(order);
  return endOrder(tx, withThreeDs(tx, order, card, "FAILED"), "fail-challenge", CHALLENGE_FAILED);
}

function challengedCard(order: Order): CardState {
  if (order.checkout?.kind === "card" && awaitsChallenge(order)) return order.checkout.card;
  throw illegalAct(
    `The 3-D Secure challenge of the order ${order.id} is not possible: the order has no challenge. Make a CREDIT_CARD order with skipThreeDs false, or with a test card that is challenged.`,
  );
}

function withThreeDs(tx: Transaction, order: Order, card: CardState, status: ThreeDsState["status"]): Order {
  const threeDs = { ...card.threeDs, status };
  return tx.put(orders, { ...order, checkout: { kind: "card", card: { ...card, threeDs } } });
}
