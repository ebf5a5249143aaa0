import type { Payer } from "../payers/payer.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { acceptSubscription } from "../subscriptions/commands.ts";
import { accounts } from "../accounts/account.ts";
import { type Order, amountAsked, orders, payableAs } from "../orders/order.ts";
import { announcePayout } from "./view.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { availableOn, balanceOf, heldFor, move, OUTSIDE } from "../ledger/ledger.ts";
import { bankOf, taxDocument } from "./destination.ts";
import { canTake } from "../../engine/lifecycle.ts";
import { formatMoney, money } from "../../engine/money.ts";
import { localDate } from "../../countries/brazil/calendar.ts";
import {
  type Payout,
  type PayoutAction,
  type PayoutTransaction,
  payoutLifecycle,
  payoutOf,
  payoutSettlement,
  payoutTransactionLifecycle,
  payoutTransactions,
  payouts,
  settlementTime,
  transactionsOf,
} from "./payout.ts";
import { payOrder, receiverObstacle } from "../orders/commands.ts";
import { stateMachine } from "../state-machine.ts";
import { type Subscription, subscriptionLifecycle, subscriptions } from "../subscriptions/subscription.ts";
import { tedControlNumber } from "../../countries/brazil/identifiers.ts";

const transactionStates = stateMachine(payoutTransactions, payoutTransactionLifecycle, {
  arm: { "payout.settlement": scheduleSettlement },
});

const payoutStates = stateMachine(payouts, payoutLifecycle, { emit: announcePayout });

/** Stores a new payout; its transactions follow. */
export function createPayoutRecord(tx: Transaction, payout: Payout): Payout {
  return payoutStates.create(tx, payout);
}

/** Stores a new transaction of a payout, which settles in its own time. */
export function createTransaction(tx: Transaction, transaction: PayoutTransaction): PayoutTransaction {
  return transactionStates.create(tx, transaction);
}

/**
 * Settles a transaction in its own time. A key of the fixtures that fails or is slow has decided already, as a
 * payer of the fixtures has, so it needs no act.
 */
function scheduleSettlement(tx: Transaction, transaction: PayoutTransaction): void {
  if (payoutSettlement.schedule(tx, transaction)) return;
  const payout = payoutOf(tx, transaction);
  const { settlement } = payout.destination;
  if (settlement === null || (settlement.outcome === "PAID" && settlement.delay === undefined)) return;
  tx.arm({ kind: payoutSettlement.name, owner: transaction.id, due: settlementTime(tx, payout) });
}

/** A transaction is due: a plan decides, otherwise what prevents the payment, otherwise the key of the fixtures. */
export function decideSettlement(
  tx: Transaction,
  transaction: PayoutTransaction,
  decided: (typeof payoutSettlement)["outcomes"][number] | null,
): void {
  const payout = payoutOf(tx, transaction);
  const planned = decided ?? payoutSettlement.planned(tx, transaction);
  const obstacle = planned === undefined ? obstacleTo(tx, payout) : impossibility(tx, payout);
  const outcome = planned ?? (obstacle === null ? payout.destination.settlement?.outcome : "ERROR");
  if (outcome === "CANCELED") cancelTransaction(tx, transaction);
  else if (outcome === "ERROR" || obstacle !== null) {
    failTransaction(tx, transaction, obstacle ?? failureMessage("AB09"));
  } else settleTransaction(tx, transaction);
}

/** The money reaches the receiver. */
export function settleTransaction(tx: Transaction, transaction: PayoutTransaction): void {
  const payout = payoutOf(tx, transaction);
  const settled = transactionStates.take(tx, transaction, "settle", {
    paidAt: tx.now,
    controlNumber: payout.paymentMethod === "TED" ? nextControlNumber(tx) : null,
  });
  credit(tx, payout, settled);
  closePayout(tx, payout);
}

/** The transaction fails, and its money is back on the account. */
export function failTransaction(tx: Transaction, transaction: PayoutTransaction, errorMessage: string): void {
  returnMoney(tx, transactionStates.take(tx, transaction, "fail", { errorMessage }), "failed");
}

/** The transaction is canceled, and its money is back on the account. */
export function cancelTransaction(tx: Transaction, transaction: PayoutTransaction): void {
  returnMoney(tx, transactionStates.take(tx, transaction, "cancel"), "canceled");
}

/**
 * The receiver's bank sends a paid TED back: the money is on the account again, the status stays PAID and no event is
 * sent (assumption: payout.ted-returns).
 */
export function returnTransaction(tx: Transaction, transaction: PayoutTransaction): void {
  const payout = payoutOf(tx, transaction);
  const { destination, accountId } = payout;
  tx.put(payoutTransactions, { ...transaction, returnedAt: tx.now, updatedAt: tx.now });
  move(tx, {
    from: destination.accountId === null ? OUTSIDE : availableOn(destination.accountId),
    to: availableOn(accountId),
    amount: transaction.amount,
    memo: `payout ${payout.externalId} returned`,
    objectId: payout.id,
  });
  tx.log({ kind: "note", objectId: payout.id, what: `TED returned by the receiver's bank` });
}

