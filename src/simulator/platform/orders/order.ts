import type { Records } from "../../engine/store.ts";
import type { Checkout, OrderFees } from "./checkout.ts";
import type { BankData, Person } from "../payers/payer.ts";
import type { Instant } from "../../engine/instant.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { type Money, add, least, money } from "../../engine/money.ts";
import { type Lifecycle, canTake } from "../../engine/lifecycle.ts";
import { type StoredRecord, collection, compositeKey } from "../../engine/collection.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { step } from "../step.ts";

type OrderStatus = (typeof orderLifecycle)["states"][number];
export type OrderAction = (typeof orderLifecycle)["transitions"][number]["action"];
/** The payer of an order. The account is known only if a transfer brought the money. */
export type OrderPayer = Person & { readonly bankData: BankData | null };

/** A payment that the account is credited with later. */
interface Confirmation {
  readonly payer: OrderPayer;
  readonly amount: Money;
  readonly at: Instant;
  /** Present if the order could no longer be paid (assumption: order.late-payment). */
  readonly isLate?: true;
}

/** A pay-in order: money that someone is to pay into a company's account. */
export interface Order extends StoredRecord {
  readonly companyId: string;
  /** The account that is credited once the order is paid. */
  readonly accountId: string;
  /** The code of the order on the partner's system; events call it `code`. */
  readonly externalId: string;
  readonly paymentMethod: string;
  readonly status: OrderStatus;
  /** Null while the amount is open and unpaid. */
  readonly amount: Money | null;
  /** Null if the order has no fees. */
  readonly fees: OrderFees | null;
  /** The sum of all payments so far, fees included. */
  readonly paidAmount: Money | null;
  /** The payment beyond the amount and its fees. Absent without such a surplus (assumption: order.overpayment). */
  readonly surplus?: Money;
  /** The sum of all returned money so far. */
  readonly refundedAmount: Money | null;
  readonly description: string | null;
  /** The expected payer. Default: the person who paid (interface: Transparent order, customer). */
  readonly customer: Person | null;
  readonly payer: OrderPayer | null;
  readonly endToEndId: string | null;
  /** A payment that was made and is not confirmed yet (assumption: order.boleto-confirmation). */
  readonly confirmation: Confirmation | null;
  /** The time of the last payment. */
  readonly paidAt: Instant | null;
  /** The reason why the order failed. */
  readonly errorMessage: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly expiresAt: Instant | null;
  readonly notificationUrl: string | null;
  /** The next page of the customer's browser after paying. */
  readonly returnUrl: string | null;
  /** The subscription the order came from (assumption: order.born-of-subscription). */
  readonly subscriptionId: string | null;
  readonly scheduledPaymentId: string | null;
  /** The id in the location of its dynamic PIX QR code. Null without such a code. */
  readonly pixLocation: string | null;
  /** The means of payment of a transparent order. Null for the orders of subscriptions. */
  readonly checkout: Checkout | null;
}

/** A refund takes these rows, too: in a separate step, or by an act on the refund. */
const RETURN = "order.return";

/**
 * The states of a pay-in order (assumptions: order.statuses, order.events). PENDING: a boleto was paid and is not
 * confirmed yet, or the customer passed the challenge and the issuer of the card answers at once. ANALYSIS: the
 * payment is under review.
 */
export const orderLifecycle = {
  resource: "order",
  initial: "INITIAL",
  states: [
    "INITIAL",
    "PENDING",
    "PAID",
    "PARTIALLY_PAID",
    "ANALYSIS",
    "EXPIRED",
    "CANCELED",
    "ERROR",
    "PARTIAL_REFUNDED",
    "REFUNDED",
  ],
  ends: { PAID: "good", REFUNDED: "good", EXPIRED: "neutral", CANCELED: "neutral", ERROR: "bad" },
  transitions: [
    {
      from: ["INITIAL", "PENDING", "ANALYSIS", "PARTIALLY_PAID"],
      action: "pay",
      to: "PAID",
      emits: "ORDER-PAYIN.PAID",
    },
    {
      from: ["INITIAL", "PENDING", "ANALYSIS", "PARTIALLY_PAID"],
      action: "pay-partly",
      to: "PARTIALLY_PAID",
      emits: "ORDER-PAYIN.PARTIALLY_PAID",
      act: "order.pay",
    },
    {
      from: ["INITIAL", "ANALYSIS", "PARTIALLY_PAID"],
      action: "await-confirmation",
      to: "PENDING",
      act: "order.pay",
    },
    {
      from: ["EXPIRED", "CANCELED"],
      action: "pay-late",
      to: "PAID",
      emits: "ORDER-PAYIN.PAID",
      act: "order.pay",
      assumption: "order.late-payment",
    },
    {
      from: ["EXPIRED", "CANCELED"],
      action: "await-late-confirmation",
      to: "PENDING",
      act: "order.pay",
      assumption: "order.late-payment",
    },
    {
      from: ["PAID"],
      action: "pay-again",
      to: "PAID",
      emits: "ORDER-PAYIN.PAID",
      act: "order.pay",
      assumption: "order.overpayment",
    },
    { from: ["INITIAL"], action: "pass-challenge", to: "PENDING" },
    { from: ["INITIAL"], action: "analyse", to: "ANALYSIS" },
    { from: ["INITIAL", "PENDING"], action: "expire", to: "EXPIRED", emits: "ORDER-PAYIN.EXPIRED" },
    { from: ["INITIAL", "ANALYSIS"], action: "cancel", to: "CANCELED", emits: "ORDER-PAYIN.CANCELED" },
    { from: ["INITIAL", "ANALYSIS"], action: "fail", to: "ERROR", emits: "ORDER-PAYIN.ERROR" },
    { from: ["INITIAL", "PENDING", "ANALYSIS"], action: "decline", to: "ERROR", emits: "ORDER-PAYIN.ERROR" },
    { from: ["INITIAL"], action: "fail-challenge", to: "ERROR", emits: "ORDER-PAYIN.ERROR" },
    {
      from: ["PAID", "PARTIALLY_PAID", "PARTIAL_REFUNDED"],
      action: "refund-partly",
      to: "PARTIAL_REFUNDED",
      act: RETURN,
    },
    { from: ["PAID", "PARTIALLY_PAID", "PARTIAL_REFUNDED"], action: "refund", to: "REFUNDED", act: RETURN },
  ],
  timers: { "order.expire": ["INITIAL"], "order.payment": ["INITIAL"], "order.confirmation": ["PENDING"] },
} as const satisfies Lifecycle;

