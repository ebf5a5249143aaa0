import { choice, duration, period, statement } from "./assumption.ts";

export const refundAssumptions = {
  "refund.window": period("P90D", {
    says: "An order can be refunded for this long after its payment, in several parts, up to the amount paid in total; a refund that ends REJECTED or ERROR frees its amount again.",
    leavesOpen: "amount (string, decimal): until when and how often an order can be refunded is not shown.",
    because: "PIX takes returns for ninety days from the settlement, up to the amount of the payment.",
  }),
  "refund.delay": duration("PT5S", {
    says: "A refund is INITIAL for this long before its outcome.",
    leavesOpen: "The outcome of the refund is notified by the pay-in refund webhook: when is not shown.",
    because: "A return settles within seconds, but never within the answer that creates it.",
  }),
  "refund.error-bodies": statement("form", {
    says: "A refused refund answers 400, 401 or 500 with an array of sentences.",
    leavesOpen:
      "invalid request, unauthorized, internal; each body is an array of strings: what the strings say is not shown.",
    because: "A sentence for each problem is the minimum that a person can act on.",
  }),
  "refund.end-to-end-id": statement("scheme", {
    says: "The endToEndId of a refund begins with D, the institution's ISPB and the UTC minute, 32 characters in all, and is known from the request on. For an order that was not paid by PIX only the answer contains one, because the field is required there; its events have null.",
    leavesOpen: "endToEndId (string), of the refund: its form is not shown.",
    because: "PIX marks a return with D and a payment with E.",
  }),
  "refund.requester-email": statement("refusal", {
    says: "The email of requestedBy is text in the form of an e-mail address, at most 254 characters.",
    leavesOpen: "Email of the requester: its type and format are not shown.",
    because: "It is the form that every other e-mail address of the interface has.",
  }),
  "refund.refundable-orders": statement("states", {
    says: "PAID, PARTIALLY_PAID and PARTIAL_REFUNDED orders can be refunded, up to the paid amount, without the fees. Once a refund is REFUNDED its order is PARTIAL_REFUNDED, or REFUNDED when the whole payment went back. A refund cannot be refunded.",
    leavesOpen: "The full set of order statuses and the transitions: not shown.",
    because: "Only money that arrived can go back, and the two statuses say how much of it did.",
  }),
  "refund.orders-of-mexico": statement("refusal", {
    says: "An order of Mexico is paid by a method of Mexico, in MXN; of any other order the reason is free text of 1 to 500 characters.",
    leavesOpen:
      "For orders of Mexico, reason must be one of four: what makes an order one of Mexico is not shown.",
    because: "Every payment method of Mexico is in MXN, and no method of Brazil is.",
  }),
  "refund.insufficient-balance": choice(["accept-then-reject", "refuse"], {
    says: "The money is reserved when the refund is requested. If the account's balance is too low or the account is not ACTIVE, the refund is INITIAL as well and ends REJECTED, with the reason in message; it can be requested again. With refuse such a request is 400.",
    leavesOpen: "Refund, transitions: not shown, nor where the money of a refund comes from.",
    because:
      "Money that is on its way cannot be spent twice, and no error of the interface is about a balance.",
  }),
  "refund.unrequested": statement("byHand", {
    says: "An institution may take money of a paid order back that no call refunded: ORDER-PAYIN.REFUNDED then has a refundId that no answer had. It takes the whole or a part, several times up to what is left, at once, and at most the balance of the account. Before that the payment may be disputed: the disputed amount is not available, and while the dispute is open a refund that is requested is INITIAL and ends REJECTED.",
    leavesOpen:
      "refundId: returned when the refund was requested. Refunds that were not requested are not mentioned.",
    because:
      "PIX lets the payer's institution ask for money back after a fraud or an error, and the receiver's institution blocks it until that is decided; cards have their own form of it. The interface has no other event that could report it.",
  }),
  "refund.event-fields": choice(["empty", "sentence"], {
    says: "The message of ORDER-PAYIN.REFUNDED is empty text, with sentence it is a sentence, and refundedAt is null unless the money went back. The event goes to the URL of its order's events, and its reference id is the order's.",
    leavesOpen:
      "message: filled when the refund fails; what it says otherwise, and the URL of the event, are not shown.",
    because: "The field is required, and the event is one about a pay-in order.",
  }),
} as const;
