import { duration, statement } from "./assumption.ts";

export const refundAssumptions = {
  "refund.window": duration("P90D", {
    says: "An order can be refunded for this long after its payment, in several parts, up to the amount paid in sum; a refund that ends REJECTED or ERROR frees its amount again.",
    leavesOpen: "amount (string, decimal): until when and how often an order can be refunded is not shown.",
    because: "PIX takes returns for ninety days from the settlement, up to the amount of the payment.",
  }),
  "refund.delay": duration("PT5S", {
    says: "A refund is INITIAL for this long before its outcome.",
    leavesOpen: "The outcome of the refund is notified by the pay-in refund webhook: when is not shown.",
    because: "A return settles within seconds, and yet never within the answer that created it.",
  }),
  "refund.error-bodies": statement({
    says: "A refused refund answers 400, 401 or 500 with an array of sentences.",
    leavesOpen:
      "invalid request, unauthorized, internal; each body is an array of strings: what the strings say is not shown.",
    because: "A sentence for each problem is the least that a person can act on.",
  }),
  "refund.end-to-end-id": statement({
    says: "The endToEndId of a PIX refund begins with D, the institution's ISPB and the UTC minute, 32 characters in all.",
    leavesOpen: "endToEndId (string), of the refund: its form is not shown.",
    because: "PIX marks a return with D where a payment has E.",
  }),
} as const;
