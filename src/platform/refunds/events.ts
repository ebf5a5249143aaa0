import type { Order } from "../orders/order.ts";
import type { PayInRefundEvent } from "../../api/generated/shapes.ts";
import type { Refund } from "./refund.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { announce } from "../webhook-events/announcement.ts";
import { formatInstant } from "../../engine/instant.ts";
import { orderEventUrl, originOf } from "../orders/events.ts";
import { timestampOrNull } from "../shape.ts";

/**
 * Tells the company of the outcome of a refund (interface: Pay-in refund event). It goes where the order's
 * events go and counts as one about the order, so that it never overtakes them.
 */
export function announceRefund(
  tx: Transaction,
  event: PayInRefundEvent["event"],
  { refund, order }: { refund: Refund; order: Order },
): void {
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
    message: refund.message,
    ...originOf(tx, order),
  };
  announce(tx, {
    companyId: refund.companyId,
    event,
    objectId: order.id,
    url: orderEventUrl(tx, order),
    body,
  });
}
