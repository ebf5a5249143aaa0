import type { Refund } from "./refund.ts";
import type { Refund as RefundShape } from "../../api/generated/shapes.ts";
import { formatInstant } from "../../engine/instant.ts";
import { formatMoney } from "../../engine/money.ts";
import { timestampOrNull } from "../shape.ts";

/** The refund as the answer to its request shows it (interface: Refund). */
export function refundShape(refund: Refund): RefundShape {
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
export function refundResource(refund: Refund): object {
  return {
    ...refundShape(refund),
    updatedAt: formatInstant(refund.updatedAt),
    refundedAt: timestampOrNull(refund.refundedAt),
    message: refund.message,
  };
}
