import { duration, statement } from "./assumption.ts";

export const refundAssumptions = {
  "refund.window": duration("P90D", {
    says: "An order can be refunded for this long after its payment, in several parts, up to the amount paid in sum; a refund that ends REJECTED or ERROR frees its amount again.",
    leavesOpen: "amount (string, decimal): until when and how often an order can be refunded is not shown.",
    because: "PIX takes returns for ninety days from the settlement, up to the amount of the payment.",
  }),
  "refund.delay": duration("PT5S", {
    says: "A refund is INITIAL for this long before its outcome.",
    leavesOpen: "The outcome of the refund is notified by the pay-in refund webhook: when is not shown.",
    because: "A return settles within seconds, and yet never within the answer that created it.",
  }),
  "refund.error-bodies": statement({
    says: "A refused refund answers 400, 401 or 500 with an array of sentences.",
    leavesOpen:
      "invalid request, unauthorized, internal; each body is an array of strings: what the strings say is not shown.",
    because: "A sentence for each problem is the least that a person can act on.",
  }),
  "refund.end-to-end-id": statement({
    says: "The endToEndId of a refund begins with D, the institution's ISPB and the UTC minute, 32 characters in all, and is known from the request on. For an order that was not paid by PIX the answer alone carries one, because the field is required there; its events say null.",
    leavesOpen: "endToEndId (string), of the refund: its form is not shown.",
    because: "PIX marks a return with D where a payment has E.",
  }),
  "refund.requester-email": statement({
    says: "The email of requestedBy is text in the form of an e-mail address, at most 254 characters.",
    leavesOpen: "Email of the requester: its type and format are not shown.",
    because: "It is the form that every other e-mail address of the interface has.",
  }),
  "refund.refundable-orders": statement({
    says: "PAID, PARTIALLY_PAID and PARTIAL_REFUNDED orders can be refunded, up to what was paid, the fees aside. Once a refund is REFUNDED its order is PARTIAL_REFUNDED, or REFUNDED when all that was paid went back. A refund cannot be refunded.",
    leavesOpen: "The full set of order statuses and the transitions: not shown.",
    because: "Only money that arrived can go back, and the two statuses say how much of it did.",
  }),
  "refund.orders-of-mexico": statement({
    says: "An order of Mexico is one that is paid by a method of Mexico, in MXN; of any other order the reason is free text of 1 to 500 characters.",
    leavesOpen:
      "For orders of Mexico, reason must be one of four: what makes an order one of Mexico is not shown.",
    because: "Every payment method of Mexico is in MXN and none of Brazil is.",
  }),
  "refund.insufficient-balance": statement({
    says: "The money is set aside when the refund is asked for. Where the account's balance does not suffice or the account is not ACTIVE, the refund is INITIAL all the same and ends REJECTED, with the reason in message; it can be asked for again.",
    leavesOpen: "Refund, transitions: not shown, nor where the money of a refund comes from.",
    because:
      "Money that is on its way cannot be spent twice, and of the errors of the interface none is about a balance.",
  }),
  "refund.event-fields": statement({
    says: "The message of ORDER-PAYIN.REFUNDED is empty text, and refundedAt is null unless the money went back. The event goes where the events of its order go, and its reference id is the order's.",
    leavesOpen:
      "message: filled when the refund fails; what it says otherwise, and the URL of the event, are not shown.",
    because: "The field is required, and the event is one about a pay-in order.",
  }),
} as const;
