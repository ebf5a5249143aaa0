import type { Order } from "./order.ts";
import type { Person, TaxPerson } from "../payers/payer.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { acceptSubscription } from "../subscriptions/authorization.ts";
import { act } from "../act.ts";
import { actObject } from "../act-object.ts";
import { amountDue, orders } from "./order.ts";
import { countryOf } from "./methods.ts";
import { declineOrder, settleOrder } from "./settlement.ts";
import { endOrder } from "./payment.ts";
import { failChallenge, passChallenge } from "./challenge.ts";
import { formatMoney, parseMoney } from "../../engine/money.ts";
import { validateOrderDocument } from "./person.ts";
import { validateValue } from "../field-rules.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { orderLifecycle } from "./lifecycle.ts";
import { Problems } from "../problems.ts";
import { requireAction } from "../transition.ts";
import { subscriptions } from "../subscriptions/subscription.ts";

interface PayFields {
  readonly amount?: string | number;
  readonly payer?: Person;
}

/** What a payer, the payer's institution or the platform's back office does to an order. */
export const orderActs = [
  act<PayFields>({
    name: "order.pay",
    collection: "orders",
    schema: "OrderPayFields",
    summary:
      "The payer pays what is due, or a part of it; the first charge of a journey 3 subscription accepts the subscription too.",
    run: (tx, { id, fields }) => {
      const order = actObject(tx, orders, id);
      requireAction(orderLifecycle, order, "pay");
      validatePayment(tx, order, fields);
      if (order.subscriptionId === null) pay(tx, order, fields);
      else acceptBy(tx, order.subscriptionId, fields.payer);
    },
  }),
  orderAct("expire", "The time to pay is over.", (tx, order) => endOrder(tx, order, "expire")),
  orderAct("cancel", "The order is canceled before it is paid.", (tx, order) =>
    endOrder(tx, order, "cancel"),
  ),
  orderAct("fail", "The payment fails for a technical reason.", (tx, order) =>
    endOrder(tx, order, "fail", "The payment failed at the financial provider."),
  ),
  orderAct("decline", "The payer, or the issuer of the card, declines.", declineOrder),
  orderAct("analyse", "The payment is held up and looked into.", (tx, order) =>
    endOrder(tx, order, "analyse"),
  ),
  orderAct("pass-challenge", "The customer passes the 3-D Secure challenge.", passChallenge),
  orderAct("fail-challenge", "The customer fails the 3-D Secure challenge.", failChallenge),
];

function orderAct(action: string, summary: string, run: (tx: Transaction, order: Order) => Order) {
  return act({
    name: `order.${action}`,
    collection: "orders",
    schema: null,
    summary,
    run: (tx, { id }) => void run(tx, actObject(tx, orders, id)),
  });
}

function pay(tx: Transaction, order: Order, { amount, payer }: PayFields): void {
  const { currency } = currencyAndDocuments(order);
  settleOrder(tx, order, {
    payer: payer && inCapitals(payer),
    amount: amount === undefined ? undefined : parseMoney(currency, amount),
  });
}

/** Documents are written in capitals, as at the creation of an order. */
function inCapitals({ name, document: { type, number } }: Person): Person {
  return { name, document: { type, number: number.toUpperCase() } };
}

function acceptBy(tx: Transaction, subscriptionId: string, payer: Person | undefined): void {
  const subscription = assertDefined(
    tx.get(subscriptions, subscriptionId),
    `the subscription ${subscriptionId}`,
  );
  acceptSubscription(tx, subscription, { payer: payer as TaxPerson | undefined });
}

function currencyAndDocuments(order: Order) {
  return assertDefined(countryOf(order.paymentMethod), `the country of ${order.paymentMethod}`);
}

function validatePayment(tx: Transaction, order: Order, { amount, payer }: PayFields): void {
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
  const due = amountDue(order);
  if (due === null && amount === undefined) {
    problems.add(
      "amount",
      "REQUIRED",
      "The amount of this order is open. Say which amount the payer chooses.",
    );
  }
  problems.check("amount", amount, (value) => {
    const paid = assertDefined(parseMoney(country.currency, value), "an amount that was checked");
    if (due === null) return undefined;
    if (isFirstCharge && paid.minor !== due.minor)
      return `A first charge is paid in full, ${formatMoney(due)}; found ${value}.`;
    return paid.minor <= due.minor ? undefined : `At most ${formatMoney(due)} is due; found ${value}.`;
  });
  problems.refuse();
}
