import type { Records } from "../../engine/store.ts";
import type { Payer } from "../payers/payer.ts";
import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { acceptSubscription, subscriptionPaidBy } from "../subscriptions/commands.ts";
import { accounts, bankOf } from "../accounts/account.ts";
import { type Order, amountAsked, orders, payableAs } from "../orders/order.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { availableOn, heldFor, move, OUTSIDE } from "../ledger/ledger.ts";
import { taxDocument } from "./destination.ts";
import { canTake } from "../../engine/lifecycle.ts";
import { add, formatMoney, type Money, sumOf } from "../../engine/money.ts";
import { failureCodes, failureMessage } from "./failures.ts";
import { localDate } from "../../countries/brazil/calendar.ts";
import {
  type Payout,
  type PayoutTransaction,
  payoutOf,
  payoutSettlement,
  payouts,
  transactionsOf,
} from "./payout.ts";
import { payOrder, receiverObstacle } from "../orders/commands.ts";
import { subscriptionLifecycle } from "../subscriptions/subscription.ts";
import { tedControlNumber } from "../../countries/brazil/identifiers.ts";
import { transactionStates, payoutStates } from "./states.ts";

/** A transaction is due: a plan decides, otherwise what prevents the payment, otherwise the key of the fixtures. */
export function decideSettlement(
  tx: Transaction,
  transaction: PayoutTransaction,
  decided: (typeof payoutSettlement)["outcomes"][number] | null,
): void {
  const payout = payoutOf(tx, transaction);
  const planned = decided ?? payoutSettlement.planned(tx, transaction);
  const obstacle = planned === undefined ? obstacleTo(tx, payout) : impossibility(tx, payout);
  const outcome = planned ?? payout.destination.settlement?.outcome ?? "PAID";
  const code = failureCodes.find((known) => outcome === `ERROR:${known}`);
  if (code !== undefined) failTransaction(tx, transaction, failureMessage(code));
  else if (outcome === "CANCELED" && (planned !== undefined || obstacle === null))
    cancelTransaction(tx, transaction);
  else if (outcome === "ERROR" || obstacle !== null)
    failTransaction(tx, transaction, obstacle ?? failureMessage("AB09"));
  else settleTransaction(tx, transaction);
}

/** The money reaches the receiver. */
export function settleTransaction(tx: Transaction, transaction: PayoutTransaction): void {
  const payout = payoutOf(tx, transaction);
  credit(tx, payout, transactionStates.take(tx, transaction, "settle", settlementOf(tx, payout)));
  closePayout(tx, payout);
}

function settlementOf(tx: Transaction, { paymentMethod }: Payout) {
  return { paidAt: tx.now, controlNumber: paymentMethod === "TED" ? nextControlNumber(tx) : null };
}

/** The transaction fails, and its money is back on the account. */
export function failTransaction(tx: Transaction, transaction: PayoutTransaction, errorMessage: string): void {
  returnMoney(tx, transactionStates.take(tx, transaction, "fail", { errorMessage }), "failed");
}

/** The transaction is canceled, and its money is back on the account. */
export function cancelTransaction(tx: Transaction, transaction: PayoutTransaction): void {
  returnMoney(tx, transactionStates.take(tx, transaction, "cancel"), "canceled");
}

/** Settles a transaction that was reported as failed: its returned money leaves the account again. */
export function settleAfterAll(tx: Transaction, transaction: PayoutTransaction): void {
  const payout = payoutOf(tx, transaction);
  move(tx, {
    from: availableOn(payout.accountId),
    to: heldFor(payout.id),
    amount: transaction.amount,
    memo: `payout ${payout.externalId} taken again`,
    objectId: payout.id,
  });
  const changed = { ...settlementOf(tx, payout), errorMessage: null };
  credit(tx, payout, transactionStates.take(tx, transaction, "settle-after-all", changed));
  if (payout.openCount > 0) return;
  const transactions = transactionsOf(tx, payout.id);
  if (transactions.every(({ status }) => status === "PAID"))
    payoutStates.take(tx, payout, "settle-after-all", { paidAt: tx.now, errorMessage: null });
  else tx.put(payouts, { ...payout, errorMessage: errorOfAll(transactions), updatedAt: tx.now });
}

