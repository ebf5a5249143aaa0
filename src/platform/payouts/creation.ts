import type { Account } from "../accounts/account.ts";
import type { Call } from "../call.ts";
import type { CreatePayoutRequest, Payout as PayoutShape } from "../../api/generated/shapes.ts";
import type { Destination } from "./destination.ts";
import type { Money } from "../../engine/money.ts";
import type { Payout } from "./payout.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { accounts, requireActive } from "../accounts/account.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { availableOn, balanceOf, heldFor, move } from "../ledger/ledger.ts";
import { batchThreshold, validatePayout } from "./rules.ts";
import { endToEndId } from "../../countries/brazil/identifiers.ts";
import { forbidden, invalidRequest } from "../refusals.ts";
import { formatMoney, parseMoney } from "../../engine/money.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { payoutLifecycle, payoutTransactionLifecycle } from "./lifecycle.ts";
import { payouts, payoutTransactions } from "./payout.ts";
import { payoutShape } from "./shape.ts";
import { platformInstitution } from "../../countries/brazil/institutions.ts";
import { Problems } from "../problems.ts";
import { scheduleSettlement } from "./settlement.ts";
import { splitAmount, splitCount, transactionKey } from "./split.ts";

/** Creates a banking payout (interface: Endpoints 6): wrong fields first, then the account, then its balance. */
export function createPayout(tx: Transaction, call: Call<CreatePayoutRequest>): PayoutShape {
  const problems = new Problems(call.problems);
  const checked = validatePayout(tx, call, problems);
  problems.refuse();
  const destination = assertDefined(checked, "the destination of a payout that was checked");
  const account = payingAccount(tx, call.companyId, call.body.accountId);
  const amount = assertDefined(parseMoney("BRL", call.body.amount.value), "an amount that was checked");
  requireBalance(tx, account, amount);
  const amounts = partsOf(tx, amount, destination);
  const payout = open(tx, { call, account, amounts, amount, destination });
  const memo = `payout ${payout.externalId} reserved`;
  move(tx, {
    from: availableOn(account.id),
    to: heldFor(payout.id),
    amount,
    memo,
    objectId: payout.id,
  });
  return payoutShape(payout, tx);
}

/** Another company's account and an unknown one are alike (assumption: payout.foreign-account). */
function payingAccount(tx: Transaction, companyId: string, id: string): Account {
  const account = tx.get(accounts, id.toLowerCase());
  if (account?.companyId !== companyId) {
    throw forbidden(
      `Failed to create a payout: the account ${id} is not one of the company's. Use an account that GET /order/v1/banking/accounts lists.`,
    );
  }
  requireActive(account, "create a payout");
  return account;
}

function requireBalance(tx: Transaction, account: Account, amount: Money): void {
  const available = balanceOf(tx, availableOn(account.id), amount.currency);
  if (available.minor >= amount.minor) return;
  throw invalidRequest([
    {
      field: "amount.value",
      issue: "INSUFFICIENT_BALANCE",
      description: `The account ${account.id} has ${formatMoney(available)} available; the payout asks for ${formatMoney(amount)}.`,
    },
  ]);
}

/**
 * The amounts of its transactions. A dynamic QR code is paid once and in full, so it is never split; a batch has
 * an end (assumptions: payout.dynamic-qrcode, payout.batch-size-max).
 */
function partsOf(tx: Transaction, amount: Money, { initiation }: Destination): readonly Money[] {
  if (initiation === "DYNAMIC_QRCODE") return [amount];
  const threshold = batchThreshold(tx);
  const count = splitCount(amount, threshold);
  const countMax = assumption(tx, "payout.batch-size-max");
  if (count <= countMax) return splitAmount(amount, threshold);
  const description = `The payout would be split into ${count} transactions of ${formatMoney(threshold)}; a batch has at most ${countMax}. Ask for less at once.`;
  throw invalidRequest([{ field: "amount.value", issue: "INVALID", description }]);
}

interface Opening {
  readonly call: Call<CreatePayoutRequest>;
  readonly account: Account;
  readonly amount: Money;
  /** Of its transactions. */
  readonly amounts: readonly Money[];
  readonly destination: Destination;
}

/** Puts the payout with its transactions, and lets each of them settle in its own time. */
function open(tx: Transaction, { call, account, amount, amounts, destination }: Opening): Payout {
  const { body, companyId } = call;
  const id = tx.chance("payouts").uuid();
  const firstEndToEndId = nextEndToEndId(tx);
  const payout = tx.put(payouts, {
    id,
    companyId,
    accountId: account.id,
    externalId: body.externalId,
    paymentMethod: body.paymentMethod,
    status: payoutLifecycle.initial,
    amount,
    description: body.description,
    receiver: receiverOf(body),
    destination,
    endToEndId: firstEndToEndId,
    batchId: amounts.length > 1 ? tx.chance("payout-batches").uuid() : null,
    openCount: amounts.length,
    errorMessage: null,
    paidAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
  });
  const into = amounts.length > 1 ? ` in ${amounts.length} transactions` : "";
  tx.log({
    kind: "note",
    objectId: id,
    what: `payout of ${formatMoney(amount)} created${into}: ${payout.status}`,
  });
  const key = assertDefined(call.idempotencyKey, "the idempotency key of a payout");
  for (const [index, part] of amounts.entries()) {
    const sequence = index + 1;
    const isPix = body.paymentMethod === "PIX";
    const transaction = tx.put(payoutTransactions, {
      id: tx.chance("payout-transactions").uuid(),
      companyId,
      payoutId: id,
      idempotencyKey: transactionKey(tx, { companyId, key, sequence }),
      sequence,
      amount: part,
      status: payoutTransactionLifecycle.initial,
      endToEndId: isPix ? (sequence === 1 ? firstEndToEndId : nextEndToEndId(tx)) : null,
      controlNumber: null,
      paidAt: null,
      errorMessage: null,
      settlementTimer: null,
      updatedAt: tx.now,
    });
    scheduleSettlement(tx, payout, transaction);
  }
  return payout;
}

function nextEndToEndId(tx: Transaction): string {
  const { ispb } = platformInstitution;
  return endToEndId({ ispb, instant: tx.now, chance: tx.chance("end-to-end-ids") });
}

function receiverOf({ receiver }: CreatePayoutRequest): Payout["receiver"] {
  if (receiver === undefined) return null;
  const { name, document } = receiver;
  return { name, document: { type: document.type, number: document.number.toUpperCase() } };
}
