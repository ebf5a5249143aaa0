import type { Records } from "../../engine/store.ts";
import type { PaymentOutcome } from "./checkout.ts";
import type { Instant } from "../../engine/instant.ts";
import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { accountLifecycle, accounts } from "../accounts/account.ts";
import { type Money, add, formatMoney, money, negate, parseMoney } from "../../engine/money.ts";
import {
  type Order,
  type OrderAction,
  type OrderPayer,
  amountAsked,
  amountAskedFor,
  creditedAmount,
  draftOrder,
  orderLifecycle,
  orders,
} from "./order.ts";
import { assert, assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { availableOn, FEES, hasRoom, move, OUTSIDE } from "../ledger/ledger.ts";
import { canTake } from "../../engine/lifecycle.ts";
import { endToEndId as newEndToEndId } from "../../countries/brazil/identifiers.ts";
import { type Person, payerFrom, randomPerson } from "../payers/payer.ts";
import { addDays, instantAt, localDate, localTime } from "../../countries/brazil/calendar.ts";
import { isBankBusinessDay, nextBankBusinessDay } from "../../countries/brazil/bank-days.ts";
import { neverSettles } from "../faults/never-settles.ts";
import { markRefunded, orderStates } from "./states.ts";
import { takeBack } from "../refunds/commands.ts";

/** The methods that bring the money by a transfer from the payer's account at a Brazilian institution. */
const TRANSFERS = new Set(["PIX", "DEPOSIT"]);

const DECLINED = "The payment was declined.";

/** The time of day at which banks confirm the boletos of the day before. */
const BOLETO_CONFIRMED_AT = "07:00";
/** With `same-day`, banks confirm a boleto on the same day if it was paid before this time. */
const SAME_DAY = { paidBefore: "13:30", confirmedAt: "18:00" };

/** Stores a new order, and arms the timers of its expiry and its payment, if it has them. */
export function openOrder(tx: Transaction, given: Parameters<typeof draftOrder>[1]): Order {
  return orderStates.create(tx, draftOrder(tx, given));
}

/**
 * Returns the reason why an account cannot receive payments, as a sentence. Null if it can (assumption:
 * account.acts).
 */
export function receiverObstacle(tx: Records, accountId: string): string | null {
  const account = recordOf(tx, accounts, accountId);
  return canTake(accountLifecycle, account, "deposit")
    ? null
    : `the account ${account.id} is ${account.status}`;
}

/**
 * Returns the reason why an order cannot be paid with an amount, as a sentence. Null if it can: its account receives
 * payments, and the ledger can count the money.
 */
export function paymentObstacle(
  tx: Records,
  { accountId }: Pick<Order, "accountId">,
  amount: Money,
): string | null {
  const obstacle = receiverObstacle(tx, accountId);
  if (obstacle !== null || hasRoom(tx, OUTSIDE, negate(amount))) return obstacle;
  return `the ledger has no room for ${formatMoney(amount)} ${amount.currency} more`;
}

/**
 * Takes a payment, whole or in part. The money arrives on the company's account. A late payment or a surplus goes
 * back if the assumptions say so.
 *
 * An open amount becomes the paid amount. A payment that already has an end-to-end id, such as a payout, keeps it. An
 * order or an account that takes no payment is a bug of the caller.
 */
export function payOrder(
  tx: Transaction,
  order: Order,
  { payer, amount, endToEndId = null }: { payer: OrderPayer; amount: Money; endToEndId?: string | null },
): Order {
  const paidAmount = order.paidAmount === null ? amount : add(order.paidAmount, amount);
  const asked = amountAskedFor(order) ?? paidAmount;
  const surplus = money(asked.currency, Math.max(0, paidAmount.minor - asked.minor));
  assert(
    receiverObstacle(tx, order.accountId) === null,
    `the order ${order.id} was paid to a closed account`,
  );
  const part = paidAmount.minor < asked.minor ? "pay-partly" : "pay";
  const action = isOver(order) ? "pay-late" : order.status === "PAID" ? "pay-again" : part;
  const paid = orderStates.take(tx, order, action, {
    payer,
    customer: order.customer ?? { name: payer.name, document: payer.document },
    amount: order.amount ?? amount,
    paidAmount,
    ...(surplus.minor > 0 && { surplus }),
    confirmation: null,
    paidAt: tx.now,
    endToEndId: endToEndId ?? endToEndIdOf(tx, order, payer),
  });
  bookPayment(tx, order, paid);
  // A part was refunded while this payment waited for its confirmation.
  if (order.status === "PENDING" && order.refundedAmount !== null)
    markRefunded(tx, paid, order.refundedAmount);
  giveBack(tx, order, paid);
  return recordOf(tx, orders, order.id);
}

/** Whether it can be paid only late (assumption: order.late-payment). */
function isOver(order: Order): boolean {
  return canTake(orderLifecycle, order, "pay-late");
}

/** Returns a late payment, or a surplus, at once (assumptions: order.late-payment, order.overpayment). */
function giveBack(tx: Transaction, before: Order, paid: Order): void {
  const isLate = isOver(before) || before.confirmation?.isLate === true;
  if (isLate && assumption(tx, "order.late-payment") === "return") {
    const amount = assertDefined(creditedAmount(paid), "what was credited");
    return takeBack(tx, paid, { amount, reason: "The order could no longer be paid." });
  }
  const { surplus } = paid;
  if (surplus === undefined || assumption(tx, "order.overpayment") !== "return-difference") return;
  const amount = money(surplus.currency, surplus.minor - (before.surplus?.minor ?? 0));
  if (amount.minor > 0)
    takeBack(tx, paid, { amount, reason: "More was paid than is due.", origin: "overpayment" });
}

/** Ends an order without a payment, or holds it up. */
export function endOrder(
  tx: Transaction,
  order: Order,
  action: Exclude<OrderAction, `${"pay" | "await" | "refund"}${string}`>,
  errorMessage: string | null = null,
): Order {
  return orderStates.take(tx, order, action, { errorMessage });
}

/** Settles an order, by default with the due amount and from its customer. A boleto may be confirmed later. */
export function settleOrder(
  tx: Transaction,
  order: Order,
  { payer, amount }: { payer?: Person | undefined; amount?: Money | undefined } = {},
): Order {
  const person = payer ?? order.customer ?? randomPerson(tx);
  const paid = amount ?? amountToPay(tx, order);
  const orderPayer: OrderPayer = TRANSFERS.has(order.paymentMethod)
    ? payerFrom(tx, person)
    : { ...person, bankData: null };
  const stuck = stuckOrder(tx, order, { payer: orderPayer, amount: paid });
  if (stuck !== undefined) return stuck;
  const isConfirmedLater =
    order.paymentMethod === "BOLETO" && assumption(tx, "order.boleto-confirmation") !== "immediate";
  if (!isConfirmedLater || order.status === "PAID")
    return payOrder(tx, order, { payer: orderPayer, amount: paid });
  const confirmation = { payer: orderPayer, amount: paid, at: slipConfirmedAt(tx) };
  return isOver(order)
    ? orderStates.take(tx, order, "await-late-confirmation", {
        confirmation: { ...confirmation, isLate: true },
      })
    : orderStates.take(tx, order, "await-confirmation", { confirmation });
}

/** An order whose payment never settles; undefined without a fault for it (fault: never-settles). */
export function stuckOrder(
  tx: Transaction,
  order: Order,
  payment: { readonly payer: OrderPayer; readonly amount: Money },
): Order | undefined {
  if (!neverSettles(tx, { objectIds: [order.id], collection: orders.name })) return undefined;
  if (!canTake(orderLifecycle, order, "await-confirmation")) return order;
  return orderStates.take(tx, order, "await-confirmation", {
    confirmation: { ...payment, at: slipConfirmedAt(tx) },
  });
}

/** Returns the time at which the bank confirms a boleto that is paid now (assumption: order.boleto-confirmation). */
function slipConfirmedAt(tx: Transaction): Instant {
  const today = localDate(tx.now);
  const isInTime = isBankBusinessDay(today) && localTime(tx.now) < SAME_DAY.paidBefore;
  return isInTime && assumption(tx, "order.boleto-confirmation") === "same-day"
    ? instantAt(today, SAME_DAY.confirmedAt)
    : instantAt(nextBankBusinessDay(addDays(today, 1)), BOLETO_CONFIRMED_AT);
}

/** Confirms the payment of a boleto by the bank. It fails if the account was closed since then. */
export function confirmPayment(tx: Transaction, order: Order): void {
  if (neverSettles(tx, { objectIds: [order.id], collection: orders.name })) return;
  const { payer, amount } = assertDefined(order.confirmation, `the payment of the order ${order.id}`);
  const obstacle = paymentObstacle(tx, order, amount);
  if (obstacle === null) payOrder(tx, order, { payer, amount });
  else orderStates.take(tx, order, "decline", { confirmation: null, errorMessage: failedFor(obstacle) });
}

function failedFor(obstacle: string): string {
  return `The payment failed: ${obstacle}.`;
}

/** The payer, or the issuer of the card, refuses to pay. */
export function declineOrder(tx: Transaction, order: Order): Order {
  if (order.checkout?.kind !== "card") return endOrder(tx, order, "decline", DECLINED);
  const { declineReason, declineReasonUnchallenged, threeDs } = order.checkout.card;
  const reason = threeDs.status === "AUTHENTICATED" ? declineReason : declineReasonUnchallenged;
  return endOrder(tx, order, "decline", reason ?? DECLINED);
}

/** The time to pay is over. An order that is under review, or was paid in part, does not expire. */
export function expireOrder(tx: Transaction, order: Order): Order {
  return canTake(orderLifecycle, order, "expire") ? endOrder(tx, order, "expire") : order;
}

/** Takes the outcome if the order's state allows it. A payment that the account cannot take is declined. */
export function settleBy(tx: Transaction, order: Order, outcome: PaymentOutcome): Order {
  if (outcome === "EXPIRED") return expireOrder(tx, order);
  const obstacle = outcome === "PAID" ? paymentObstacle(tx, order, amountToPay(tx, order)) : undefined;
  if (obstacle === null) return settleOrder(tx, order);
  if (!canTake(orderLifecycle, order, "decline")) return order;
  return obstacle === undefined
    ? declineOrder(tx, order)
    : endOrder(tx, order, "decline", failedFor(obstacle));
}

/** Credits the account up to the order's amount. The rest of the payment is the platform's fees. */
function bookPayment(tx: Transaction, before: Order, after: Order): void {
  const memo = `order ${after.externalId} ${after.status === "PAID" ? "paid" : "paid in part"}`;
  const credited = assertDefined(creditedAmount(after), "what was credited");
  const creditedNow = credited.minor - (creditedAmount(before)?.minor ?? 0);
  const paidNow = assertDefined(after.paidAmount, "what was paid").minor - (before.paidAmount?.minor ?? 0);
  for (const [to, minor] of [
    [availableOn(after.accountId), creditedNow],
    [FEES, paidNow - creditedNow],
  ] as const) {
    const amount = money(credited.currency, minor);
    if (minor > 0) move(tx, { from: OUTSIDE, to, amount, memo, objectId: after.id });
  }
}

function endToEndIdOf(tx: Transaction, order: Order, { bankData }: OrderPayer): string | null {
  if (order.paymentMethod !== "PIX") return null;
  const { ispb } = assertDefined(bankData, "the account of a payer by PIX");
  return newEndToEndId({ ispb, instant: tx.now, chance: tx.chance("end-to-end-ids") });
}

/** Returns the amount that a payer pays by default. An open amount is chosen by an assumption. */
export function amountToPay(tx: Records, order: Order): Money {
  const open = (): Money | undefined => parseMoney("BRL", assumption(tx, "order.open-amount"));
  return assertDefined(amountAsked(order) ?? open(), "the amount of an order");
}
