import type { Call } from "../call.ts";
import type { Refund as RefundAnswer, RefundRequest } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { accounts } from "../accounts/account.ts";
import { announceRefund, refundAnswer, refundView } from "./view.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { availableOn, balanceOf, heldFor, move, OUTSIDE } from "../ledger/ledger.ts";
import { defineResource, handle } from "../resource.ts";
import { type Money, formatMoney, parseMoney } from "../../engine/money.ts";
import { illegalAct } from "../refusals.ts";
import { markRefunded } from "../orders/commands.ts";
import { orders } from "../orders/order.ts";
import { platformInstitution } from "../../countries/brazil/institutions.ts";
import { Problems } from "../problems.ts";
import { type Refund, refundLifecycle, refundOutcome, refundedOf, refunds } from "./refund.ts";
import { returnId } from "../../countries/brazil/identifiers.ts";
import { stateMachine } from "../state-machine.ts";
import { validateRefund } from "./rules.ts";
import { refundApi } from "./operations.ts";

interface FailureFields {
  readonly message?: string;
}

/** The message of a failed refund where no other is given. */
const REJECTED = "The payer's institution rejected the refund.";
const FAILED = "The refund failed for a technical reason. Its amount can be refunded again.";

const states = stateMachine(refunds, refundLifecycle, {
  emit: announceRefund,
  arm: { "refund.outcome": refundOutcome.schedule },
});

export const refundResource = defineResource({
  name: "refunds",
  api: refundApi,
  origin: {
    says: "Your client refunds an order that is PAID.",
    operation: "refundOrder",
  },
  scenario: "refunds/in-two-parts.yaml",
  collection: refunds,
  view: refundView,
  lifecycles: [refundLifecycle],
  operations: { refundOrder },
  acts: {
    settle: { summary: "The money arrives with the payer.", run: settleRefund },
    reject: {
      summary: "The payer's institution rejects the refund; its amount is free again.",
      fields: "RefundFailureFields",
      run: (tx, refund, { message }: FailureFields) => rejectRefund(tx, refund, message),
    },
    fail: {
      summary: "The refund fails for a technical reason; its amount is free again.",
      fields: "RefundFailureFields",
      run: (tx, refund, { message }: FailureFields) => failRefund(tx, refund, message),
    },
  },
  steps: [handle(refundOutcome, { decide: decideRefund })],
});

/** Refunds an order, whole or in part (interface: Endpoints 5). */
function refundOrder(tx: Transaction, call: Call<RefundRequest>): RefundAnswer {
  const problems = new Problems(call.problems);
  const found = validateRefund(tx, call, problems);
  problems.refuse();
  const order = assertDefined(found, "the order of a validated refund");
  const { currency } = assertDefined(order.amount, `the amount of the order ${order.id}`);
  const amount = assertDefined(parseMoney(currency, call.body.amount), "a validated amount");
  const id = tx.chance("refunds").uuid();
  const impediment = impedimentOf(tx, order.accountId, amount);
  if (impediment === null) {
    const memo = `refund of order ${order.id} reserved`;
    move(tx, { from: availableOn(order.accountId), to: heldFor(id), amount, memo, objectId: id });
  }
  tx.log({
    kind: "created",
    objectId: id,
    collection: refunds.name,
    status: refundLifecycle.initial,
    what: `refund of ${formatMoney(amount)} ${amount.currency} requested`,
  });
  const { reason, requestedBy } = call.body;
  const refund = states.create(tx, {
    id,
    companyId: order.companyId,
    orderId: order.id,
    accountId: order.accountId,
    amount,
    reason,
    requestedBy: { name: requestedBy.name, email: requestedBy.email },
    status: refundLifecycle.initial,
    endToEndId: returnId({
      ispb: platformInstitution.ispb,
      instant: tx.now,
      chance: tx.chance("return-ids"),
    }),
    impediment,
    message: "",
    createdAt: tx.now,
    updatedAt: tx.now,
    refundedAt: null,
  });
  return refundAnswer(refund);
}

/**
 * The money arrives with the payer, and the order is refunded, whole or in part. Refused where the money could not
 * be reserved.
 */
function settleRefund(tx: Transaction, refund: Refund): void {
  states.require(refund, "settle");
  const { amount, id, orderId, impediment } = refund;
  if (impediment !== null) {
    throw illegalAct(
      `Failed to settle the refund ${id}: ${impediment} Possible from there: refund.reject, refund.fail.`,
    );
  }
  move(tx, { from: heldFor(id), to: OUTSIDE, amount, memo: `refund of order ${orderId} paid`, objectId: id });
  states.take(tx, refund, "settle", { refundedAt: tx.now });
  const order = assertDefined(tx.get(orders, orderId), `the order ${orderId}`);
  markRefunded(tx, order, refundedOf(tx, orderId, amount.currency, ["REFUNDED"]));
}

/** The payer's institution rejects the refund: its amount is free again. */
function rejectRefund(tx: Transaction, refund: Refund, message = refund.impediment ?? REJECTED): void {
  states.require(refund, "reject");
  releaseHold(tx, refund);
  states.take(tx, refund, "reject", { message });
}

/** The refund fails for a technical reason: its amount is free again. */
function failRefund(tx: Transaction, refund: Refund, message = FAILED): void {
  states.require(refund, "fail");
  releaseHold(tx, refund);
  states.take(tx, refund, "fail", { message });
}

/** The institutions decide; without the money the refund cannot succeed. */
function decideRefund(
  tx: Transaction,
  refund: Refund,
  decided: (typeof refundOutcome)["outcomes"][number] | null,
): void {
  const outcome = refundOutcome.outcome(tx, refund, decided);
  if (outcome === "ERROR") failRefund(tx, refund);
  else if (outcome === "REJECTED" || refund.impediment !== null) rejectRefund(tx, refund);
  else settleRefund(tx, refund);
}

/** Why the account cannot give the money back, in a sentence; null where it can. */
function impedimentOf(tx: Transaction, accountId: string, amount: Money): string | null {
  const account = assertDefined(tx.get(accounts, accountId), `the account ${accountId}`);
  if (account.status !== "ACTIVE") return `The account ${accountId} is ${account.status}.`;
  const available = balanceOf(tx, availableOn(accountId), amount.currency);
  if (available.minor >= amount.minor) return null;
  return `The balance of the account ${accountId} does not suffice: ${formatMoney(available)} ${amount.currency} were available.`;
}

function releaseHold(tx: Transaction, { id, orderId, accountId, amount, impediment }: Refund): void {
  if (impediment !== null) return;
  const memo = `refund of order ${orderId} returned`;
  move(tx, { from: heldFor(id), to: availableOn(accountId), amount, memo, objectId: id });
}
