import type { Order } from "../orders/order.ts";
import type { Payer } from "../payers/payer.ts";
import type { Payout, PayoutTransaction } from "./payout.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { accounts } from "../accounts/account.ts";
import { availableOn, heldFor, move, OUTSIDE } from "../ledger/ledger.ts";
import { bankOf } from "./destination.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { orderPaidBy, subscriptionPaidBy } from "./obstacles.ts";
import { acceptSubscription } from "../subscriptions/authorization.ts";
import { payOrder } from "../orders/payment.ts";
import { taxDocument } from "./tax-document.ts";

/**
 * Hands the held money over: to an account of the sandbox where the destination is one, by its order where a QR
 * code was paid, else to the outside (assumption: payout.receiving-account).
 */
export function credit(tx: Transaction, payout: Payout, { amount, endToEndId }: PayoutTransaction): void {
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

/** Paying the first charge of a journey 3 code accepts its subscription, whoever pays (interface: Create subscription rule 3). */
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
    acceptSubscription(tx, subscription, { payer: { name: payer.name, document }, endToEndId });
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
