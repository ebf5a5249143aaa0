// @ts-check
import { amountText } from "./words.js";

/** @typedef {Record<string, any>} Thing an object of the interface */

/**
 * What a list says about an object.
 *
 * @typedef {{ id: string, status: string, title: string, note: string, amount: string, at: string }} Summary
 */

/**
 * The collections by their names in `/sandbox/resources`, as headings say them, what to call one of them, and the
 * plan that says what it will meet.
 * The events of webhooks are missing: the deliveries show them, with their attempts.
 *
 * @type {Record<string, { title: string, one: string, plan?: string }>}
 */
export const collections = {
  subscriptions: { title: "Subscriptions", one: "subscription", plan: "subscription.authorization" },
  "scheduled-payments": {
    title: "Scheduled payments",
    one: "scheduled payment",
    plan: "scheduled-payment.settlement",
  },
  cancellations: { title: "Cancellations", one: "cancellation", plan: "cancellation.answer" },
  orders: { title: "Orders", one: "order", plan: "order.payment" },
  refunds: { title: "Refunds", one: "refund", plan: "refund.outcome" },
  payouts: { title: "Payouts", one: "payout", plan: "payout.settlement" },
  claims: { title: "PIX key claims", one: "claim", plan: "claim.answer" },
  accounts: { title: "Accounts", one: "account" },
};

/**
 * The collection that the field of an object points into, where its name says so.
 *
 * @type {Record<string, string>}
 */
export const pointers = {
  accountId: "accounts",
  subscriptionId: "subscriptions",
  orderId: "orders",
  refundId: "refunds",
  claimId: "claims",
  originalScheduledPaymentId: "scheduled-payments",
  settlementErrorRetryRootId: "scheduled-payments",
  scheduledPaymentId: "scheduled-payments",
};

/** @type {readonly (readonly [RegExp, string])[]} */
const told = [
  [/SUBSCRIPTION\.SCHEDULED_PAYMENT\./, "scheduled-payments"],
  [/SUBSCRIPTION\./, "subscriptions"],
  [/ORDER-PAYIN\./, "orders"],
  [/ORDER-PAYOUT\./, "payouts"],
  [/^refund /, "refunds"],
  [/^payout /, "payouts"],
  [/^claim /, "claims"],
];

/**
 * The collection of the object that a line of the timeline tells of, as far as its words say so.
 *
 * @param {string} what
 */
export function collectionTold(what) {
  const [, resource = ""] = /^([a-z-]+)\.[a-z-]+:/.exec(what) ?? [];
  if (`${resource}s` in collections) return `${resource}s`;
  return told.find(([words]) => words.test(what))?.[1];
}

/**
 * Sums an object up in the words of its collection.
 *
 * @param {Thing} thing
 * @returns {Summary}
 */
export function summaryOf(thing) {
  const id = String(thing["id"] ?? thing["claimId"] ?? "");
  return {
    id,
    status: String(thing["status"] ?? ""),
    title: String(thing["externalId"] ?? thing["fullName"] ?? thing["key"]?.value ?? thing["reason"] ?? id),
    note: [thing["paymentMethod"], thing["frequencyType"], thing["purpose"], thing["holderType"], due(thing)]
      .filter((part) => typeof part === "string")
      .map(spoken)
      .join(" · "),
    amount: amountText(
      thing["amount"] ?? thing["fixedAmount"] ?? thing["initialCharge"]?.amount,
      thing["currency"],
    ),
    at: String(thing["updatedAt"] ?? thing["createdAt"] ?? ""),
  };
}

/** @param {Thing} thing */
function due({ dueDate }) {
  return typeof dueDate === "string" ? `due ${dueDate}` : undefined;
}

/** @param {string} value */
function spoken(value) {
  return /^[A-Z]+(_[A-Z]+)+$/.test(value) ? value.toLowerCase().replaceAll("_", " ") : value;
}