/** Why a transaction cannot be sent back, as a sentence; null where it can. */
export function obstacleToReturn(tx: Transaction, transaction: PayoutTransaction): string | null {
  const { destination, accountId, paymentMethod } = payoutOf(tx, transaction);
  if (!assumption(tx, "payout.ted-returns"))
    return "A TED that was paid does not come back, unless the assumption payout.ted-returns is true.";
  if (paymentMethod !== "TED") return "Only a TED comes back.";
  if (transaction.status !== "PAID") return `It is ${transaction.status}; only one that is PAID comes back.`;
  if (transaction.returnedAt !== null) return "It came back already.";
  const closed = receiverObstacle(tx, accountId);
  if (closed !== null) return `It cannot come back: ${closed}.`;
  if (destination.accountId === null) return null;
  const { minor } = balanceOf(tx, availableOn(destination.accountId), transaction.amount.currency);
  return minor < transaction.amount.minor ? "The receiver's account has spent the money." : null;
}

function returnMoney(tx: Transaction, transaction: PayoutTransaction, what: string): void {
  const payout = payoutOf(tx, transaction);
  move(tx, {
    from: heldFor(payout.id),
    to: availableOn(payout.accountId),
    amount: transaction.amount,
    memo: `payout ${payout.externalId} ${what}`,
    objectId: payout.id,
  });
  closePayout(tx, payout);
}

/** The last transaction that ends decides what becomes of the payout (assumption: payout.parent-status). */
function closePayout(tx: Transaction, payout: Payout): void {
  const counted = tx.put(payouts, { ...payout, openCount: payout.openCount - 1 });
  if (counted.openCount > 0) return;
  const transactions = transactionsOf(tx, payout.id);
  const action = outcomeOfAll(transactions);
  payoutStates.take(tx, counted, action, {
    paidAt: action === "settle" ? tx.now : null,
    errorMessage: action === "fail" ? errorOfAll(transactions) : null,
  });
}

function outcomeOfAll(transactions: readonly PayoutTransaction[]): PayoutAction {
  if (transactions.every(({ status }) => status === "PAID")) return "settle";
  return transactions.every(({ status }) => status === "CANCELED") ? "cancel" : "fail";
}

/** The one reason where all failed for it, else how many failed. */
function errorOfAll(transactions: readonly PayoutTransaction[]): string {
  const [first] = transactions;
  const message = first?.errorMessage ?? null;
  if (message !== null && transactions.every(({ errorMessage }) => errorMessage === message)) return message;
  const failed = transactions.filter(({ status }) => status !== "PAID");
  const amount = failed.reduce((sum, transaction) => sum + transaction.amount.minor, 0);
  return `${failed.length} of ${transactions.length} transactions were not paid; ${formatMoney(money("BRL", amount))} BRL went back to the account.`;
}

function nextControlNumber(tx: Transaction): string {
  const date = localDate(tx.now);
  return tedControlNumber({ date, sequence: tx.count(`ted ${date}`) });
}

/**
 * Moves the held money: to an account of the sandbox where the destination is one, by its order where a QR
 * code was paid, otherwise out of the sandbox (assumption: payout.receiving-account).
 */
function credit(tx: Transaction, payout: Payout, { amount, endToEndId }: PayoutTransaction): void {
  const { destination } = payout;
  const order = orderPaidBy(tx, destination.orderId);
  const isInside = destination.accountId !== null && order === undefined;
  move(tx, {
    from: heldFor(payout.id),
    to: isInside ? availableOn(assertDefined(destination.accountId, "the receiving account")) : OUTSIDE,
    amount,
    memo: `payout ${payout.externalId} paid`,
    objectId: payout.id,
  });
  if (order !== undefined) payOrderOf(tx, payout, { order, amount, endToEndId });
}

/**
 * Paying the first charge of a journey 3 code accepts its subscription, no matter who pays (interface: Create
 * subscription rule 3).
 */
function payOrderOf(
  tx: Transaction,
  payout: Payout,
  { order, amount, endToEndId }: { order: Order } & Pick<PayoutTransaction, "amount" | "endToEndId">,
): void {
  const payer = payerOf(tx, payout);
  const subscription = subscriptionPaidBy(tx, order);
  if (subscription === undefined) payOrder(tx, order, { payer, amount, endToEndId });
  else {
    const document = assertDefined(
      taxDocument(payer.document),
      "the document of a payer who accepts a subscription",
    );
    acceptSubscription(tx, subscription, { payer: { ...payer, document }, endToEndId });
  }
}

