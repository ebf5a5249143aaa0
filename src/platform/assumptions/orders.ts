import { amount, count, duration, flag, statement } from "./assumption.ts";

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
    says: "ORDER-PAYIN.PAID, .PARTIALLY_PAID, .EXPIRED, .CANCELED and .ERROR, of the type PAY-IN, carry id, code, event, status, type, paidAt, updatedAt, endToEndId, message, description, amount and payer, and subscription and scheduledPayment where they apply. What an order does not have is left out: a description that was not sent, a payer before one is known, the amount of an open one that nobody paid.",
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
    says: "bankSlug may stand in order or in paymentDetails; two that differ are INVALID_REQUEST. Only DEPOSIT reads it.",
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
  "order.account": statement({
    says: "The company's oldest account that is ACTIVE receives the payments of its orders, in BRL or MXN; its PIX keys are those an order may name. A company without one gets NOT_FOUND.",
    leavesOpen:
      "The PIX key must belong to the company payment account: which account that is, the request does not say.",
    because: "A company is paid on the account that it opened first.",
  }),
  "order.external-id-unique": flag(false, {
    says: "Whether the external ids of a company's orders are unique; a second use is then INVALID_REQUEST with issue ALREADY_EXISTS.",
    leavesOpen: "order reference in the caller's system: whether it may be used twice is not shown.",
    because: "A customer who tries to pay again gets another order for the same purchase.",
  }),
  "order.fees": statement({
    says: "The payer bears the fees: finalAmount is the amount and the fees, the account is credited with the amount. A payment in part goes to the amount first. An order with an open amount has no fees.",
    leavesOpen:
      "fees {fixed, variable, additional}; final value the customer pays including fees: no fee is shown.",
    because:
      "What a company pays for its orders is a matter between it and the platform; nothing is the plainest default.",
    parts: ["order.fee-fixed", "order.fee-variable", "order.fee-additional"],
  }),
  "order.fee-fixed": count(0, {
    min: 0,
    max: 100_000_000,
    says: "The fixed fee of an order, in centavos.",
    leavesOpen: "fees {fixed, variable, additional}: no fee is shown.",
    because: "Nothing is the plainest default.",
  }),
  "order.fee-variable": count(0, {
    min: 0,
    max: 10_000,
    says: "The fee of an order that grows with its amount, in hundredths of a percent.",
    leavesOpen: "fees {fixed, variable, additional}: no fee is shown.",
    because: "Nothing is the plainest default.",
  }),
  "order.fee-additional": count(0, {
    min: 0,
    max: 100_000_000,
    says: "Any other fee of an order, in centavos.",
    leavesOpen: "fees {fixed, variable, additional}: no fee is shown.",
    because: "Nothing is the plainest default.",
  }),
  "order.installments": statement({
    says: "Only CREDIT_CARD takes more than one installment; order.installments and paymentDetails.card.installments must not differ.",
    leavesOpen:
      "installments is listed among the order details and in the card data: which methods take it is not shown.",
    because: "No other of the methods is paid in parts by agreement.",
  }),
  "order.three-ds": statement({
    says: "skipThreeDs true leaves the 3-D Secure challenge out, false asks for it, and where it is absent the card decides: the test cards say so, any other card has none. A threeDsToken stands for a challenge that was passed. threeDs.status is SKIPPED, FRICTIONLESS, AUTHENTICATED, CHALLENGE or FAILED. Once the challenge is passed the issuer answers at once; a card without one is answered for after the payer's delay. A card that is no test card is paid once its challenge is passed, and else waits for a hand. A challenge waits for its customer whatever the autopilot does.",
    leavesOpen: "Card 3DS behaviour is controlled by the skip flag of the card data: how is not shown.",
    because: "The flag decides where it is sent, and a card where it is not, as in life.",
  }),
  "order.card-data": statement({
    says: "A CREDIT_CARD order has one of paymentDetails.card and paymentDetails.cardToken, or a threeDsToken alone. The number's check digit and the expiration are checked; the brand is not.",
    leavesOpen: "Which request fields are required other than those marked above: not shown.",
    because:
      "Each of the three stands for a card; raw data and a stored card exclude each other by their descriptions.",
  }),
  "order.response-groups": statement({
    says: "PIX answers with the QR code, EXCHANGE_PAY with deeplink and universalUrl, CREDIT_CARD with threeDs, SPEI with bankAccount, the others with checkoutUrl and token; all with fees, finalAmount (not while the amount is open) and description. The deeplink is an http address of the sandbox, so that it opens here.",
    leavesOpen:
      "Response groups (by meaning): which of them belong to which payment method is not all shown.",
    because: "Each group names the method it is for, or can serve only one.",
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
