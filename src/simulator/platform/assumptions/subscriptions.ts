import { choice, flag, period, statement } from "./assumption.ts";

export const subscriptionAssumptions = {
  "subscription.required-fields": statement("refusal", {
    says: "accountId, type, frequencyType, startDate, debtor, webhookUrl and externalId are required, and initialCharge for journey 3.",
    leavesOpen: "The required fields other than initialCharge: not shown.",
    because: "The Subscription resource marks these as required, and only the caller can know them.",
  }),
  "subscription.currency": statement("scheme", {
    says: "Every amount of a subscription is in BRL. Another currency is INVALID_REQUEST.",
    leavesOpen: "currency (string, currency code): which of them a subscription takes is not shown.",
    because: "A subscription is paid by PIX, and PIX moves reais only.",
  }),
  "subscription.external-id-unique": flag(true, {
    says: "A company can use an externalId for only one subscription. A second subscription with it is INVALID_REQUEST.",
    leavesOpen: "externalId: unique code of the subscription QR code on the caller's system.",
    because: "The code is unique in the caller's system, so a repeated code is a double submission.",
  }),
  "subscription.both-amounts": statement("refusal", {
    says: "A request with both fixedAmount and maxAmountFloor is 400 INVALID_REQUEST with a detail for each of the two, issue MUTUALLY_EXCLUSIVE.",
    leavesOpen: "The error returned for a request carrying both fixedAmount and maxAmountFloor: not shown.",
    because: "Either field could be the one sent by mistake, so both are named.",
  }),
  "subscription.inactive-account": choice(["forbidden", "invalid"], {
    says: "A receiver account that is not ACTIVE gives 403 FORBIDDEN_ERROR. With invalid it gives 400 INVALID_REQUEST, field accountId.",
    leavesOpen: "FORBIDDEN_ERROR is listed for the creation of a subscription: its cause is not shown.",
    because:
      "The request is well formed and the account belongs to the caller, but the account cannot receive subscriptions.",
  }),
  "subscription.initial-charge-on-journey-2": choice(["refuse", "ignore"], {
    says: "An initialCharge with AUTHORIZATION_QRCODE is 400 INVALID_REQUEST, issue NOT_ALLOWED. A payer is ignored in this journey. With ignore the initialCharge is ignored as well, and no money is collected.",
    leavesOpen:
      "payer: optional; used only by journey 3. For initialCharge only the journey that requires it is shown.",
    because: "A caller that sends a first charge expects money, which journey 2 would never collect.",
  }),
  "subscription.first-charge-expiry": period("P1D", {
    says: "The QR code of a first charge can be paid for this time (initialCharge.expireDateTime). Then its order is EXPIRED and the subscription stays PENDING_AUTHORIZATION.",
    leavesOpen: "expireDateTime (string, ISO datetime, required): how far ahead is not shown.",
    because: "A day is the expiry of every other dynamic QR code of the platform API.",
  }),
  "subscription.first-charge-after-the-end": statement("money", {
    says: "If a subscription of journey 3 is rejected, fails or is canceled while its first charge is unpaid, the order of that charge is CANCELED.",
    leavesOpen:
      "reading the QR code settles the first charge: the end of an unpaid first charge is not shown.",
    because: "The single QR code does both. It must not take money for a recurrence that cannot begin.",
  }),
  "subscription.journey-3-payer": statement("only", {
    says: "A payer in the request is the payer who accepts.",
    leavesOpen: "payer: optional; used only by journey 3. Its use is not shown.",
    because: "A payer who is known in advance can only be the expected one.",
  }),
  "subscription.paid-and-refused": statement("byHand", {
    says: "The payment of the first charge of journey 3 accepts its subscription. If the authorization is refused or fails, the order is PAID, the subscription is REJECTED or ERROR, and the money can be refunded. The field authorization of the act order.pay decides the authorization. The plan subscription.authorization decides it after the payment, and does not pay.",
    leavesOpen:
      "reading the QR code settles the first charge and requests the authorization: the case of only one of the two is not shown.",
    because: "The payment settles first, and the payer's institution answers to the authorization after it.",
  }),
  "subscription.first-charge-unpaid": choice(["keep", "reject"], {
    says: "If a first charge is declined, fails, expires or is canceled, its subscription stays PENDING_AUTHORIZATION (subscription.first-charge-fails). With reject the subscription becomes REJECTED at that moment, and its event follows the event of the order.",
    leavesOpen:
      "reading the QR code settles the first charge: the subscription after a failed payment is not shown.",
    because:
      "In the scheme one QR code has both the payment and the authorization. After a failed payment the authorization has no effect. Only some vendors document if this is reported as a rejection.",
  }),
  "subscription.first-charge-fails": statement("states", {
    says: "If a first charge is declined, fails or expires, its subscription stays PENDING_AUTHORIZATION, unless subscription.first-charge-unpaid is set. The subscription can then be rejected, fail or be canceled, but it can no longer be accepted.",
    leavesOpen:
      "reading the QR code settles the first charge: the subscription after a failed payment is not shown.",
    because: "The authorization is undecided, and its only QR code can no longer be paid.",
  }),
  "subscription.registration": statement("byHand", {
    says: "With the outcome ERROR of the plan subscription.registration, the financial provider fails during the creation of the next subscription. The answer is 201 with the status ERROR, and its initialCharge has no orderId.",
    leavesOpen:
      "orderId is absent when the subscription failed before the order was created: when it fails is not shown.",
    because:
      "A receiver should read such a subscription in a test before the first one appears in production.",
  }),
  "subscription.transitions": statement("scheme", {
    says: "INITIAL becomes PENDING_AUTHORIZATION or ERROR. PENDING_AUTHORIZATION becomes ACCEPTED, REJECTED, CANCELED or ERROR. ACCEPTED becomes CANCELED. All other states are final.",
    leavesOpen: "All other subscription transitions: not shown.",
    because:
      "These are the transitions of a PIX Automático recurrence, in the words of the platform API. A rejection is an answer of the payer's institution. The platform API has no field for its reason (the scheme's codes AP13, AP14 and, since API Pix 2.10.0, AP15). A payer who reads the QR code and leaves sends nothing.",
  }),
  "subscription.after-end-date": choice(["refuse", "accept"], {
    says: "After its endDate a subscription keeps its status and refuses new charges. With accept it takes charges with a later due date.",
    leavesOpen: "endDate: the behaviour after this day is not shown.",
    because: "A recurrence expires in the scheme, but the platform API has no status for it.",
  }),
  "subscription.events": choice(["sent", "none"], {
    says: "SUBSCRIPTION.ACCEPTED, SUBSCRIPTION.REJECTED and SUBSCRIPTION.ERROR contain {event, occurredAt, data}; data is the subscription. With `none` only events of cancellations are sent, and a partner must read the subscription.",
    leavesOpen: "Names and bodies of subscription status events other than cancellation: not shown.",
    because:
      "They have the form of the cancellation events. Each status that is decided outside the platform has one event.",
  }),
  "subscription.cancellable-in": statement("scheme", {
    says: "PENDING_AUTHORIZATION and ACCEPTED allow cancellation. Open charges are then canceled with AUTHORIZATION_CANCELED. A charge that is due on the same day still runs.",
    leavesOpen: "a state that allows cancellation: which states these are is not shown.",
    because: "These states are not final. The scheme does not stop the charge of the day.",
  }),
  "subscription.end-before-start": statement("refusal", {
    says: "An endDate before the startDate is INVALID_REQUEST on the field endDate.",
    leavesOpen: "endDate: string YYYY-MM-DD; its relation to startDate is not shown.",
    because: "A recurrence that ends before it begins could never be charged, and the scheme refuses it.",
  }),
  "subscription.identifiers": statement("opaque", {
    says: "providerId has 29 characters: RR if charges after the due date are allowed, otherwise RN, the institution's ISPB, the date and 11 letters or digits. conciliationId is a txid of 32 hexadecimal digits.",
    leavesOpen:
      "providerId: identifier at the financial provider; conciliationId: identifies the immediate payment. Their forms are not shown.",
    because: "They are the identifiers of a recurrence and of a payment in the PIX scheme.",
  }),
} as const;
