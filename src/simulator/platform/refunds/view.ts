import type { Refund as RefundAnswer } from "../../api/generated/shapes.ts";
import type { Refund } from "./refund.ts";
import { formatInstant } from "../../engine/instant.ts";
import { formatMoney } from "../../engine/money.ts";
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

/** The refund as `/sandbox/resources/refunds` shows it: the platform API has no read of a refund. */
export function refundView(refund: Refund) {
  return {
    ...refundAnswer(refund),
    updatedAt: formatInstant(refund.updatedAt),
    refundedAt: timestampOrNull(refund.refundedAt),
    message: refund.message,
  };
}
