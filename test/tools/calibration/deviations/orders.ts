import {
  ACCEPTED,
  ADDRESSED,
  type Deviations,
  PAY,
  PAY_A_PART,
  accepts,
  after,
  answers,
  charge,
  expecting,
  order,
  refund,
  refuses,
  rejects,
  sends,
  sendsTo,
} from "./deviation.ts";

const ID = ", externalId: second";

const CARD = "holderName: JUANA LOPEZ, securityCode: '123', expiration: 12/30, brand: VISA";

const card = (number: string, more = "", expected = "", fields = ""): string =>
  order("card", fields, `, paymentDetails: { card: { number: "${number}", ${CARD}${more} } }`, expected);

/** Of orders and refunds. */
export const ofOrders: Deviations = {
  "order.born-of-subscription": [
    {
      story: ACCEPTED + charge() + after("P6D"),
      change: sends("ORDER-PAYIN.PAID", (text) => text.replace('"code":"charge"', '"code":"o-1"')),
      observed: "it is another code",
    },
    {
      story: ACCEPTED + charge() + after("P6D"),
      change: sends("ORDER-PAYIN.PAID", (text) => text.replace('"code":"sub"', '"code":"s-1"')),
      observed: "it is another code",
    },
  ],
  "order.field-names": {
    story: order("pix"),
    change: answers("createTransparentOrder", (text) => text.replace('"finalAmount"', '"total"')),
    observed: "total",
  },
  "order.required-fields": {
    story: order("pix") + order("pix", ", externalId: { $absent: true }", "", expecting(400)),
    change: accepts("createTransparentOrder"),
    observed: "order.externalId may be left out",
  },
  "order.event-address": [
    {
      story: ADDRESSED,
      change: sendsTo("http://receiver.example/company", "ORDER-PAYIN.PAID"),
      observed: "an event goes to http://receiver.example/company",
    },
  ],
  "order.events": {
    story: order("pix") + PAY,
    change: sends("ORDER-PAYIN.PAID", (text) => text.replace("ORDER-PAYIN.PAID", "ORDER-PAYIN.SETTLED")),
    observed: "ORDER-PAYIN.SETTLED is not known",
  },
  "order.statuses": {
    story: order("pix") + PAY,
    change: sends("ORDER-PAYIN.PAID", (text) => text.replace('"status":"PAID"', '"status":"UNDER_REVIEW"')),
    observed: "UNDER_REVIEW is not in the interface",
  },
  "order.optional-customer": [
    {
      story: order("pix") + order("pix", ID, ", customer: { $absent: true }", expecting(400)),
      change: accepts("createTransparentOrder"),
      observed: "it is accepted",
    },
    {
      story: order("pix", ", partner: PIX_PARTNER", ", customer: { $absent: true }"),
      change: rejects("createTransparentOrder", "customer"),
      observed: "it is refused",
    },
  ],
  "order.bank-slug": {
    story:
      order("deposit") +
      order("deposit", `${ID}, bankSlug: itau`, ", paymentDetails: { bankSlug: bradesco }", expecting(400)),
    change: accepts("createTransparentOrder"),
    observed: "it is accepted",
  },
  "order.partial-payment": [
    {
      story:
        order("pix") +
        PAY +
        order("deposit", "", "", "", "other") +
        PAY_A_PART.replace("order.id", "other.id"),
      change: sends("ORDER-PAYIN.PAID", (text) => text.replaceAll(/\bPAID"/g, 'PARTIALLY_PAID"')),
      observed: "it is paid in parts",
    },
  ],
  "order.declined": [
    {
      story: card("4000000000000002") + after("PT1M"),
      change: sends("ORDER-PAYIN.ERROR", (text) => text.replace(/"message":"[^"]*"/, '"message":""')),
      observed: "it is ERROR without a reason",
    },
    {
      story: card("4000000000000002") + after("PT1M"),
      change: sends("ORDER-PAYIN.ERROR", (text) => text.replaceAll('ERROR"', 'CANCELED"')),
      observed: "it is CANCELED",
    },
  ],
  "order.installments": {
    story: order("pix") + order("pix", `${ID}, installments: 3`, "", expecting(400)),
    change: accepts("createTransparentOrder"),
    observed: "it is accepted",
  },
  "order.three-ds": [
    {
      story: card("4111111111111111", ", skipThreeDs: true"),
      change: answers("createTransparentOrder", (text) => text.replace("SKIPPED", "FRICTIONLESS")),
      observed: "skipThreeDs true: FRICTIONLESS",
    },
  ],
  "order.card-data": {
    story: card("4111111111111111") + card("4111111111111112", "", expecting(400), ID),
    change: accepts("createTransparentOrder"),
    observed: "it is accepted",
  },
  "order.response-groups": {
    story: order("pix"),
    change: answers("createTransparentOrder", (text) => text.replace('"qrcodeData":', '"deeplink":')),
    observed: "PIX: deeplink, qrcodeImageBase64",
  },
  "order.v3": {
    story: `
- call: createTransparentOrderV3
  body: { $use: order.open }`,
    change: rejects("createTransparentOrderV3", "order.amount"),
    observed: "it is refused with 400",
  },
  "order.deposit-banks": {
    story: "\n- call: listDepositBanks",
    change: answers("listDepositBanks", (text) => text.replaceAll('"slug"', '"bank"')),
    observed: "slug",
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
      change: sends("ORDER-PAYIN.REFUNDED", (text) => text.replace('"message":""', '"message":"Done."')),
      observed: "it has a message",
    },
    {
      story: order("pix") + PAY + refund() + after("PT1M"),
      change: sends("ORDER-PAYIN.REFUNDED", (text) =>
        text.replace(/"refundedAt":"[^"]*"/, '"refundedAt":null'),
      ),
      observed: "refundedAt is not so",
    },
  ],
  "refund.requester-email": {
    story:
      order("pix") + PAY + refund() + refund(", requestedBy: { name: Ana, email: nobody }", expecting(400)),
    change: accepts("refundOrder"),
    observed: "it is accepted",
  },
  "refund.refundable-orders": [
    {
      story: `${order("pix")}${PAY}${refund()}${order("deposit", "", "", "", "other")}${after("P2D")}${refund("", expecting(400), "other")}`,
      change: accepts("refundOrder"),
      observed: "one that is EXPIRED is refunded",
    },
    {
      story: order("deposit") + PAY_A_PART + refund(),
      change: rejects("refundOrder", "orderId"),
      observed: "one that is PARTIALLY_PAID is refused",
    },
  ],
  "refund.orders-of-mexico": {
    story: `${order("spei")}${PAY}${refund(", reason: OTHER")}${refund(", reason: A mistake", expecting(400))}`,
    change: accepts("refundOrder"),
    observed: "it takes any",
  },
};
