import { choice, flag, period, statement } from "./assumption.ts";

export const subscriptionAssumptions = {
  "subscription.required-fields": statement("refusal", {
    says: "accountId, type, frequencyType, startDate, debtor, webhookUrl and externalId are required, and initialCharge for journey 3.",
    leavesOpen: "Which fields other than initialCharge are required: not shown.",
    because: "The Subscription resource marks these as required, and only the caller can know them.",
  }),
  "subscription.currency": statement("scheme", {
    says: "Every amount of a subscription is in BRL; another currency is INVALID_REQUEST.",
    leavesOpen: "currency (string, currency code): which of them a subscription takes is not shown.",
    because: "A subscription is paid by PIX, and PIX moves reais only.",
  }),
  "subscription.external-id-unique": flag(true, {
    says: "A company uses an externalId for one subscription only; a second one is INVALID_REQUEST.",
    leavesOpen: "externalId: unique code of the subscription QR code on the caller's system.",
    because: "A code that is unique on the caller's side and repeated here is a double submission.",
  }),
  "subscription.both-amounts": statement("refusal", {
    says: "A request with both fixedAmount and maxAmountFloor is 400 INVALID_REQUEST with a detail for each of the two, issue MUTUALLY_EXCLUSIVE.",
    leavesOpen: "The error returned for a request carrying both fixedAmount and maxAmountFloor: not shown.",
    because: "Either field could be the one sent by mistake, so both are named.",
  }),
  "subscription.inactive-account": choice(["forbidden", "invalid"], {
    says: "A receiver account that is not ACTIVE gives 403 FORBIDDEN_ERROR; with invalid it is 400 INVALID_REQUEST, field accountId.",
    leavesOpen: "FORBIDDEN_ERROR is listed for the creation of a subscription: its cause is not shown.",
    because: "The request is well formed and the account belongs to the caller, but it may not receive.",
  }),
  "subscription.initial-charge-on-journey-2": choice(["refuse", "ignore"], {
    says: "An initialCharge with AUTHORIZATION_QRCODE is 400 INVALID_REQUEST, issue NOT_ALLOWED; a payer is ignored there. With ignore the initialCharge is ignored as well, and no money is collected.",
    leavesOpen:
      "payer: optional; used only by journey 3. Of initialCharge only where it is required is shown.",
    because: "A caller that sends a first charge expects money, which journey 2 would never collect.",
  }),
  "subscription.first-charge-expiry": period("P1D", {
    says: "The QR code of a first charge can be paid for this long (initialCharge.expireDateTime); then its order is EXPIRED and the subscription stays PENDING_AUTHORIZATION.",
    leavesOpen: "expireDateTime (string, ISO datetime, required): how far ahead is not shown.",
    because: "A day is the expiry of every other dynamic QR code of the interface.",
  }),
  "subscription.first-charge-after-the-end": statement("money", {
    says: "When a subscription of journey 3 is rejected, fails or is canceled with its first charge unpaid, the order of that charge is CANCELED.",
    leavesOpen: "reading the QR code settles the first charge: what happens to an unpaid one is not shown.",
    because: "The one QR code does both, and must not take money for a recurrence that cannot begin.",
  }),
  "subscription.journey-3-payer": statement("only", {
    says: "A payer in the request is the payer who accepts.",
    leavesOpen: "payer: optional; used only by journey 3. Its use is not shown.",
    because: "A payer who is known in advance can only be the expected one.",
  }),
  "subscription.paid-and-refused": statement("byHand", {
    says: "Paying the first charge of journey 3 accepts its subscription, unless the authorization is refused or fails: then the order is PAID, the subscription REJECTED or ERROR, and the money can be refunded. The act order.pay has authorization for it; the plan subscription.authorization decides it once the charge is paid, and pays nothing itself.",
    leavesOpen:
      "reading the QR code settles the first charge and requests the authorization: what becomes of the one without the other is not shown.",
    because: "The payment settles first, and the payer's institution answers to the authorization after it.",
  }),
  "subscription.first-charge-unpaid": choice(["keep", "reject"], {
    says: "A first charge that is declined, fails, expires or is canceled leaves its subscription PENDING_AUTHORIZATION (subscription.first-charge-fails). With reject it becomes REJECTED at that moment, and its event follows that of the order.",
    leavesOpen:
      "reading the QR code settles the first charge: what becomes of the subscription when the payment fails is not shown.",
    because:
      "In the scheme the payment and the authorization are read at once, and an authorization whose payment failed has no effect. Only vendors document whether that is reported as a rejection, and not all of them.",
  }),
  "subscription.first-charge-fails": statement("states", {
    says: "A first charge that is declined, fails or expires leaves its subscription PENDING_AUTHORIZATION, unless subscription.first-charge-unpaid says otherwise; it can then be rejected, fail or be canceled, and no longer be accepted.",
    leavesOpen:
      "reading the QR code settles the first charge: what becomes of the subscription when the payment fails is not shown.",
    because: "The authorization has no answer, and its only QR code can no longer be paid.",
  }),
  "subscription.registration": statement("byHand", {
    says: "The plan subscription.registration with the outcome ERROR lets the financial provider fail while the next subscription is created: the answer is 201 with the status ERROR, and its initialCharge has no orderId.",
    leavesOpen:
      "orderId is absent when the subscription failed before the order was created: when it fails is not shown.",
    because: "A receiver has to read such a subscription once before it meets the first one in production.",
  }),
  "subscription.transitions": statement("scheme", {
    says: "INITIAL becomes PENDING_AUTHORIZATION or ERROR; PENDING_AUTHORIZATION becomes ACCEPTED, REJECTED, CANCELED or ERROR; ACCEPTED becomes CANCELED; the others are final.",
    leavesOpen: "All other subscription transitions: not shown.",
    because:
      "They are those of a PIX Automático recurrence, in the words of the interface. A rejection is an answer of the payer's institution, and names no reason here: the scheme's codes AP13, AP14 and, since API Pix 2.10.0, AP15 have no field. A payer who reads the QR code and walks away sends nothing.",
  }),
  "subscription.after-end-date": choice(["refuse", "accept"], {
    says: "After its endDate a subscription keeps its status and takes no new charge; with accept it takes charges that are due later.",
    leavesOpen: "endDate: what happens when it has passed is not shown.",
    because: "A recurrence expires in the scheme, but the interface has no status to say so.",
  }),
  "subscription.events": choice(["sent", "none"], {
    says: "SUBSCRIPTION.ACCEPTED, SUBSCRIPTION.REJECTED and SUBSCRIPTION.ERROR contain {event, occurredAt, data}; data is the subscription. With none they are not sent: only cancellations are, and a partner reads the subscription.",
    leavesOpen: "Names and bodies of subscription status events other than cancellation: not shown.",
    because:
      "They follow the form of the cancellation events, one for each status that is decided outside the platform.",
  }),
  "subscription.cancellable-in": statement("scheme", {
    says: "PENDING_AUTHORIZATION and ACCEPTED allow cancellation. Open charges are then canceled with AUTHORIZATION_CANCELED, except a charge that is due that same day, which still runs.",
    leavesOpen: "a state that allows cancellation: which states these are is not shown.",
    because: "These are the states that are not final; the scheme does not stop the charge of the day.",
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
