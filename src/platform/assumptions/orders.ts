import { amount, choice, count, duration, flag, period, statement } from "./assumption.ts";

export const orderAssumptions = {
  "order.born-of-subscription": statement("form", {
    says: "The code of such an order is the conciliationId of the first charge, or the externalId of the scheduled payment; its subscription.code is the subscription's externalId. Its events go to the company's webhook URL, or to the subscription's URL if the company has no URL.",
    leavesOpen:
      "the immediate payment settles as a regular order notified through the order webhook: its code and the address of its events are not shown.",
    because:
      "They are the codes that the partner has for the payment, and the order has no notification URL.",
  }),
  "order.field-names": statement("form", {
    says: [
      "The request has customer {name, entityType, document {type, number}, phone, birthDate, country, address {state, city, street, neighborhood, number, complement, postalCode}, ip},",
      "order {externalId, paymentMethod, amount {currency, value}, description, notificationUrl, returnUrl, partner, expiresIn, pixKey, installments, bankSlug}",
      "and paymentDetails {threeDsToken, cardToken, card {holderName, holderDocument, number, securityCode, expiration, brand, installments, skipThreeDs}, browser {acceptHeader, language, javaEnabled, colorDepth, screenHeight, screenWidth, timezoneOffset, userAgent}, bankSlug}.",
      "The answer has those of id, externalId, status, qrcodeImageUrl, qrcodeImageBase64, qrcodeData, qrcodeExpiresAt, deeplink, universalUrl, threeDs {challengeUrl, accessToken, status}, checkoutUrl, token, fees {fixed, variable, additional}, errorMessage, finalAmount, description and bankAccount {clabe, beneficiary, bankCode} that fit the payment method.",
    ].join(" "),
    leavesOpen: "Names of the request fields and of the response fields: not shown.",
    because:
      "The three groups are those of the interface, and the names follow its meanings in the style of its other fields.",
  }),
  "order.required-fields": statement("refusal", {
    says: "An order requires externalId, paymentMethod and amount (not in v3 for PIX), and a customer with name and document, except as order.optional-customer says. A CREDIT_CARD order requires paymentDetails, and raw card data its holderName, number, securityCode and expiration. Everything else is optional.",
    leavesOpen: "Which request fields are required other than those marked above: not shown.",
    because: "Without these the payer or the amount is missing, or the order cannot be found again.",
  }),
  "order.event-address": statement("only", {
    says: "The events of an order go to its notificationUrl, or to the company's webhook URL if the order has no notificationUrl. If neither is set, no event is sent.",
    leavesOpen: "the notification URL for orders: where the events of an order without one go is not shown.",
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
    because: "They are the statuses that the child transactions of a payout are given.",
  }),
  "order.events": choice(["all", "paid"], {
    says: "ORDER-PAYIN.PAID, .PARTIALLY_PAID, .EXPIRED, .CANCELED and .ERROR, of the type PAY-IN, contain id, code, event, status, type, paidAt, updatedAt, endToEndId, message, description, amount and payer, and subscription and scheduledPayment if they apply. Missing values are left out: a description that was not sent, a payer before one is known, the open amount of an order that was not paid. With paid only .PAID and .PARTIALLY_PAID are sent, and no event reports an order that ends unpaid.",
    leavesOpen: "Names and bodies of pay-in paid events: not shown.",
    because: "They have the form of the payout event and the prefix of the refund event.",
  }),
  "order.optional-customer": statement("refusal", {
    says: "Only a PIX order whose order.partner is PIX_PARTNER may leave the customer out.",
    leavesOpen:
      "The customer is optional only for PIX orders processed by the PIX_PARTNER processing variant: what chooses the variant is not shown.",
    because: "The financial partner of the order is the only field that can choose it.",
  }),
  "order.bank-slug": statement("refusal", {
    says: "bankSlug may be in order or in paymentDetails; two different values are INVALID_REQUEST. Only DEPOSIT reads it.",
    leavesOpen:
      "The bank identifier is listed among the order details and among the special payment details.",
    because: "Both places are shown, and neither is wrong.",
  }),
  "order.expiry": statement(["order.boleto-expiry", "order.boleto-grace", "order.default-expiry"], {
    says: "A PIX order expires with its QR code, a BOLETO at the end of its due date, P3D after its creation (its barcode and payment line are on the checkoutUrl page), the others after P1D.",
    leavesOpen: "PIX QR code expiry: default 86400 seconds; of the other payment methods no expiry is shown.",
    because: "A bank slip takes days to be paid, and the interface gives a day to PIX.",
  }),
  "order.boleto-expiry": duration("P3D", {
    says: "A BOLETO is due on the date, in Brasília, that is this long after its creation. It can be paid during the whole of that day, and on a weekend or a national bank holiday until the end of the next business day; then it is EXPIRED.",
    leavesOpen: "PIX QR code expiry: default 86400 seconds; of the other payment methods no expiry is shown.",
    because:
      "A bank slip is commonly due some days after its creation, and banks take it until the end of its day.",
  }),
  "order.boleto-grace": duration("PT0S", {
    alternatives: ["P1D", "P59D"],
    says: "A BOLETO can be paid for this long after its due date as well, until the end of the last day, and on a weekend or a national bank holiday until the end of the next business day. Interest and fines are not added.",
    leavesOpen: "PIX QR code expiry: default 86400 seconds; of the other payment methods no expiry is shown.",
    because:
      "A registered slip can be paid at any bank after its due date, unless its issuer says otherwise. Only vendors document how long: 59 days is a common default of theirs (P59D). By default an order ends with its due date, as every other one does with its expiry.",
  }),
  "order.boleto-confirmation": choice(["next-business-day", "same-day", "immediate"], {
    says: "A BOLETO that was paid is PENDING until its bank confirms it at 07:00 of the next business day of banks; then it is PAID and the event is sent. With same-day, a slip paid before 13:30 on a business day is confirmed at 18:00 that day. All others are confirmed as before. With immediate it is PAID at once.",
    leavesOpen: "BOLETO (bank slip): when the order is PAID after its payer has paid is not shown.",
    because:
      "Banks settle bank slips on the business day after the payment. Since March 2024 slips paid by 13:30 may be settled on the same day, if the receiver's contract with its bank says so. The hour of the confirmation is an invention of the sandbox.",
  }),
  "order.partial-payment": choice(["as-sent", "never"], {
    says: "A PIX QR code with an amount is paid in full, and a first charge too; every other order can be paid in parts, and is PARTIALLY_PAID until all is paid. With never a BOLETO is paid in full as well.",
    leavesOpen:
      "The full set of order statuses and the transitions: not shown, nor which orders can be paid in parts.",
    because:
      "The payer's institution sends the amount of a PIX code as it is; a transfer or a till takes any amount. A bank slip takes parts only if it was registered so, and the request has no field for that. Vendors say that their slips are not registered so. As sent shows a partner more of the possible cases.",
  }),
  "order.default-expiry": period("P1D", {
    says: "An order that is neither PIX nor BOLETO can be paid for this long.",
    leavesOpen: "PIX QR code expiry: default 86400 seconds; of the other payment methods no expiry is shown.",
    because: "The interface gives the same time to PIX.",
  }),
  "order.open-amount": amount("25.00", {
    says: "If a plan or the autopilot lets a payer pay an order with an open amount, the payer chooses this amount, in BRL; the act order.pay has to name one.",
    leavesOpen: "when omitted the QR code has an open amount chosen by the payer.",
    because: "The payer's choice cannot be known, and a plan names no amounts.",
  }),
  "order.late-payment": choice(["refuse", "accept", "return"], {
    says: "An order that is EXPIRED or CANCELED can no longer be paid. With accept it can, in full: it becomes PAID, and its event is sent; with return it is PAID as well, and at once REFUNDED, by a refund that no call requested. Cards and first charges are never paid late.",
    leavesOpen:
      "The full set of order statuses and the transitions: not shown, nor what a payment does that comes after the order has ended.",
    because:
      "The platform cannot stop a transfer or a slip that was paid at the last moment. Vendors document for their own platforms that such money is kept, or sent back; no rule decides it, so by default it does not occur.",
  }),
  "order.overpayment": choice(["refuse", "accept", "return-difference"], {
    says: "No order takes more than is due. With accept it does: finalAmount and the event show the whole payment, and all of it can be refunded. With return-difference the order stays PAID, and the surplus goes back at once by a refund that no call requested. A second payment of an order that is PAID is too much as a whole, and sends another ORDER-PAYIN.PAID. A PIX QR code with an amount is paid with that amount, though it may be paid twice; cards and the orders of subscriptions are paid once.",
    leavesOpen: "amount {currency, value}: what happens when another amount is paid is not shown.",
    because:
      "Payers type amounts and pay twice if the method lets them. Only vendors document the treatment of the difference, each for its own platform.",
  }),
  "order.declined": statement("states", {
    says: "An order whose payer or card issuer declines is ERROR, with the reason in the message of its event. An order in ANALYSIS, or PARTIALLY_PAID, does not expire.",
    leavesOpen: "The full set of order statuses and the transitions: not shown.",
    because: "No other status means that a payment was tried and failed.",
  }),
  "order.account": statement("only", {
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
  "order.fees": statement(["order.fee-fixed", "order.fee-variable", "order.fee-additional"], {
    says: "The payer bears the fees: finalAmount is the amount and the fees, the account is credited with the amount. A partial payment counts towards the amount first. An order with an open amount has no fees.",
    leavesOpen:
      "fees {fixed, variable, additional}; final value the customer pays including fees: no fee is shown.",
    because: "The fees of a company are agreed between it and the platform; zero is the simplest default.",
  }),
  "order.fee-fixed": count(0, [0, 100_000_000], {
    says: "The fixed fee of an order, in centavos.",
    leavesOpen: "fees {fixed, variable, additional}: no fee is shown.",
    because: "Zero is the simplest default.",
  }),
  "order.fee-variable": count(0, [0, 10_000], {
    says: "The fee of an order that grows with its amount, in hundredths of a percent.",
    leavesOpen: "fees {fixed, variable, additional}: no fee is shown.",
    because: "Zero is the simplest default.",
  }),
  "order.fee-additional": count(0, [0, 100_000_000], {
    says: "Any other fee of an order, in centavos.",
    leavesOpen: "fees {fixed, variable, additional}: no fee is shown.",
    because: "Zero is the simplest default.",
  }),
  "order.installments": statement("refusal", {
    says: "Only CREDIT_CARD takes more than one installment; order.installments and paymentDetails.card.installments must not differ.",
    leavesOpen:
      "installments is listed among the order details and in the card data: which methods take it is not shown.",
    because: "No other method is paid in agreed parts.",
  }),
  "order.three-ds": statement("byHand", {
    says: "skipThreeDs true skips the 3-D Secure challenge, false requests it. If it is absent, the card decides: each test card defines it, any other card has no challenge. A threeDsToken means that a challenge was passed. threeDs.status is SKIPPED, FRICTIONLESS, AUTHENTICATED, CHALLENGE or FAILED. Once the challenge is passed the issuer answers at once; for a card without a challenge the issuer answers after the payer's delay. A card that is not a test card is paid once its challenge is passed; without a challenge it needs manual action. The reason why a card is declined mentions the challenge only if a challenge was passed. A challenge waits for its customer in every mode of the autopilot.",
    leavesOpen: "Card 3DS behaviour is controlled by the skip flag of the card data: how is not shown.",
    because: "The flag decides if it is sent; otherwise the card does, as in production.",
  }),
  "order.card-data": statement("refusal", {
    says: "A CREDIT_CARD order has one of paymentDetails.card and paymentDetails.cardToken, or a threeDsToken alone. The number's check digit and the expiration are checked; the brand is not.",
    leavesOpen: "Which request fields are required other than those marked above: not shown.",
    because:
      "Each of the three identifies a card; raw data and a stored card exclude each other by their descriptions.",
  }),
  "order.response-groups": statement("form", {
    says: "PIX answers with the QR code, EXCHANGE_PAY with deeplink and universalUrl, CREDIT_CARD with threeDs, SPEI with bankAccount, the others with checkoutUrl and token; all with fees, finalAmount (not while the amount is open) and description. The deeplink is an http address of the sandbox, so that it opens here.",
    leavesOpen:
      "Response groups (by meaning): which of them belong to which payment method is not all shown.",
    because: "Each group names the method it is for, or can serve only one.",
  }),
  "order.v3": statement("form", {
    says: "PUT /order/v3/transparent is as v2, and for PIX the amount is optional.",
    leavesOpen:
      "The transparent order request refers to a V3 in which the amount is optional for PIX: its path is not shown.",
    because: "The version is part of the path, and no other difference is mentioned.",
  }),
  "order.deposit-banks": statement("form", {
    says: "GET /v1/orders/deposit/banks gives a list of {slug, name, ispb, code, default}.",
    leavesOpen:
      "GET /v1/orders/deposit/banks (available deposit banks): request and response shapes of these: not shown.",
    because: "An order names the slug, and a payer needs the rest to find the bank.",
  }),
} as const;
