import type { Call } from "../call.ts";
import type {
  CreateTransparentOrderV3Request,
  OrderPayFields,
  TransparentOrder,
} from "../../api/generated/shapes.ts";
import { personOf, type TaxPerson } from "../payers/payer.ts";
import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { acceptSubscription, rejectUnpaid } from "../subscriptions/commands.ts";
import { type Account, accounts } from "../accounts/account.ts";
import { formatInstant } from "../../engine/instant.ts";
import {
  type Order,
  amountAsked,
  awaitsChallenge,
  finalAmountOf,
  isPayable,
  payableAs,
  takesParts,
  orderLifecycle,
  orderPayment,
  orders,
} from "./order.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { actsFrom } from "../../engine/lifecycle.ts";
import { type CardState, type ThreeDsState, boletoDueDate, countryOf, feesOf, offer } from "./checkout.ts";
import {
  confirmPayment,
  declineOrder,
  endOrder,
  expireOrder,
  openOrder,
  receiverObstacle,
  settleBy,
  settleOrder,
} from "./commands.ts";
import { type ActDefinition, defineResource, handle, timerOf } from "../resource.ts";
import { disputeLifecycle } from "../refunds/dispute.ts";
import { formatMoney, parseMoney } from "../../engine/money.ts";
import { illegalAct, notFound } from "../refusals.ts";
import { orderView, transparentOrderView } from "./view.ts";
import { Problems, validateValue } from "../problems.ts";
import { illegalAction, requireAction } from "../state-machine.ts";
import { returnActs } from "../refunds/returns.ts";
import { addDays, instantAt, localDate } from "../../countries/brazil/calendar.ts";
import { later } from "../later.ts";
import { nextBankBusinessDay } from "../../countries/brazil/bank-days.ts";
import { schedulePayment } from "./states.ts";
import { subscriptions } from "../subscriptions/subscription.ts";
import { transactionId } from "../../countries/brazil/identifiers.ts";
import { validateOrder, validateOrderDocument } from "./rules.ts";
import { orderApi } from "./operations.ts";

/** The default time in which a dynamic PIX QR code can be paid (interface: Create transparent order rule 3). */
const PIX_EXPIRY_SECONDS = 86_400;

const CHALLENGE_FAILED = "The 3-D Secure challenge was not passed.";

export const orderResource = defineResource({
  name: "orders",
  api: orderApi,
  origin: {
    says: "Your client makes one, and its payer pays on the page of the order.",
    operation: "createTransparentOrder",
  },
  scenario: "orders/pix-paid.yaml",
  collection: orders,
  view: orderView,
  lifecycles: [orderLifecycle, disputeLifecycle],
  operations: { createTransparentOrder, createTransparentOrderV3: createTransparentOrder },
  acts: {
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
    "pass-challenge": unpaid(
      "The customer passes the 3-D Secure challenge.",
      "pass-challenge",
      passChallenge,
    ),
    "fail-challenge": unpaid("The customer fails the 3-D Secure challenge.", "fail-challenge", failChallenge),
    ...returnActs,
  },
  steps: [
    handle(orderPayment, {
      decide: (tx, order, decided) => {
        if (!isPayable(order)) return;
        const outcome = orderPayment.outcome(tx, order, decided);
        const isFirstCharge = order.subscriptionId !== null;
        if (isFirstCharge && outcome === "PAID" && receiverObstacle(tx, order.accountId) === null)
          acceptBy(tx, order.subscriptionId, {});
        else rejectUnpaid(tx, settleBy(tx, order, outcome));
      },
      // A plan replaces an earlier decision, even for an order that is under review or paid in part.
      plannedIn: ["ANALYSIS", "PARTIALLY_PAID"],
      wake: (tx, id) => {
        const order = tx.get(orders, id);
        if (order === undefined) return;
        tx.disarm(orderPayment.name, id);
        schedulePayment(tx, order);
      },
    }),
  ],
  timers: [
    timerOf(orders, "order.expire", (tx, order) => rejectUnpaid(tx, expireOrder(tx, order))),
    timerOf(orders, "order.confirmation", confirmPayment),
  ],
});

