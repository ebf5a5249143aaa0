import type { Order } from "./order.ts";
import type { TaxPerson } from "../payers/payer.ts";
import type { Transaction } from "../../core/transaction.ts";
import { acceptSubscription } from "../subscriptions/authorization.ts";
import { act } from "../act.ts";
import { actObject } from "../act-object.ts";
import { endOrder } from "./payment.ts";
import { formatMoney, parseMoney } from "../../core/money.ts";
import { judgeBrazilianDocument } from "../field-rules.ts";
import { known } from "../../core/assertion.ts";
import { orderLifecycle } from "./lifecycle.ts";
import { orders } from "./order.ts";
import { Problems } from "../problems.ts";
import { requireAction } from "../transition.ts";
import { subscriptions } from "../subscriptions/subscription.ts";

interface PayFields {
  readonly amount?: string | number;
  readonly payer?: TaxPerson;
}

/** What a payer does to an order. */
export const orderActs = [
  act<PayFields>({
    name: "order.pay",
    collection: "orders",
    schema: "OrderPayFields",
    summary: "The payer pays; the first charge of a journey 3 subscription accepts the subscription too.",
    run: (tx, { id, fields }) => {
      const order = actObject(tx, orders, id);
      requireAction(orderLifecycle, order, "pay");
      judgePayment(tx, order, fields);
      const subscriptionId = known(order.subscriptionId, "the subscription of an order");
      const subscription = known(tx.get(subscriptions, subscriptionId), `the subscription ${subscriptionId}`);
      acceptSubscription(tx, subscription, { payer: fields.payer });
    },
  }),
  act({
    name: "order.expire",
    collection: "orders",
    schema: null,
    summary: "The time to pay is over.",
    run: (tx, { id }) => void endOrder(tx, actObject(tx, orders, id), "expire"),
  }),
  act({
    name: "order.cancel",
    collection: "orders",
    schema: null,
    summary: "The order is canceled before it is paid.",
    run: (tx, { id }) => void endOrder(tx, actObject(tx, orders, id), "cancel"),
  }),
  act({
    name: "order.fail",
    collection: "orders",
    schema: null,
    summary: "The payment fails for a technical reason.",
    run: (tx, { id }) => void endOrder(tx, actObject(tx, orders, id), "fail"),
  }),
];

function judgePayment(tx: Transaction, order: Order, { amount, payer }: PayFields): void {
  const problems = new Problems();
  judgeBrazilianDocument(tx, problems, "payer.document", payer?.document);
  problems.judge("amount", amount, (value) => {
    const expected = known(order.amount, "the amount of a first charge");
    if (parseMoney(expected.currency, value)?.minor === expected.minor) return undefined;
    return `A first charge is paid in full, ${formatMoney(expected)}; found ${value}.`;
  });
  problems.refuse();
}
