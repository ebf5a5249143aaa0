import {
  ADDRESSED,
  type Deviations,
  PAY,
  after,
  answers,
  expecting,
  order,
  refund,
  refuses,
  sends,
  sendsTo,
} from "./deviation.ts";

/** Of orders and refunds. */
export const ofOrders: Deviations = {
  "order.event-address": [
    {
      story: ADDRESSED,
      change: sendsTo("http://receiver.example/company", "ORDER-PAYIN.PAID"),
      observed: "an event goes to http://receiver.example/company",
    },
  ],
  "order.statuses": {
    story: order("pix") + PAY,
    change: sends("ORDER-PAYIN.PAID", (text) => text.replace('"status":"PAID"', '"status":"UNDER_REVIEW"')),
    observed: "UNDER_REVIEW is not in the platform API",
  },
  "refund.error-bodies": {
    story: refund("", expecting(400)).replace("${order.id}", "11111111-1111-4111-8111-111111111119"),
    change: refuses("refundOrder", () => '{"error":"INVALID_REQUEST","message":"No.","details":[]}'),
    observed: "refundOrder {error, message, details}",
  },
  "refund.end-to-end-id": {
    story: order("pix") + PAY + refund(),
    change: answers("refundOrder", (text) => text.replace(/"endToEndId":"D[^"]*"/, '"endToEndId":"E1"')),
    observed: "it is E1",
  },
  "refund.event-fields": [
    {
      story: order("pix") + PAY + refund() + after("PT1M"),
      change: sends("ORDER-PAYIN.REFUNDED", (text) =>
        text.replace(/"refundedAt":"[^"]*"/, '"refundedAt":null'),
      ),
      observed: "refundedAt is not so",
    },
  ],
};
