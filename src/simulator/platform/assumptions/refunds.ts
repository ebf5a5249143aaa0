import { choice, duration, period, statement } from "./assumption.ts";

export const refundAssumptions = {
  // It also says how often an order can be refunded: the number of refunds has no limit.
  "refund.window": period("P90D", {
    says: "An order can be refunded for this time after its payment, in several parts, up to the paid amount. If a refund ends REJECTED or ERROR, its amount can be refunded again.",
    leavesOpen:
      "amount (string, decimal): the time limit and the number of refunds of an order are not shown.",
    because: "PIX allows returns for ninety days after the settlement, up to the amount of the payment.",
  }),
  "refund.delay": duration("PT5S", {
    says: "A refund is INITIAL for this time before its outcome.",
    leavesOpen: "The outcome of the refund is notified by the pay-in refund webhook: when is not shown.",
    because: "A return settles within seconds, but always after the answer to its request.",
  }),
  "refund.error-bodies": statement("form", {
    says: "A refused refund answers 400, 401 or 500 with an array of sentences.",
    leavesOpen:
      "invalid request, unauthorized, internal; each body is an array of strings: the content of the strings is not shown.",
    because: "A person needs at least one sentence for each problem.",
  }),
  "refund.end-to-end-id": statement("scheme", {
    says: "The endToEndId of a refund has 32 characters. It begins with D, the institution's ISPB and the UTC minute, and is known from the request on. For an order of another method than PIX only the answer contains an endToEndId, because the field is required there. Its events have null.",
    leavesOpen: "endToEndId (string), of the refund: its form is not shown.",
    because: "PIX marks a return with D and a payment with E.",
  }),
  "refund.requester-email": statement("refusal", {
    says: "The email of requestedBy is text in the form of an e-mail address, at most 254 characters.",
    leavesOpen: "Email of the requester: its type and format are not shown.",
    because: "Every other e-mail address of the platform API has this form.",
  }),
  "refund.refundable-orders": statement("states", {
    says: "PAID, PARTIALLY_PAID and PARTIAL_REFUNDED orders can be refunded, up to the paid amount, without the fees. After a refund is REFUNDED, its order is PARTIAL_REFUNDED, or REFUNDED if the whole payment went back. A refund cannot be refunded.",
    leavesOpen: "The full set of order statuses and the transitions: not shown.",
    because: "Only received money can go back, and the two statuses show if all of it went back.",
  }),
  "refund.orders-of-mexico": statement("refusal", {
    says: "An order of Mexico has a payment method of Mexico, in MXN. For any other order the reason is free text of 1 to 500 characters.",
    leavesOpen:
      "For orders of Mexico, reason must be one of four: the rule for orders of Mexico is not shown.",
    because: "Every payment method of Mexico is in MXN, and every method of Brazil is in BRL.",
  }),
  "refund.insufficient-balance": choice(["accept-then-reject", "refuse"], {
    says: "The money is reserved when the refund is requested. If the account's balance is too low or the account is not ACTIVE, the refund is also INITIAL and then REJECTED, with the reason in message. It can be requested again. With refuse such a request is 400.",
    leavesOpen: "Refund, transitions: not shown. The source of the money of a refund: not shown.",
    because: "Reserved money cannot be spent twice, and the platform API has no error for a balance.",
  }),
  "refund.unrequested": statement("byHand", {
    says: "An institution can take money of a paid order back without a refund request. Then ORDER-PAYIN.REFUNDED has a refundId that no answer had. The institution takes the whole amount or a part, also several times, and at most the balance of the account. Before that the payment can be disputed. The disputed amount is not available. During the dispute a requested refund is INITIAL and ends REJECTED.",
    leavesOpen:
      "refundId: returned when the refund was requested. Refunds without a request are not mentioned.",
    because:
      "In PIX the payer's institution can demand money back after a fraud or an error. The receiver's institution blocks the money until the decision. Cards have a similar procedure. The platform API has no other event for it.",
  }),
  "refund.event-fields": choice(["empty", "sentence"], {
    says: "The message of ORDER-PAYIN.REFUNDED is empty. With sentence it is a sentence. refundedAt is null unless the money went back. The event goes to the URL of the order's events, and its reference id is the id of the order.",
    leavesOpen:
      "message: filled when the refund fails; its content in other cases, and the URL of the event, are not shown.",
    because: "The field is required, and the event is about a pay-in order.",
  }),
} as const;
