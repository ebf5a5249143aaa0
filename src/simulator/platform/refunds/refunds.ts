import type { Call } from "../call.ts";
import type { Order } from "../orders/order.ts";
import type {
  Refund as RefundAnswer,
  RefundFailureFields,
  RefundRequest,
} from "../../api/generated/shapes.ts";
import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { accounts } from "../accounts/account.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { availableOn, balanceOf } from "../ledger/ledger.ts";
import { defineResource, handle } from "../resource.ts";
import { endRefund, openRefund, settleRefund } from "./commands.ts";
import { type Money, formatMoney, parseMoney } from "../../engine/money.ts";
import { openDispute } from "./dispute.ts";
import { Problems } from "../problems.ts";
import { type Refund, refundLifecycle, refundOutcome, refunds } from "./refund.ts";
import { refundAnswer, refundView } from "./view.ts";
import { validateRefund } from "./rules.ts";
import { refundApi } from "./operations.ts";

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
      summary: "The payer's institution rejects the refund. Its amount can be refunded again.",
      fields: "RefundFailureFields",
      run: (tx, refund, { message }: RefundFailureFields) => endRefund(tx, refund, "reject", message),
    },
    fail: {
      summary: "The refund fails for a technical reason. Its amount can be refunded again.",
      fields: "RefundFailureFields",
      run: (tx, refund, { message }: RefundFailureFields) => endRefund(tx, refund, "fail", message),
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
  const { reason, requestedBy } = call.body;
  const impediment = impedimentOf(tx, order, amount);
  if (impediment !== null && assumption(tx, "refund.insufficient-balance") === "refuse") {
    problems.add("amount", "INSUFFICIENT_BALANCE", impediment);
    problems.refuse();
  }
  return refundAnswer(
    openRefund(tx, order, {
      amount,
      reason,
      requestedBy: { name: requestedBy.name, email: requestedBy.email },
      impediment,
    }),
  );
}

/** The institutions decide; without the money the refund cannot succeed. */
function decideRefund(
  tx: Transaction,
  refund: Refund,
  decided: (typeof refundOutcome)["outcomes"][number] | null,
): void {
  const outcome = refundOutcome.outcome(tx, refund, decided);
  if (outcome === "ERROR") endRefund(tx, refund, "fail");
  else if (outcome === "REJECTED" || refund.impediment !== null) endRefund(tx, refund, "reject");
  else settleRefund(tx, refund);
}

/** Returns the reason why the account cannot give the money back, in a sentence. Null if it can. */
function impedimentOf(tx: Transaction, { id, accountId }: Order, amount: Money): string | null {
  const dispute = openDispute(tx, id);
  if (dispute !== undefined)
    return `The payment is disputed: ${formatMoney(dispute.amount)} ${amount.currency} are blocked until the institutions have decided.`;
  const account = recordOf(tx, accounts, accountId);
  if (account.status !== "ACTIVE") return `The account ${accountId} is ${account.status}.`;
  const available = balanceOf(tx, availableOn(accountId), amount.currency);
  if (available.minor >= amount.minor) return null;
  return `The balance of the account ${accountId} does not suffice: ${formatMoney(available)} ${amount.currency} were available.`;
}
