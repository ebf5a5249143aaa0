import type { EventName } from "../state-machine.ts";
import type { PayInRefundEvent, Refund as RefundAnswer } from "../../api/generated/shapes.ts";
import type { Refund, refundLifecycle } from "./refund.ts";
import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { announce } from "../webhook-events/announcement.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { formatInstant } from "../../engine/instant.ts";
import { formatMoney } from "../../engine/money.ts";
import { orderEventUrl, originOf } from "../orders/view.ts";
import { orders } from "../orders/order.ts";
import { timestampOrNull } from "../shape.ts";

/** The refund as the answer to its request shows it (interface: Refund). */
export function refundAnswer(refund: Refund): RefundAnswer {
  const { id, orderId, reason, requestedBy, status, endToEndId } = refund;
  return {
    id,
    orderId,
    amount: formatMoney(refund.amount),
    reason,
    requestedBy,
    status,
    createdAt: formatInstant(refund.createdAt),
    endToEndId,
  };
}

/** The refund as `/sandbox/resources/refunds` shows it: the interface has no read of a refund. */
export function refundView(refund: Refund) {
  return {
    ...refundAnswer(refund),
    updatedAt: formatInstant(refund.updatedAt),
    refundedAt: timestampOrNull(refund.refundedAt),
    message: refund.message,
  };
}

/** Assumption: refund.event-fields. */
function messageOfSuccess(tx: Transaction): string {
  return assumption(tx, "refund.event-fields") === "empty" ? "" : "The payment was refunded.";
}

/**
 * Sends the outcome of a refund to the company (interface: Pay-in refund event). It uses the URL of the order's
 * events and counts as an event about the order, so that it never arrives before them.
 */
export function announceRefund(
  tx: Transaction,
  refund: Refund,
  event: EventName<typeof refundLifecycle>,
): void {
  const order = recordOf(tx, orders, refund.orderId);
  const body: PayInRefundEvent = {
    id: order.id,
    code: order.externalId,
    event,
    status: refund.status as PayInRefundEvent["status"],
    type: "REFUND",
    refundId: refund.id,
    refundedAt: timestampOrNull(refund.refundedAt),
    paidAt: timestampOrNull(order.paidAt),
    updatedAt: formatInstant(refund.updatedAt),
    endToEndId: order.paymentMethod === "PIX" ? refund.endToEndId : null,
    message: refund.message === "" ? messageOfSuccess(tx) : refund.message,
    ...originOf(tx, order),
  };
  announce(tx, {
    companyId: refund.companyId,
    event,
    collection: orders.name,
    objectId: order.id,
    url: orderEventUrl(tx, order),
    body,
  });
}
