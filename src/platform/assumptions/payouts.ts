import { amount, choice, duration, statement, time } from "./assumption.ts";

const TRANSITIONS_NOT_SHOWN = "Transitions between payout statuses: not shown.";
const FORBIDDEN_NOT_SHOWN =
  "Payout creation: bad request, forbidden and internal errors; what is forbidden is not shown.";
const BATCH_NOT_SHOWN = "Size threshold at which a payout is split into a batch: not shown.";

export const payoutAssumptions = {
  "payout.settlement-delay": statement({
    says: "A PIX payout settles PT2S after it became PENDING. A TED does so from 06:30 to before 17:00 of a bank business day, where national bank holidays count; else it waits for the next window.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because:
      "PIX settles within seconds at any hour; a TED needs the settlement system of the banks to be open.",
    parts: ["payout.pix-delay", "payout.ted-delay", "payout.ted-opens", "payout.ted-closes"],
  }),
  "payout.pix-delay": duration("PT2S", {
    says: "A PIX payout settles this long after it became PENDING.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "A PIX commonly takes a second or two.",
  }),
  "payout.ted-delay": duration("PT2S", {
    says: "A TED payout settles this long after it became PENDING, or after the window opened.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "Within the window it is the hours that matter, not the seconds.",
  }),
  "payout.ted-opens": time("06:30", {
    says: "From this time of a bank business day a TED settles.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "It is when the settlement system of the banks opens to their customers.",
  }),
  "payout.ted-closes": time("17:00", {
    says: "Before this time of a bank business day a TED settles; at it, it waits for the next one.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "It is when the settlement system of the banks closes to their customers.",
  }),
  "payout.balance": statement({
    says: "The amount is reserved as the payout is created and returned on ERROR and CANCELED, child by child.",
    leavesOpen: "balance: available balance; when a payout lowers it is not shown.",
    because: "Else two payouts could spend the same money while both are PENDING.",
  }),
  "payout.insufficient-balance": statement({
    says: "A payout above the available balance is 400 INVALID_REQUEST, field amount.value, issue INSUFFICIENT_BALANCE.",
    leavesOpen:
      "Payout creation: bad request, forbidden and internal errors; the answer to a balance that is too low is not shown.",
    because: "The caller can mend it by asking for less.",
  }),
  "payout.inactive-account": statement({
    says: "A payer account that is not ACTIVE gives 403 FORBIDDEN_ERROR.",
    leavesOpen: FORBIDDEN_NOT_SHOWN,
    because: "The request is well formed and the account is the caller's own; it may only not pay.",
  }),
  "payout.foreign-account": statement({
    says: "Another company's account, or an unknown one, gives 403 FORBIDDEN_ERROR.",
    leavesOpen: FORBIDDEN_NOT_SHOWN,
    because:
      "The endpoint has no NOT_FOUND, and an answer of its own for a foreign account would give away that it exists.",
  }),
  "payout.ted-end-to-end-id": statement({
    says: "The answer to a TED carries a synthetic endToEndId; its events say null and, once settled, the controlNumber.",
    leavesOpen: "endToEndId: required in the answer, described as the PIX end-to-end id.",
    because: "A required field cannot be left out, and a TED has no end-to-end id to tell.",
  }),
  "payout.unusable-qrcode": statement({
    says: "A QR code that is broken, has a wrong CRC or carries no payment (journey 2) is 400 INVALID_REQUEST, and so is a malformed PIX key.",
    leavesOpen:
      "STATIC or DYNAMIC QR code initiation, determined automatically: what happens when it cannot be determined is not shown.",
    because: "The code can be read without asking anyone, so the caller can be told at once.",
  }),
  "payout.batch-threshold": amount("15000.00", {
    says: "A payout above this amount becomes a batch of children of this amount and a remainder; the keys of the later children end in -2, -3 and so on, the batch key being cut where 64 characters would not hold both.",
    leavesOpen: BATCH_NOT_SHOWN,
    because:
      "It is the cap on a single PIX or TED that has been in force since September 2025 for some institutions, and the likely reason for splitting.",
  }),
  "payout.parent-status": statement({
    says: "A batch is PAID when every child is PAID, CANCELED when every child is CANCELED, and ERROR for any other mix once all are final. The sequence of the children counts from 1.",
    leavesOpen: "Transitions between payout statuses: not shown; sequence: position in the batch.",
    because: "PAID must never be said of money that did not arrive in full.",
  }),
  "payout.receiver-mismatch": choice("accept-then-error", {
    choices: ["accept-then-error", "reject"],
    says: "A payout whose receiver is not the owner of the key or the QR code is accepted and then ends in ERROR with an errorMessage; reject answers 400 INVALID_REQUEST.",
    leavesOpen: "Outcome when the receiver document differs from the key or QR code owner: not shown.",
    because:
      "The receiver's institution is the one that compares, and it answers after the payout was accepted.",
  }),
  "payout.unknown-key": choice("accept-then-error", {
    choices: ["accept-then-error", "reject"],
    says: "A payout to a PIX key that the directory does not have is accepted and then ends in ERROR with an errorMessage; reject answers 400 INVALID_REQUEST.",
    leavesOpen:
      "receiver: resolved from the key or the decoded QR code; what happens to an unknown key is not shown.",
    because:
      "The directory is asked after the payout was accepted, and the caller learns it as it learns every other outcome.",
  }),
  "payout.webhook-url": statement({
    says: "The events of a payout go to the company's webhook URL.",
    leavesOpen:
      "the subscription webhookUrl for subscription events, the notification URL for orders: none is named for payouts.",
    because: "The request has no URL of its own.",
  }),
  "payout.bank-identifier": statement({
    says: "A bankAccount with both ispb and bankNumber, with neither, or with a number that no bank has, is 400 INVALID_REQUEST.",
    leavesOpen:
      "In bankAccount provide either ispb or bankNumber: the answer to both, and to an unknown one, is not shown.",
    because: "Two identifiers could name two banks, and money must not be sent on a guess.",
  }),
  "payout.control-number": statement({
    says: "The controlNumber of a TED is STR, the date and nine digits: 20 characters.",
    leavesOpen: "controlNumber: TED control number; its form is not shown.",
    because: "It is the usual form of a control number of that settlement system.",
  }),
} as const;
