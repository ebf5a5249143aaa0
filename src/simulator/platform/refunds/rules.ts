import type { Call } from "../call.ts";
import type { RefundRequest } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { formatInstant } from "../../engine/instant.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { refuseForeign } from "../refusals.ts";
import { canTake } from "../../engine/lifecycle.ts";
import { formatMoney, money, parseMoney } from "../../engine/money.ts";
import { assertDefined } from "../../engine/assertion.ts";

import { countryOf } from "../orders/checkout.ts";
import { type Order, creditedAmount, orderLifecycle, orders } from "../orders/order.ts";
import { refundedOf, refunds } from "./refund.ts";
import { later } from "../later.ts";
import { type Problems, validateValue } from "../problems.ts";

/** Interface: Refund an order, rule. */
const REASONS_OF_MEXICO = ["DUPLICATE", "FRAUDULENT", "REQUESTED_BY_CUSTOMER", "OTHER"];

/** Validates a refund by its order, and returns that order. Undefined if it names no order. */
export function validateRefund(
  tx: Transaction,
  { body, companyId }: Call<RefundRequest>,
  problems: Problems,
): Order | undefined {
  if (!body?.orderId || !problems.isSound("orderId")) return undefined;
  const order = ownOrder(tx, companyId, body.orderId);
  if (order === undefined) {
    problems.add("orderId", "INVALID", noOrder(tx, companyId, body.orderId));
    return undefined;
  }
  problems.check("orderId", order, (named) => unrefundable(tx, named));
  validateReason(problems, order, body.reason);
  validateValue(problems, "amount", currencyOf(order), body.amount);
  problems.check("amount", body.amount, (value) =>
    problems.isSound("orderId") ? tooMuch(tx, order, value) : undefined,
  );
  return order;
}

/** Another company's order is not found (assumption: tenancy.foreign-resource). */
function ownOrder(tx: Transaction, companyId: string, id: string): Order | undefined {
  const order = tx.get(orders, id);
  refuseForeign(tx, order, companyId);
  return order?.companyId === companyId ? order : undefined;
}

function noOrder(tx: Transaction, companyId: string, id: string): string {
  const refund = tx.get(refunds, id);
  return refund?.companyId === companyId
    ? `"${id}" is a refund, and a refund cannot be refunded. Name the order it refunds, ${refund.orderId}, to refund what is left of that.`
    : `There is no order "${id}" of yours. Send the id of a paid order.`;
}

/**
 * Returns the reason why an order cannot be refunded at all (assumptions: refund.refundable-orders, refund.window).
 */
function unrefundable(tx: Transaction, order: Order): string | undefined {
  if (order.paidAt === null || !canTake(orderLifecycle, order, "refund")) {
    return order.status === "REFUNDED"
      ? `The order ${order.id} is REFUNDED: all that was paid went back already.`
      : `The order ${order.id} is ${order.status}. Only an order that was paid, PAID, PARTIALLY_PAID or PARTIAL_REFUNDED, can be refunded.`;
  }
  const window = assumption(tx, "refund.window");
  const end = later(order.paidAt, window);
  if (tx.now <= end) return undefined;
  return `The order ${order.id} was paid at ${formatInstant(order.paidAt)} and could be refunded for ${window}, until ${formatInstant(end)}.`;
}

/** Assumption: refund.orders-of-mexico. */
function validateReason(problems: Problems, order: Order, reason: string | undefined): void {
  if (countryOf(order.paymentMethod)?.name !== "Mexico") return;
  problems.check("reason", reason, (found) =>
    REASONS_OF_MEXICO.includes(found)
      ? undefined
      : `The reason must be one of ${REASONS_OF_MEXICO.join(", ")} for an order of Mexico; found "${found.slice(0, 60)}".`,
  );
}

/**
 * Returns the reason why an amount cannot be refunded. An order can have any number of refunds: only their sum has a
 * limit (assumption: refund.window).
 */
function tooMuch(tx: Transaction, order: Order, value: string | number): string | undefined {
  const currency = currencyOf(order);
  const credited = creditedAmount(order) ?? money(currency, 0);
  const taken = refundedOf(tx, order.id, currency, ["INITIAL", "REFUNDED"]);
  const left = money(currency, credited.minor - taken.minor);
  const asked = parseMoney(currency, value);
  if (asked === undefined || asked.minor <= left.minor) return undefined;
  return `The amount must be at most ${formatMoney(left)}: of the ${formatMoney(credited)} ${currency} that arrived, ${formatMoney(taken)} are refunded or about to be; found ${formatMoney(asked)}.`;
}

function currencyOf(order: Order): string {
  const country = assertDefined(countryOf(order.paymentMethod), `the country of ${order.paymentMethod}`);
  return order.amount?.currency ?? country.currency;
}
