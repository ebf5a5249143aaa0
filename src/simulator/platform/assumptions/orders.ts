import { amount, choice, count, duration, flag, period, statement } from "./assumption.ts";

export const orderAssumptions = {
  "order.born-of-subscription": statement("form", {
    says: "The code of the order of a subscription is the conciliationId of the first charge, or the externalId of the scheduled payment. Its subscription.code is the subscription's externalId. Its events go to the company's webhook URL, or to the subscription's URL if the company has no URL.",
    leavesOpen:
      "the immediate payment settles as a regular order notified through the order webhook: its code and the address of its events are not shown.",
    because: "The partner knows the payment by these codes, and the order has no notification URL.",
  }),
  "order.field-names": statement("form", {
    says: [
      "The request has customer {name, entityType, document {type, number}, phone, birthDate, country, address {state, city, street, neighborhood, number, complement, postalCode}, ip},",
      "order {externalId, paymentMethod, amount {currency, value}, description, notificationUrl, returnUrl, partner, expiresIn, pixKey, installments, bankSlug}",
      "and paymentDetails {threeDsToken, cardToken, card {holderName, holderDocument, number, securityCode, expiration, brand, installments, skipThreeDs}, browser {acceptHeader, language, javaEnabled, colorDepth, screenHeight, screenWidth, timezoneOffset, userAgent}, bankSlug}.",
      "The answer has the fields of its payment method: id, externalId, status, qrcodeImageUrl, qrcodeImageBase64, qrcodeData, qrcodeExpiresAt, deeplink, universalUrl, threeDs {challengeUrl, accessToken, status}, checkoutUrl, token, fees {fixed, variable, additional}, errorMessage, finalAmount, description and bankAccount {clabe, beneficiary, bankCode}.",
    ].join(" "),
    leavesOpen: "Names of the request fields and of the response fields: not shown.",
    because:
      "The platform API names the three groups and the meaning of each field. The names have the style of its other fields.",
  }),
  "order.required-fields": statement("refusal", {
    says: "An order requires externalId, paymentMethod and amount (not in v3 for PIX), and a customer with name and document, except as order.optional-customer says. A CREDIT_CARD order requires paymentDetails, and raw card data its holderName, number, securityCode and expiration. Everything else is optional.",
    leavesOpen: "The required request fields other than those marked above: not shown.",
    because: "Without these the payer or the amount is missing, or the order cannot be found again.",
  }),
  "order.event-address": statement("only", {
    says: "The events of an order go to its notificationUrl, or to the company's webhook URL if the order has no notificationUrl. If neither is set, no event is sent.",
    leavesOpen: "the notification URL for orders: the target of events of an order without it is not shown.",
    because: "The company's URL is the only other address that the platform has.",
  }),
  "order.message-id-header": statement("form", {
    says: "The header that carries the unique message identifier is idempotency-key.",
    leavesOpen:
      "A header carrying a unique message identifier (at most 64 characters, UUID recommended) is part of the request; its name is not shown.",
    because: "The header of that name has the same limit and the same recommendation.",
  }),
  "order.statuses": statement("states", {
    says: "An order is INITIAL, PENDING, PAID, PARTIALLY_PAID, ANALYSIS, EXPIRED, CANCELED, ERROR, PARTIAL_REFUNDED or REFUNDED.",
    leavesOpen: "The full set of order statuses and the transitions: not shown.",
    because: "The platform API lists these statuses for the child transactions of a payout.",
  }),
  "order.events": choice(["all", "paid"], {
    says: "ORDER-PAYIN.PAID, .PARTIALLY_PAID, .EXPIRED, .CANCELED and .ERROR, of the type PAY-IN, contain id, code, event, status, type, paidAt, updatedAt, endToEndId, message, description, amount and payer, and subscription and scheduledPayment if they apply. Missing values are absent: an absent description, an unknown payer, and the open amount of an unpaid order. With `paid` only .PAID and .PARTIALLY_PAID are sent, and no event reports an order that ends unpaid.",
    leavesOpen: "Names and bodies of pay-in paid events: not shown.",
    because: "They have the form of the payout event and the prefix of the refund event.",
  }),
  "order.optional-customer": statement("refusal", {
    says: "The customer can be absent only in a PIX order with the order.partner PIX_PARTNER.",
    leavesOpen:
      "The customer is optional only for PIX orders processed by the PIX_PARTNER processing variant: what chooses the variant is not shown.",
    because: "The financial partner is the only field of the order that can select the variant.",
  }),
  "order.bank-slug": statement("refusal", {
    says: "bankSlug can be in order or in paymentDetails. Two different values are INVALID_REQUEST. Only DEPOSIT reads it.",
    leavesOpen:
      "The bank identifier is listed among the order details and among the special payment details.",
    because: "Both places are shown, and neither is wrong.",
  }),
  "order.expiry": statement(["order.boleto-expiry", "order.boleto-grace", "order.default-expiry"], {
    says: "A PIX order expires with its QR code. A BOLETO expires at the end of its due date, which is P3D after its creation. Its barcode and payment line are on the checkoutUrl page. All other orders expire after P1D.",
    leavesOpen: "PIX QR code expiry: default 86400 seconds; of the other payment methods no expiry is shown.",
    because: "A boleto takes days to be paid, and the platform API gives a day to PIX.",
  }),
  "order.boleto-expiry": duration("P3D", {
    says: "The due date of a BOLETO is its creation date in Brasília plus this time. The BOLETO can be paid until the end of that day. If the day is on a weekend or a national bank holiday, it can be paid until the end of the next business day. Then it is EXPIRED.",
    leavesOpen: "PIX QR code expiry: default 86400 seconds; of the other payment methods no expiry is shown.",
    because:
      "A boleto is usually due some days after its creation, and banks accept it until the end of the due date.",
  }),
  "order.boleto-grace": duration("PT0S", {
    alternatives: ["P1D", "P59D"],
    says: "A BOLETO can also be paid for this time after its due date, until the end of the last day. If the last day is on a weekend or a national bank holiday, it can be paid until the end of the next business day. Interest and fines are not added.",
    leavesOpen: "PIX QR code expiry: default 86400 seconds; of the other payment methods no expiry is shown.",
    because:
      "A registered boleto can be paid at any bank after its due date, unless its issuer says otherwise. Only vendors document the time: 59 days is a common default (P59D). By default the sandbox ends the order with its due date, like every other order with its expiry.",
  }),
  "order.boleto-confirmation": choice(["next-business-day", "same-day", "immediate"], {
    says: "A paid BOLETO is PENDING until its bank confirms it at 07:00 of the next bank business day. Then it is PAID and the event is sent. With same-day, a boleto paid before 13:30 on a business day is confirmed at 18:00 of that day. All other slips are confirmed on the next business day. With immediate the BOLETO is PAID immediately.",
    leavesOpen: "BOLETO (bank slip): when the order is PAID after its payer has paid is not shown.",
    because:
      "Banks settle boletos on the business day after the payment. Since March 2024 a bank can settle boletos paid by 13:30 on the same day, if its contract with the receiver allows it. The sandbox invents the hour of the confirmation.",
  }),
  "order.partial-payment": choice(["as-sent", "never"], {
    says: "A PIX QR code with an amount is paid in full, and so is a first charge. Every other order can be paid in parts, and is PARTIALLY_PAID until the full payment. With never a BOLETO is also paid in full.",
    leavesOpen:
      "The full set of order statuses and the transitions: not shown, nor which orders can be paid in parts.",
    because:
      "The payer's institution sends exactly the amount of a PIX code. A transfer or a cash payment can have any amount. A boleto takes parts only if it is registered for parts, and the request has no field for it. Vendors do not register their slips for parts. The default shows a partner more of the possible cases.",
  }),
  "order.default-expiry": period("P1D", {
    says: "An order other than PIX and BOLETO can be paid for this time.",
    leavesOpen: "PIX QR code expiry: default 86400 seconds; of the other payment methods no expiry is shown.",
    because: "The platform API gives the same time to PIX.",
  }),
  "order.open-amount": amount("25.00", {
    says: "If a plan or the autopilot pays an order with an open amount, the payer chooses this amount, in BRL. The act order.pay must name an amount.",
    leavesOpen: "when omitted the QR code has an open amount chosen by the payer.",
    because: "The payer's choice is unknown, and a plan has no amounts.",
  }),
  "order.late-payment": choice(["refuse", "accept", "return"], {
    says: "An EXPIRED or CANCELED order can no longer be paid. With accept it can be paid in full: it becomes PAID, and its event is sent. With return it becomes PAID and then immediately REFUNDED, by a refund without a request. Cards and first charges are never paid late.",
    leavesOpen:
      "The full set of order statuses and the transitions: not shown. The effect of a payment after the end of the order: not shown.",
    because:
      "The platform cannot stop a transfer or a boleto that was paid at the last moment. Some vendors document that they keep such money, others that they return it. No general rule decides it, so by default the case does not occur.",
  }),
  "order.overpayment": choice(["refuse", "accept", "return-difference"], {
    says: "An order takes at most its amount. With accept it takes more: finalAmount and the event show the whole payment, and all of it can be refunded. With return-difference the order stays PAID, and the surplus goes back immediately by a refund without a request. If a PAID order is paid again, the whole second payment is surplus, and another ORDER-PAYIN.PAID is sent. A PIX QR code with an amount is always paid with that amount, but it can be paid twice. Cards and the orders of subscriptions can be paid only once.",
    leavesOpen: "amount {currency, value}: the effect of a payment of another amount is not shown.",
    because:
      "Payers type amounts, and can pay twice with some methods. Only vendors document the treatment of the difference, each for its own platform.",
  }),
  "order.declined": statement("states", {
    says: "If the payer or the card issuer declines, the order is ERROR, with the reason in the message of its event. An order in ANALYSIS or PARTIALLY_PAID does not expire.",
    leavesOpen: "The full set of order statuses and the transitions: not shown.",
    because: "ERROR is the only status for a failed payment.",
  }),
  "order.account": statement("only", {
    says: "The company's oldest ACTIVE account receives the payments of its orders, in BRL or MXN. An order can name the PIX keys of this account. A company without an ACTIVE account gets NOT_FOUND.",
    leavesOpen:
      "The PIX key must belong to the company payment account: the request does not name this account.",
    because: "The first account of a company is its main account.",
  }),
  "order.external-id-unique": flag(false, {
    says: "True if the external ids of a company's orders must be unique. Then a second use is INVALID_REQUEST with issue ALREADY_EXISTS.",
    leavesOpen: "order reference in the caller's system: whether it may be used twice is not shown.",
    because: "A customer who tries to pay again gets another order for the same purchase.",
  }),
  "order.fees": statement(["order.fee-fixed", "order.fee-variable", "order.fee-additional"], {
    says: "The payer pays the fees: finalAmount is the amount plus the fees, and the account gets the amount. A part payment first covers the amount. An order with an open amount has no fees.",
    leavesOpen:
      "fees {fixed, variable, additional}; final value the customer pays including fees: no fee is shown.",
    because: "The company and the platform agree on the fees. Zero is the simplest default.",
  }),
  "order.fee-fixed": count(0, [0, 100_000_000], {
    says: "The fixed fee of an order, in centavos.",
    leavesOpen: "fees {fixed, variable, additional}: no fee is shown.",
    because: "Zero is the simplest default.",
  }),
  "order.fee-variable": count(0, [0, 10_000], {
    says: "The fee of an order that depends on its amount, in hundredths of a percent.",
    leavesOpen: "fees {fixed, variable, additional}: no fee is shown.",
    because: "Zero is the simplest default.",
  }),
  "order.fee-additional": count(0, [0, 100_000_000], {
    says: "Any other fee of an order, in centavos.",
    leavesOpen: "fees {fixed, variable, additional}: no fee is shown.",
    because: "Zero is the simplest default.",
  }),
  "order.installments": statement("refusal", {
    says: "Only CREDIT_CARD takes more than one installment. order.installments and paymentDetails.card.installments must be the same.",
    leavesOpen:
      "installments is listed among the order details and in the card data: its payment methods are not shown.",
    because: "No other method is paid in agreed parts.",
  }),
  "order.three-ds": statement("byHand", {
    says: "skipThreeDs true skips the 3-D Secure challenge, and false requests it. If it is absent, the card decides: each test card defines it, and any other card has no challenge. A threeDsToken means that a challenge was passed. threeDs.status is SKIPPED, FRICTIONLESS, AUTHENTICATED, CHALLENGE or FAILED. After a passed challenge the issuer answers immediately. Without a challenge the issuer answers after the payer's delay. A card other than a test card is paid after its challenge. Without a challenge it waits for an act. The reason for a declined card mentions the challenge only if the challenge was passed. A challenge waits for its customer in every mode of the autopilot.",
    leavesOpen: "Card 3DS behaviour is controlled by the skip flag of the card data: how is not shown.",
    because: "If the flag is sent, it decides. Otherwise the card decides, as in production.",
  }),
  "order.card-data": statement("refusal", {
    says: "A CREDIT_CARD order has one of paymentDetails.card and paymentDetails.cardToken, or a threeDsToken alone. The check digit of the number and the expiration are checked, but not the brand.",
    leavesOpen: "The required request fields other than those marked above: not shown.",
    because:
      "Each of the three identifies a card. By their descriptions, raw data and a stored card exclude each other.",
  }),
  "order.response-groups": statement("form", {
    says: "The answer for PIX has the QR code, for EXCHANGE_PAY deeplink and universalUrl, for CREDIT_CARD threeDs, and for SPEI bankAccount. For other methods it has checkoutUrl and token. Every answer has fees, description and, unless the amount is open, finalAmount. The deeplink is an http address of the sandbox, so that it opens here.",
    leavesOpen: "Response groups (by meaning): their payment methods are only partly shown.",
    because: "Each group names its method, or fits only one method.",
  }),
  "order.v3": statement("form", {
    says: "PUT /order/v3/transparent is like v2, but for PIX the amount is optional.",
    leavesOpen:
      "The transparent order request refers to a V3 with an optional amount for PIX: its path is not shown.",
    because: "The version is part of the path, and no other difference is mentioned.",
  }),
  "order.deposit-banks": statement("form", {
    says: "GET /v1/orders/deposit/banks gives a list of {slug, name, ispb, code, default}.",
    leavesOpen:
      "GET /v1/orders/deposit/banks (available deposit banks): request and response shapes of these: not shown.",
    because: "An order names the slug. A payer needs the other fields to find the bank.",
  }),
} as const;
