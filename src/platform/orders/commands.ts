import type { Transaction } from "../../engine/transaction.ts";
import { accountLifecycle, accounts } from "../accounts/account.ts";
import { type Money, add, money, parseMoney } from "../../engine/money.ts";
import { addDuration } from "../../engine/instant.ts";
import {
  type Order,
  type OrderAction,
  type OrderPayer,
  amountDue,
  awaitsChallenge,
  creditedAmount,
  draftOrder,
  finalAmountOf,
  isPayable,
  orderLifecycle,
  orderPayment,
  orders,
} from "./order.ts";
import type { PaymentOutcome } from "./checkout.ts";
import { announceOrder } from "./view.ts";
import { assert, assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { availableOn, FEES, move, OUTSIDE } from "../ledger/ledger.ts";
import { canTake } from "../../engine/lifecycle.ts";
import { endToEndId as newEndToEndId } from "../../countries/brazil/identifiers.ts";
import { type Person, payerFrom, randomPerson } from "../payers/payer.ts";
import { addDays, instantAt, localDate, saoPaulo } from "../../countries/brazil/calendar.ts";
import { nextBankBusinessDay } from "../../countries/brazil/bank-days.ts";
import { stateMachine } from "../state-machine.ts";

/** The methods that bring the money by a transfer from the payer's account at a Brazilian institution. */
const TRANSFERS = new Set(["PIX", "DEPOSIT"]);

const DECLINED = "The payment was declined.";

/** When banks confirm the bank slips that were paid the day before. */
const BOLETO_CONFIRMED_AT = "07:00";

const states = stateMachine(orders, orderLifecycle, {
  emit: announceOrder,
  arm: {
    "order.expire": (tx, { id, expiresAt }) => {
      if (expiresAt !== null) tx.arm({ kind: "order.expire", owner: id, due: expiresAt });
    },
    "order.payment": schedulePayment,
    "order.confirmation": (tx, { id, confirmation }) => {
      if (confirmation !== null) tx.arm({ kind: "order.confirmation", owner: id, due: confirmation.at });
    },
  },
});

/** Stores a new order; its expiry and its payment are armed, where it has them. */
export function openOrder(tx: Transaction, given: Parameters<typeof draftOrder>[1]): Order {
  return states.create(tx, draftOrder(tx, given));
}

/** Why nothing can be paid into an account, as a sentence; null where it can (assumption: account.acts). */
export function receiverObstacle(tx: Pick<Transaction, "get">, accountId: string): string | null {
  const account = assertDefined(tx.get(accounts, accountId), `the account ${accountId}`);
  return canTake(accountLifecycle, account, "deposit")
    ? null
    : `the account ${account.id} is ${account.status}`;
}

/**
 * Takes a payment, whole or in part: the money arrives on the company's account. More than is due is a bug of the
 * caller, and so is an account that takes no money; an open amount becomes what was paid. A payment that has an
 * end-to-end id already, such as a payout, brings it along.
 */
export function payOrder(
  tx: Transaction,
  order: Order,
  { payer, amount, endToEndId = null }: { payer: OrderPayer; amount: Money; endToEndId?: string | null },
): Order {
  const paidAmount = order.paidAmount === null ? amount : add(order.paidAmount, amount);
  const final = finalAmountOf(order) ?? paidAmount;
  assert(paidAmount.minor <= final.minor, `the order ${order.id} was paid more than its amount`);
  assert(
    receiverObstacle(tx, order.accountId) === null,
    `the order ${order.id} was paid to a closed account`,
  );
  const paid = states.take(tx, order, paidAmount.minor < final.minor ? "pay-partly" : "pay", {
    payer,
    customer: order.customer ?? { name: payer.name, document: payer.document },
    amount: order.amount ?? amount,
    paidAmount,
    confirmation: null,
    paidAt: tx.now,
    endToEndId: endToEndId ?? endToEndIdOf(tx, order, payer),
  });
  bookPayment(tx, order, paid);
  return paid;
}

/** Ends an order without a payment, or holds it up. */
export function endOrder(
  tx: Transaction,
  order: Order,
  action: Exclude<OrderAction, "pay" | "pay-partly" | "await-confirmation" | "refund" | "refund-partly">,
  errorMessage: string | null = null,
): Order {
  return states.take(tx, order, action, { errorMessage });
}

/**
 * Marks what went back to the payer: PARTIAL_REFUNDED, or REFUNDED once `refundedTotal`, the sum of all refunds of
 * the order, is all that the account was credited with. The caller moves the money.
 */
export function markRefunded(tx: Transaction, order: Order, refundedTotal: Money): Order {
  const credited = assertDefined(creditedAmount(order), `what was paid for the order ${order.id}`);
  const action = refundedTotal.minor < credited.minor ? "refund-partly" : "refund";
  return states.take(tx, order, action, { refundedAmount: refundedTotal });
}

/**
 * Settles an order: what is due by default, from the customer unless another payer is named. A bank slip is confirmed
 * later (assumption: order.boleto-confirmation).
 */
export function settleOrder(
  tx: Transaction,
  order: Order,
  { payer, amount }: { payer?: Person | undefined; amount?: Money | undefined } = {},
): Order {
  const person = payer ?? order.customer ?? randomPerson(tx);
  const paid = amount ?? amountDue(order) ?? openAmount(tx);
  const orderPayer: OrderPayer = TRANSFERS.has(order.paymentMethod)
    ? payerFrom(tx, person)
    : { ...person, bankData: null };
  if (order.paymentMethod !== "BOLETO" || assumption(tx, "order.boleto-confirmation") === "immediate")
    return payOrder(tx, order, { payer: orderPayer, amount: paid });
  const day = nextBankBusinessDay(addDays(localDate(tx.now), 1));
  const confirmation = { payer: orderPayer, amount: paid, at: instantAt(day, BOLETO_CONFIRMED_AT) };
  return states.take(tx, order, "await-confirmation", { confirmation });
}

/** The bank confirms the payment of a bank slip; one to an account that was closed meanwhile fails. */
export function confirmPayment(tx: Transaction, order: Order): void {
  const { payer, amount } = assertDefined(order.confirmation, `the payment of the order ${order.id}`);
  const obstacle = receiverObstacle(tx, order.accountId);
  if (obstacle === null) payOrder(tx, order, { payer, amount });
  else states.take(tx, order, "decline", { confirmation: null, errorMessage: failedFor(obstacle) });
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
export function expireOrder(tx: Transaction, order: Order): void {
  if (canTake(orderLifecycle, order, "expire")) endOrder(tx, order, "expire");
}

/**
 * Takes the outcome, where the order's state allows it: one that was paid in part is neither declined nor expires. A
 * payment to an account that takes no money is declined.
 */
export function settleBy(tx: Transaction, order: Order, outcome: PaymentOutcome): Order {
  if (outcome === "PAID") {
    const obstacle = receiverObstacle(tx, order.accountId);
    if (obstacle === null) return settleOrder(tx, order);
    return canTake(orderLifecycle, order, "decline")
      ? endOrder(tx, order, "decline", failedFor(obstacle))
      : order;
  }
  if (outcome === "DECLINED")
    return canTake(orderLifecycle, order, "decline") ? declineOrder(tx, order) : order;
  return canTake(orderLifecycle, order, "expire") ? endOrder(tx, order, "expire") : order;
}

/**
 * The payer or the issuer of the card decides where a plan, a fixture or the autopilot says so. A first charge
 * follows a plan only: otherwise it is paid when its subscription is accepted. The order of a settled charge is paid
 * already, and a card with a challenge waits for its customer.
 */
export function schedulePayment(tx: Transaction, order: Order): void {
  if (order.scheduledPaymentId !== null || awaitsChallenge(order)) return;
  if (!isPayable(order)) return;
  if (order.subscriptionId === null) {
    orderPayment.schedule(tx, order);
    return;
  }
  const outcome = orderPayment.planned(tx, order);
  if (outcome === undefined) return;
  const delay = orderPayment.mode(tx) === "immediate" ? "PT0S" : assumption(tx, "autopilot.payer-delay");
  const due = addDuration(tx.now, delay, saoPaulo);
  tx.arm({ kind: orderPayment.name, owner: order.id, due, input: { outcome } });
}

/** The account is credited up to the order's amount; what is paid beyond it are the platform's fees. */
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

/** What a payer chooses to pay for an open amount. */
function openAmount(tx: Transaction): Money {
  return assertDefined(parseMoney("BRL", assumption(tx, "order.open-amount")), "the amount of an open order");
}
