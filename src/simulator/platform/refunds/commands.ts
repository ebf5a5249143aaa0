import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { availableOn, heldFor, move, OUTSIDE } from "../ledger/ledger.ts";
import { formatMoney } from "../../engine/money.ts";
import { illegalAct } from "../refusals.ts";
import { markRefunded } from "../orders/states.ts";
import { type Order, orders } from "../orders/order.ts";
import { platformInstitution } from "../../countries/brazil/institutions.ts";
import { type Refund, refundLifecycle, refundedOf } from "./refund.ts";
import { returnId } from "../../countries/brazil/identifiers.ts";
import { refundStates } from "./states.ts";
import { requireAction } from "../state-machine.ts";

/** The default message of a failed refund. */
const REJECTED = "The payer's institution rejected the refund.";
const FAILED = "The refund failed for a technical reason. Its amount can be refunded again.";

/** The requester of a refund that no call requested. */
const INSTITUTION = { name: "Payer's institution", email: "returns@institution.example" };

interface NewRefund extends Pick<Refund, "amount" | "reason" | "requestedBy" | "impediment"> {
  readonly origin?: NonNullable<Refund["origin"]>;
  /** The ledger account that has the money. Default: the available money on the account of the order. */
  readonly from?: string;
}

/** Stores a refund, INITIAL, and holds its money unless there is an impediment. */
export function openRefund(
  tx: Transaction,
  order: Order,
  { amount, reason, requestedBy, impediment, origin, from = availableOn(order.accountId) }: NewRefund,
): Refund {
  const id = tx.chance("refunds").uuid();
  if (impediment === null) {
    const memo = `refund of order ${order.id} reserved`;
    move(tx, { from, to: heldFor(id), amount, memo, objectId: id });
  }
  const by = origin === undefined ? "requested" : "taken by the payer's institution";
  const opened: Refund = {
    id,
    companyId: order.companyId,
    orderId: order.id,
    accountId: order.accountId,
    amount,
    reason,
    requestedBy,
    ...(origin && { origin }),
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
  };
  return refundStates.create(tx, opened, `refund of ${formatMoney(amount)} ${amount.currency} ${by}`);
}

/** Refunds at once what no call requested (assumptions: refund.unrequested, order.late-payment, order.overpayment). */
export function takeBack(
  tx: Transaction,
  order: Order,
  taken: Pick<NewRefund, "amount" | "reason" | "origin" | "from">,
): void {
  const requested = { requestedBy: INSTITUTION, impediment: null, origin: "institution" } as const;
  settleRefund(tx, openRefund(tx, order, { ...requested, ...taken }));
}

/**
 * Completes the refund: the money arrives with the payer, and the order is refunded. Refuses if the money could not
 * be reserved.
 */
export function settleRefund(tx: Transaction, refund: Refund): void {
  requireAction(refundLifecycle, refund, "settle");
  const { amount, id, orderId, impediment } = refund;
  if (impediment !== null) {
    throw illegalAct(
      `Failed to settle the refund ${id}: ${impediment} Possible acts: refund.reject, refund.fail.`,
    );
  }
  move(tx, { from: heldFor(id), to: OUTSIDE, amount, memo: `refund of order ${orderId} paid`, objectId: id });
  refundStates.take(tx, refund, "settle", { refundedAt: tx.now });
  const order = recordOf(tx, orders, orderId);
  const total = refundedOf(tx, orderId, amount.currency, ["REFUNDED"]);
  if (refund.origin === "overpayment") tx.put(orders, { ...order, refundedAmount: total, updatedAt: tx.now });
  else markRefunded(tx, order, total);
}

/** The payer's institution rejects the refund, or it fails for a technical reason: its amount is free again. */
export function endRefund(
  tx: Transaction,
  refund: Refund,
  action: "reject" | "fail",
  message = action === "fail" ? FAILED : (refund.impediment ?? REJECTED),
): void {
  requireAction(refundLifecycle, refund, action);
  const { id, orderId, accountId, amount, impediment } = refund;
  if (impediment === null) {
    const memo = `refund of order ${orderId} returned`;
    move(tx, { from: heldFor(id), to: availableOn(accountId), amount, memo, objectId: id });
  }
  refundStates.take(tx, refund, action, { message });
}