/** The holder of the paying account, as the payer of an order. */
function payerOf(tx: Transaction, { accountId }: Payout): Payer {
  const account = assertDefined(tx.get(accounts, accountId), `the account ${accountId}`);
  const { ispb, branchNumber, accountNumber } = bankOf(account);
  return {
    name: account.fullName,
    document: account.document,
    bankData: { ispb, branchNumber, accountNumber },
  };
}

/**
 * Why the receiver's institution does not take the payment, as an errorMessage; null where nothing prevents it. A
 * plan or an act may decide otherwise, since that is the decision of others.
 */
function obstacleTo(tx: Pick<Transaction, "get">, payout: Payout): string | null {
  const { destination, receiver } = payout;
  if (destination.missing === "key") return `The PIX key ${destination.pix?.key} is not registered.`;
  if (destination.missing === "account") return failureMessage("AC03");
  const { owner } = destination;
  if (receiver !== null && owner !== null && receiver.document.number !== owner.document.number) {
    return failureMessage("BE01");
  }
  return blockedAccount(tx, payout) ?? impossibility(tx, payout);
}

/**
 * Why the sandbox itself cannot pay the closed account or the QR code, whatever a plan or an act decides; null where
 * it can.
 */
export function impossibility(
  tx: Pick<Transaction, "get">,
  { destination, accountId, amount }: Payout,
): string | null {
  if (destination.accountId !== null && receiverObstacle(tx, destination.accountId) !== null)
    return failureMessage("AC07");
  if (destination.missing === "charge") return failureMessage("BE17", "There is no charge behind it.");
  const order = orderPaidBy(tx, destination.orderId);
  if (order === undefined) return null;
  if (payableAs(tx, order) === null) {
    return failureMessage("BE17", `The order behind it is ${order.status}.`);
  }
  const due = amountAsked(order);
  if (due !== null && due.minor !== amount.minor) {
    return failureMessage("BE17", `The amount due of the order behind it is ${formatMoney(due)} now.`);
  }
  const subscription = subscriptionPaidBy(tx, order);
  if (subscription === undefined) return null;
  if (!canTake(subscriptionLifecycle, subscription, "accept")) {
    return failureMessage("BE17", `The subscription behind it is ${subscription.status}.`);
  }
  const { document } = assertDefined(tx.get(accounts, accountId), `the account ${accountId}`);
  return taxDocument(document) === null
    ? failureMessage("CH11", "A subscription requires a CPF or CNPJ.")
    : null;
}

/** The order that a payout to its QR code pays. */
function orderPaidBy(tx: Pick<Transaction, "get">, orderId: string | null): Order | undefined {
  return orderId === null ? undefined : assertDefined(tx.get(orders, orderId), `the order ${orderId}`);
}

/** The subscription that is accepted by paying the order, its first charge. */
function subscriptionPaidBy(tx: Pick<Transaction, "get">, order: Order): Subscription | undefined {
  const { subscriptionId, scheduledPaymentId } = order;
  if (subscriptionId === null || scheduledPaymentId !== null) return undefined;
  return assertDefined(tx.get(subscriptions, subscriptionId), `the subscription ${subscriptionId}`);
}

function blockedAccount(tx: Pick<Transaction, "get">, { destination: { accountId } }: Payout): string | null {
  const account = accountId === null ? undefined : tx.get(accounts, accountId);
  return account?.status === "INACTIVE" ? failureMessage("AC06") : null;
}

/**
 * Why an institution does not settle: the codes of the PIX settlement messages with a sentence each
 * (assumption: payout.error-messages).
 */
const failureSentences = {
  AB03: "The settlement took longer than PIX allows.",
  AB09: "The receiver's institution reported an error.",
  AC03: "The receiver's account does not exist.",
  AC06: "The receiver's account is blocked.",
  AC07: "The receiver's account is closed.",
  AC14: "The receiver's account is of another type.",
  AG03: "The receiver's account does not take this kind of payment.",
  AM02: "The amount is above what the receiver's institution allows.",
  BE01: "The receiver's document does not match the holder of the account.",
  BE17: "The QR code was rejected.",
  CH11: "The receiver's document is wrong.",
  DS04: "The receiver's institution refused the payment.",
  DS27: "The receiver's institution does not take part in PIX.",
  DUPL: "The payment was made before.",
  FRAD: "The payment is suspected of fraud.",
  RC10: "The receiver's institution is not known.",
  RR04: "The payment was refused for regulatory reasons.",
} as const;

export type FailureCode = keyof typeof failureSentences;

/** `BE01: The receiver's document does not match…`: an errorMessage, with more about this case where there is some. */
export function failureMessage(code: FailureCode, more?: string): string {
  return `${code}: ${failureSentences[code]}${more === undefined ? "" : ` ${more}`}`;
}