export const orders = collection<Order, "externalId" | "pixLocation">(
  "orders",
  {
    pixLocation: (order) => order.pixLocation ?? undefined,
    externalId: (order) => compositeKey(order.companyId, order.externalId),
  },
  orderLifecycle,
);

/** The next step of the payer, or of the issuer of the card. */
export const orderPayment = step({
  name: "order.payment",
  of: orders,
  outcomes: ["PAID", "DECLINED", "EXPIRED"],
  decidedBy: "payer",
  summary: "The payment of an order",
  person: (_tx, order) => order.customer,
  preset: ({ checkout }) => (checkout?.kind === "card" ? checkout.card.outcome : null),
});

type OrderEssentials = Pick<Order, "companyId" | "accountId" | "externalId" | "paymentMethod" | "amount">;

/**
 * Returns a new order, INITIAL and unpaid, with the given fields. The other fields are absent. It is not stored yet.
 */
export function draftOrder(tx: Transaction, given: OrderEssentials & Partial<Order>): Order {
  return {
    id: tx.chance("orders").uuid(),
    status: orderLifecycle.initial,
    fees: null,
    paidAmount: null,
    refundedAmount: null,
    description: null,
    customer: null,
    payer: null,
    endToEndId: null,
    confirmation: null,
    paidAt: null,
    errorMessage: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    expiresAt: null,
    notificationUrl: null,
    returnUrl: null,
    subscriptionId: null,
    scheduledPaymentId: null,
    pixLocation: null,
    checkout: null,
    ...given,
  };
}

/** Whether the order can be paid, or paid further. */
export function isPayable(order: Order): boolean {
  return canTake(orderLifecycle, order, "pay") && order.confirmation === null;
}

/**
 * The way a payment is taken: for a due amount, for an order that could no longer be paid, or for an order that is
 * PAID already.
 */
export type Payable = "due" | "late" | "again";

/**
 * Returns the way the order takes a payment now (assumptions: order.late-payment, order.overpayment). Null if it
 * takes no payment.
 */
export function payableAs(tx: Records, order: Order): Payable | null {
  if (isPayable(order)) return "due";
  if (order.subscriptionId !== null || order.checkout?.kind === "card") return null;
  if (canTake(orderLifecycle, order, "pay-late"))
    return assumption(tx, "order.late-payment") === "refuse" ? null : "late";
  if (!canTake(orderLifecycle, order, "pay-again")) return null;
  return assumption(tx, "order.overpayment") === "refuse" ? null : "again";
}

/** Whether it can be paid in parts (assumption: order.partial-payment). */
export function takesParts(tx: Records, { paymentMethod }: Order): boolean {
  if (paymentMethod === "BOLETO") return assumption(tx, "order.partial-payment") !== "never";
  return paymentMethod !== "PIX";
}

/** Returns the total for the customer, including fees and surplus. Null while the amount is open. */
export function finalAmountOf(order: Pick<Order, "amount" | "fees" | "surplus">): Money | null {
  const { surplus } = order;
  const asked = amountAskedFor(order);
  return asked && surplus ? add(asked, surplus) : asked;
}

/** Returns the amount with its fees, independent of payments. Null while the amount is open. */
export function amountAskedFor({ amount, fees }: Pick<Order, "amount" | "fees">): Money | null {
  if (amount === null || fees === null) return amount;
  return [fees.fixed, fees.variable, fees.additional].reduce(add, amount);
}

/** Returns the amount to ask of a payer now. For a PAID order it is the whole amount once more. */
export function amountAsked(order: Order): Money | null {
  return order.status === "PAID" ? amountAskedFor(order) : amountDue(order);
}

/** Returns the amount that is still due. Null while the amount is open. */
export function amountDue(order: Order): Money | null {
  const final = finalAmountOf(order);
  return final && money(final.currency, Math.max(0, final.minor - (order.paidAmount?.minor ?? 0)));
}

/**
 * Returns the amount that the company's account was credited with. A payment first covers the amount, then the fees,
 * then the surplus.
 */
export function creditedAmount({ amount, paidAmount, surplus }: Order): Money | null {
  if (amount === null || paidAmount === null) return null;
  const credited = least(amount, paidAmount);
  return surplus ? add(credited, surplus) : credited;
}

/** Whether the customer has yet to pass a 3-D Secure challenge. */
export function awaitsChallenge({ checkout }: Order): boolean {
  return checkout?.kind === "card" && checkout.card.threeDs.status === "CHALLENGE";
}