/** The receiver's institution sends a paid transaction back, whole or in part (assumption: payout.returns). */
export function returnTransaction(tx: Transaction, transaction: PayoutTransaction, amount: Money): void {
  const payout = payoutOf(tx, transaction);
  const { destination, accountId } = payout;
  const returnedAmount = transaction.returnedAmount ? add(transaction.returnedAmount, amount) : amount;
  const isWhole = returnedAmount.minor === transaction.amount.minor;
  transactionStates.take(tx, transaction, isWhole ? "return" : "return-partly", {
    returnedAmount,
    returnedAt: tx.now,
  });
  move(tx, {
    from: destination.accountId === null ? OUTSIDE : availableOn(destination.accountId),
    to: availableOn(accountId),
    amount,
    memo: `payout ${payout.externalId} returned`,
    objectId: payout.id,
  });
}

/** Reports a payout after returned money. A payout that failed in part stays ERROR. */
export function reportReturn(tx: Transaction, payout: Payout, returns: Payout["returns"]): void {
  const transactions = transactionsOf(tx, payout.id);
  const total = sumOf(
    "BRL",
    transactions.flatMap(({ returnedAmount }) => returnedAmount ?? []),
  );
  const isWhole = transactions.every(({ status }) => status === "REFUNDED");
  const action = payout.status === "ERROR" ? "return-paid-part" : isWhole ? "return" : "return-partly";
  payoutStates.take(tx, payout, action, {
    ...(returns && { returns }),
    errorMessage: `${formatMoney(total)} BRL came back from the receiver's institution.`,
  });
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

/** Closes the payout. The last transaction that ends decides its outcome (assumption: payout.parent-status). */
function closePayout(tx: Transaction, payout: Payout): void {
  const counted = tx.put(payouts, { ...payout, openCount: payout.openCount - 1 });
  if (counted.openCount > 0) return;
  const transactions = transactionsOf(tx, payout.id);
  const action = outcomeOfAll(tx, transactions);
  payoutStates.take(tx, counted, action, {
    paidAt: action === "settle" ? tx.now : null,
    errorMessage: action === "fail" ? errorOfAll(transactions) : null,
  });
}

function outcomeOfAll(
  tx: Transaction,
  transactions: readonly PayoutTransaction[],
): "settle" | "cancel" | "fail" {
  const paid = transactions.filter(({ status }) => status === "PAID");
  if (paid.length === transactions.length) return "settle";
  if (paid.length > 0 && assumption(tx, "payout.parent-status") === "paid") return "settle";
  return transactions.every(({ status }) => status === "CANCELED") ? "cancel" : "fail";
}

/** The one reason if all failed for it, otherwise how many failed. */
function errorOfAll(transactions: readonly PayoutTransaction[]): string {
  const [first] = transactions;
  const message = first?.errorMessage ?? null;
  if (message !== null && transactions.every(({ errorMessage }) => errorMessage === message)) return message;
  const failed = transactions.filter(({ status }) => status !== "PAID");
  const amount = sumOf(
    "BRL",
    failed.map((transaction) => transaction.amount),
  );
  return `${failed.length} of ${transactions.length} transactions were not paid; ${formatMoney(amount)} BRL went back to the account.`;
}

function nextControlNumber(tx: Transaction): string {
  const date = localDate(tx.now);
  return tedControlNumber({ date, sequence: tx.count(`ted ${date}`) });
}

/** Moves the held money to an account or an order of the sandbox, or out (assumption: payout.receiving-account). */
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

/** Paying the first charge of journey 3 accepts its subscription (interface: Create subscription rule 3). */
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
  const account = recordOf(tx, accounts, accountId);
  const { ispb, branchNumber, accountNumber } = bankOf(account);
  return {
    name: account.fullName,
    document: account.document,
    bankData: { ispb, branchNumber, accountNumber },
  };
}

/**
 * Returns the reason why the receiver's institution does not take the payment. Null if it does. A plan or an act may
 * overrule it.
 */
function obstacleTo(tx: Records, payout: Payout): string | null {
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
 * Returns the reason why the sandbox itself cannot pay the account or the QR code, even with a plan or act. Null if
 * it can.
 */
export function impossibility(tx: Records, { destination, accountId, amount }: Payout): string | null {
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
  const { document } = recordOf(tx, accounts, accountId);
  return taxDocument(document) === null
    ? failureMessage("CH11", "A subscription requires a CPF or CNPJ.")
    : null;
}

/** The order that a payout to its QR code pays. */
function orderPaidBy(tx: Records, orderId: string | null): Order | undefined {
  return orderId === null ? undefined : recordOf(tx, orders, orderId);
}

function blockedAccount(tx: Records, { destination: { accountId } }: Payout): string | null {
  const account = accountId === null ? undefined : tx.get(accounts, accountId);
  return account?.status === "INACTIVE" ? failureMessage("AC06") : null;
}
