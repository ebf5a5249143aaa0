import { amount, duration, statement } from "./assumption.ts";

export const orderAssumptions = {
  "order.born-of-subscription": statement({
    says: "The code of such an order is the conciliationId of the first charge, or the externalId of the scheduled payment; its subscription.code is the subscription's externalId. Its events go to the company's webhook URL, or to the subscription's where the company has none.",
    leavesOpen:
      "the immediate payment settles as a regular order notified through the order webhook: its code and the address of its events are not shown.",
    because:
      "They are the codes by which the partner knows the payment, and the order has no notification URL of its own.",
  }),
  "order.field-names": statement({
    says: [
      "The request has customer {name, entityType, document {type, number}, phone, birthDate, country, address {state, city, street, neighborhood, number, complement, postalCode}, ip},",
      "order {externalId, paymentMethod, amount {currency, value}, description, notificationUrl, returnUrl, partner, expiresIn, pixKey, installments, bankSlug}",
      "and paymentDetails {threeDsToken, cardToken, card {holderName, holderDocument, number, securityCode, expiration, brand, installments, skipThreeDs}, browser {acceptHeader, language, javaEnabled, colorDepth, screenHeight, screenWidth, timezoneOffset, userAgent}, bankSlug}.",
      "The answer has those of id, externalId, status, qrcodeImageUrl, qrcodeImageBase64, qrcodeData, qrcodeExpiresAt, deeplink, universalUrl, threeDs {challengeUrl, accessToken, status}, checkoutUrl, token, fees {fixed, variable, additional}, errorMessage, finalAmount, description and bankAccount {clabe, beneficiary, bankCode} that fit the payment method.",
    ].join(" "),
    leavesOpen: "Names of the request fields and of the response fields: not shown.",
    because:
      "The three groups are those of the interface, and the names say its meanings in the manner of its other fields.",
  }),
  "order.message-id-header": statement({
    says: "The header that carries the unique message identifier is idempotency-key.",
    leavesOpen:
      "A header carrying a unique message identifier (at most 64 characters, UUID recommended) is part of the request; its name is not shown.",
    because: "The header of that name has the same limit and the same recommendation.",
  }),
  "order.statuses": statement({
    says: "An order is INITIAL, PENDING, PAID, PARTIALLY_PAID, ANALYSIS, EXPIRED, CANCELED, ERROR, PARTIAL_REFUNDED or REFUNDED.",
    leavesOpen: "The full set of order statuses and the transitions: not shown.",
    because: "They are the statuses that the child transactions of a payout are given.",
  }),
  "order.events": statement({
    says: "ORDER-PAYIN.PAID, .PARTIALLY_PAID, .EXPIRED, .CANCELED and .ERROR, of the type PAY-IN, carry id, code, event, status, type, paidAt, updatedAt, endToEndId, message, description, amount and payer, and subscription and scheduledPayment where they apply.",
    leavesOpen: "Names and bodies of pay-in paid events: not shown.",
    because: "They have the form of the payout event and the prefix of the refund event.",
  }),
  "order.optional-customer": statement({
    says: "Only a PIX order whose order.partner is PIX_PARTNER may leave the customer out.",
    leavesOpen:
      "The customer is optional only for PIX orders processed by the PIX_PARTNER processing variant: what chooses the variant is not shown.",
    because: "The financial partner of the order is the only field that can choose it.",
  }),
  "order.bank-slug": statement({
    says: "bankSlug may stand in order or in paymentDetails; two that differ are INVALID_REQUEST.",
    leavesOpen:
      "The bank identifier is listed among the order details and among the special payment details.",
    because: "Both places are shown, and neither can be called the wrong one.",
  }),
  "order.expiry": statement({
    says: "A PIX order expires with its QR code, a BOLETO after P3D (its barcode and payment line are on the checkoutUrl page), the others after P1D.",
    leavesOpen: "PIX QR code expiry: default 86400 seconds; of the other payment methods no expiry is shown.",
    because: "A bank slip takes days to be paid, and a day is what the interface gives to PIX.",
    parts: ["order.boleto-expiry", "order.default-expiry"],
  }),
  "order.boleto-expiry": duration("P3D", {
    says: "A BOLETO can be paid for this long.",
    leavesOpen: "PIX QR code expiry: default 86400 seconds; of the other payment methods no expiry is shown.",
    because: "A bank slip is commonly due some days after it was made.",
  }),
  "order.default-expiry": duration("P1D", {
    says: "An order that is neither PIX nor BOLETO can be paid for this long.",
    leavesOpen: "PIX QR code expiry: default 86400 seconds; of the other payment methods no expiry is shown.",
    because: "It is what the interface gives to PIX.",
  }),
  "order.open-amount": amount("25.00", {
    says: "A payer whom a plan or the autopilot lets pay an order with an open amount chooses this amount, in BRL; the act order.pay has to say one.",
    leavesOpen: "when omitted the QR code has an open amount chosen by the payer.",
    because: "What a payer chooses cannot be known, and a plan names no amounts.",
  }),
  "order.declined": statement({
    says: "An order whose payer or card issuer declines is ERROR, with the reason in the message of its event. An order in ANALYSIS, or PARTIALLY_PAID, does not expire.",
    leavesOpen: "The full set of order statuses and the transitions: not shown.",
    because: "None of the other statuses says that a payment was tried and not made.",
  }),
  "order.v3": statement({
    says: "PUT /order/v3/transparent is as v2, and for PIX the amount is optional.",
    leavesOpen:
      "The transparent order request refers to a V3 in which the amount is optional for PIX: its path is not shown.",
    because: "The version is part of the path, and nothing else is said to differ.",
  }),
  "order.deposit-banks": statement({
    says: "GET /v1/orders/deposit/banks gives a list of {slug, name, ispb, code, default}.",
    leavesOpen:
      "GET /v1/orders/deposit/banks (available deposit banks): request and response shapes of these: not shown.",
    because: "The slug is what an order names, and the rest is what a payer needs to know the bank.",
  }),
} as const;