/** Creates a transparent order of either version (interface: Endpoints 7; assumption: order.v3). */
function createTransparentOrder(
  tx: Transaction,
  call: Call<CreateTransparentOrderV3Request>,
): TransparentOrder {
  const problems = new Problems(call.problems);
  const account = receivingAccount(tx, call.companyId);
  validateOrder(tx, call, { account, problems });
  problems.refuse();
  if (account === undefined) throw notFound();
  return transparentOrderView(open(tx, call, account), call);
}

/**
 * Returns the receiving account of an order: the company's oldest ACTIVE account, because orders name no account
 * (assumption: order.account).
 */
function receivingAccount(tx: Transaction, companyId: string): Account | undefined {
  return tx.find(accounts, "company", companyId).find(({ status }) => status === "ACTIVE");
}

function open(
  tx: Transaction,
  { body, companyId }: Call<CreateTransparentOrderV3Request>,
  account: Account,
): Order {
  const { order, customer } = body;
  const { currency } = assertDefined(countryOf(order.paymentMethod), "the country of a payment method");
  const amount = order.amount
    ? assertDefined(parseMoney(currency, order.amount.value), "a checked amount")
    : null;
  const fees = feesOf(tx, currency, amount);
  const expiresAt = expiryOf(tx, order);
  const pixLocation = order.paymentMethod === "PIX" ? transactionId(tx.chance("order-locations")) : null;
  const finalAmount = finalAmountOf({ amount, fees });
  return openOrder(tx, {
    companyId,
    accountId: account.id,
    externalId: order.externalId,
    paymentMethod: order.paymentMethod,
    amount,
    fees,
    description: order.description ?? null,
    customer: customer ? personOf(customer) : null,
    expiresAt,
    notificationUrl: order.notificationUrl ?? null,
    returnUrl: order.returnUrl ?? null,
    pixLocation,
    checkout: offer(tx, { body, account, finalAmount, pixLocation }),
  });
}

/** Assumption: order.expiry. */
function expiryOf(tx: Transaction, order: CreateTransparentOrderV3Request["order"]): number {
  if (order.paymentMethod === "PIX") return tx.now + (order.expiresIn ?? PIX_EXPIRY_SECONDS) * 1000;
  if (order.paymentMethod === "BOLETO") {
    const due = instantAt(boletoDueDate(tx), "00:00");
    const lastDay = localDate(later(due, assumption(tx, "order.boleto-grace")));
    return instantAt(addDays(nextBankBusinessDay(lastDay), 1), "00:00");
  }
  return later(tx.now, assumption(tx, "order.default-expiry"));
}

function pay(tx: Transaction, order: Order, { amount, payer }: OrderPayFields): void {
  const { currency } = currencyAndDocuments(order);
  settleOrder(tx, order, {
    payer: payer && personOf(payer),
    amount: amount === undefined ? undefined : parseMoney(currency, amount),
  });
}

/** Paying a first charge authorizes its subscription, unless a plan or the act says otherwise. */
function acceptBy(
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

/** Refuses every action on a paid bank slip except its confirmation. */
function requireUnpaid({ id, confirmation }: Order, action: string): void {
  if (confirmation === null) return;
  throw illegalAct(
    `Failed to take order.${action}: the order ${id} was paid, and the bank confirms it at ${formatInstant(confirmation.at)}. Nothing is possible from there.`,
  );
}

/** A closed account takes no payments, as it takes no deposits. */
function requireReceiver(tx: Transaction, order: Order): void {
  const obstacle = receiverObstacle(tx, order.accountId);
  if (obstacle === null) return;
  const possible = actsFrom(orderLifecycle, order.status).filter((act) => act !== "order.pay");
  throw illegalAct(
    `Failed to take order.pay: ${obstacle} and cannot receive the payment of the order ${order.id}. ${possible.length > 0 ? `Possible from there: ${possible.join(", ")}.` : "Nothing is possible from there."}`,
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
      return `A bank slip is paid in full, ${formatMoney(due)}; found ${value}.`;
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
    `Failed to take the 3-D Secure challenge of the order ${order.id}: it has none. Make a CREDIT_CARD order with skipThreeDs false, or with a test card that is challenged.`,
  );
}

function withThreeDs(tx: Transaction, order: Order, card: CardState, status: ThreeDsState["status"]): Order {
  const threeDs = { ...card.threeDs, status };
  return tx.put(orders, { ...order, checkout: { kind: "card", card: { ...card, threeDs } } });
}
