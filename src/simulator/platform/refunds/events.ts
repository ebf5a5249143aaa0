import type { EventOf } from "../state-machine.ts";
import type { PayInRefundEvent } from "../../api/generated/shapes.ts";
import type { Refund, refundLifecycle } from "./refund.ts";
import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { announce } from "../webhook-events/announcement.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { formatInstant } from "../../engine/instant.ts";
import { orderEventUrl, originOf } from "../orders/events.ts";
import { orders } from "../orders/order.ts";
import { timestampOrNull } from "../shape.ts";

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
  event: EventOf<typeof refundLifecycle>,
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
