import type { Call } from "../call.ts";
import type { CreatePayoutRequest, Payout as PayoutAnswer } from "../../api/generated/shapes.ts";
import type { Destination } from "./destination.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { type Account, accounts, requireActive, unusableAccount } from "../accounts/account.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { availableOn, balanceOf, heldFor, move } from "../ledger/ledger.ts";
import { partsOf, transactionKey } from "./batch.ts";
import { validatePayout } from "./rules.ts";
import { decideSettlement } from "./settlement.ts";
import { payoutStates, transactionStates } from "./states.ts";
import { defineResource, handle, scheduleWaiting } from "../resource.ts";
import { endToEndId } from "../../countries/brazil/identifiers.ts";
import { forbidden, invalidRequest } from "../refusals.ts";
import { type Money, formatMoney, parseMoney } from "../../engine/money.ts";
import {
  type Payout,
  payoutLifecycle,
  payoutSettlement,
  payoutTransactionLifecycle,
  payouts,
  transactionsOf,
} from "./payout.ts";
import { personOf } from "../payers/payer.ts";
import { payoutActs } from "./acts.ts";
import { payoutView } from "./view.ts";
import { platformInstitution } from "../../countries/brazil/institutions.ts";
import { Problems } from "../problems.ts";
import { payoutApi } from "./operations.ts";

export const payoutResource = defineResource({
  name: "payouts",
  api: payoutApi,
  origin: {
    says: "Your client pays out of one of its accounts.",
    operation: "createPayout",
  },
  scenario: "payouts/paid-by-key.yaml",
  collection: payouts,
  view: payoutView,
  lifecycles: [payoutLifecycle, payoutTransactionLifecycle],
  operations: { createPayout },
  acts: payoutActs,
  steps: [
    handle(payoutSettlement, {
      decide: decideSettlement,
      wake: (tx, id) => {
        if (tx.get(payouts, id) === undefined) return;
        for (const transaction of transactionsOf(tx, id)) scheduleWaiting(tx, payoutSettlement, transaction);
      },
    }),
  ],
});

/** Creates a banking payout (interface: Endpoints 6): wrong fields first, then the account, then its balance. */
function createPayout(tx: Transaction, call: Call<CreatePayoutRequest>): PayoutAnswer {
  const problems = new Problems(call.problems);
  const found = validatePayout(tx, call, problems);
  problems.refuse();
  const destination = assertDefined(found, "the destination of a validated payout");
  const account = payingAccount(tx, call.companyId, call.body.accountId);
  const amount = assertDefined(parseMoney("BRL", call.body.amount.value), "an amount that was checked");
  requireBalance(tx, account, amount);
  const amounts = partsOf(tx, amount, destination);
  const payout = open(tx, { call, account, amounts, amount, destination });
  const { id: objectId, externalId } = payout;
  const memo = `payout ${externalId} reserved`;
  move(tx, { from: availableOn(account.id), to: heldFor(objectId), amount, memo, objectId });
  return payoutView(payout, tx);
}

/**
 * Returns the paying account. Another company's account is treated like an unknown account (assumption:
 * payout.foreign-account).
 */
function payingAccount(tx: Transaction, companyId: string, id: string): Account {
  const account = tx.get(accounts, id.toLowerCase());
  if (account?.companyId !== companyId) {
    const unknown = unusableAccount(tx, "payout.foreign-account", "accountId");
    throw unknown(
      `Failed to create a payout: the account ${id} is not one of the company's. Use an account that GET /order/v1/banking/accounts lists.`,
    );
  }
  const refused = unusableAccount(tx, "payout.inactive-account", "accountId");
  requireActive(account, "create a payout", refused);
  return account;
}

function requireBalance(tx: Transaction, account: Account, amount: Money): void {
  const available = balanceOf(tx, availableOn(account.id), amount.currency);
  if (available.minor >= amount.minor) return;
  const description = `The account ${account.id} has ${formatMoney(available)} available; the payout needs ${formatMoney(amount)}.`;
  if (assumption(tx, "payout.insufficient-balance") === "forbidden")
    throw forbidden(`Failed to create a payout: the balance is too low. ${description}`);
  throw invalidRequest([{ field: "amount.value", issue: "INSUFFICIENT_BALANCE", description }]);
}

interface Opening {
  readonly call: Call<CreatePayoutRequest>;
  readonly account: Account;
  readonly amount: Money;
  /** The amounts of the payout's transactions. */
  readonly amounts: readonly Money[];
  readonly destination: Destination;
}

/** Stores the payout with its transactions. Each settles in its own time. */
function open(tx: Transaction, { call, account, amount, amounts, destination }: Opening): Payout {
  const { body, companyId } = call;
  const id = tx.chance("payouts").uuid();
  const firstEndToEndId = nextEndToEndId(tx);
  const opened: Payout = {
    id,
    companyId,
    accountId: account.id,
    externalId: body.externalId,
    paymentMethod: body.paymentMethod,
    status: payoutLifecycle.initial,
    amount,
    description: body.description,
    receiver: body.receiver ? personOf(body.receiver) : null,
    destination,
    endToEndId: firstEndToEndId,
    batchId: amounts.length > 1 ? tx.chance("payout-batches").uuid() : null,
    openCount: amounts.length,
    errorMessage: null,
    paidAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
  };
  const into = amounts.length > 1 ? ` in ${amounts.length} transactions` : "";
  const what = `payout of ${formatMoney(amount)} created${into}: ${opened.status}`;
  const payout = payoutStates.create(tx, opened, what);
  const key = assertDefined(call.idempotencyKey, "the idempotency key of a payout");
  for (const [index, part] of amounts.entries()) {
    const sequence = index + 1;
    const isPix = body.paymentMethod === "PIX";
    transactionStates.create(tx, {
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
      returnedAt: null,
      errorMessage: null,
      updatedAt: tx.now,
    });
  }
  return payout;
}

function nextEndToEndId(tx: Transaction): string {
  const { ispb } = platformInstitution;
  return endToEndId({ ispb, instant: tx.now, chance: tx.chance("end-to-end-ids") });
}
