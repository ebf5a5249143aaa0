import { amount, choice, count, duration, flag, statement, time } from "./assumption.ts";

const TRANSITIONS_NOT_SHOWN = "Transitions between payout statuses: not shown.";
const FORBIDDEN_NOT_SHOWN =
  "Payout creation: bad request, forbidden and internal errors; what is forbidden is not shown.";
const BATCH_NOT_SHOWN = "Size threshold at which a payout is split into a batch: not shown.";

export const payoutAssumptions = {
  "payout.settlement-delay": statement(
    ["payout.pix-delay", "payout.ted-delay", "payout.ted-opens", "payout.ted-closes"],
    {
      says: "A PIX payout settles PT2S after it became PENDING. A TED does so from 06:30 until before 17:00 of a bank business day, which excludes national bank holidays; otherwise it waits for the next window.",
      leavesOpen: TRANSITIONS_NOT_SHOWN,
      because:
        "PIX settles within seconds at any hour; a TED needs the settlement system of the banks to be open.",
    },
  ),
  "payout.pix-delay": duration("PT2S", {
    says: "A PIX payout settles this long after it became PENDING.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "A PIX commonly takes a second or two.",
  }),
  "payout.ted-delay": duration("PT2S", {
    says: "A TED payout settles this long after it became PENDING, or after the window opened.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "Within the window the hours matter, not the seconds.",
  }),
  "payout.ted-opens": time("06:30", {
    says: "A TED sent before this time of a bank business day waits for it.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "It is when the settlement system of the banks opens to their customers.",
  }),
  "payout.ted-closes": time("17:00", {
    says: "A TED sent before this time of a bank business day settles on that day; one sent at it waits for the next.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "It is when the settlement system of the banks closes to their customers.",
  }),
  "payout.returns": choice(["none", "silent", "canceled-event", "error-event"], {
    says: "A payout that was paid does not come back. With another value the act payout.return lets the receiver's institution send a PIX or a TED back, whole or in part: the money is on the account again, /sandbox/resources shows REFUNDED or PARTIAL_REFUNDED, and its children do as well. With silent no event reports it, with canceled-event an ORDER-PAYOUT.CANCELED, with error-event an ORDER-PAYOUT.ERROR, whose message says how much came back. The id payout.ted-returns still works: true is the value silent, false is the value none.",
    leavesOpen:
      "ORDER-PAYOUT.PAID, ORDER-PAYOUT.CANCELED, ORDER-PAYOUT.ERROR: what reports a payout that came back after it was paid is not shown. REFUNDED, PARTIAL_REFUNDED: statuses of a child transaction; when it takes them is not shown.",
    because:
      "The receiver of a PIX may give it back, and a bank returns a TED that it cannot credit; both happen after the payment was settled. No source says if the platform uses one of its events for that; vendors differ.",
  }),
  "payout.after-all": statement("byHand", {
    says: "A payout that is ERROR stays so, unless the act payout.settle has force: true: then it goes through after all. Its money is taken from the account again, and ORDER-PAYOUT.PAID follows ORDER-PAYOUT.ERROR. It is refused if the balance does not suffice.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because:
      "An institution that reports a failure too early is corrected later, and a partner has to be able to meet two final events that contradict each other.",
  }),
  "payout.balance": statement("money", {
    says: "The amount is reserved as the payout is created and returned on ERROR and CANCELED, child by child.",
    leavesOpen: "balance: available balance; when a payout lowers it is not shown.",
    because: "Otherwise two payouts could spend the same money while both are PENDING.",
  }),
  "payout.insufficient-balance": choice(["invalid", "forbidden"], {
    says: "A payout above the available balance is 400 INVALID_REQUEST, field amount.value, issue INSUFFICIENT_BALANCE; with forbidden it is 403 FORBIDDEN_ERROR.",
    leavesOpen:
      "Payout creation: bad request, forbidden and internal errors; the answer to a balance that is too low is not shown.",
    because: "The caller can fix it by requesting less.",
  }),
  "payout.inactive-account": choice(["forbidden", "invalid"], {
    says: "A payer account that is not ACTIVE gives 403 FORBIDDEN_ERROR; with invalid it is 400 INVALID_REQUEST, field accountId.",
    leavesOpen: FORBIDDEN_NOT_SHOWN,
    because: "The request is well formed and the account belongs to the caller, but it may not pay.",
  }),
  "payout.foreign-account": choice(["forbidden", "invalid"], {
    says: "Another company's account, or an unknown one, gives 403 FORBIDDEN_ERROR; with invalid it is 400 INVALID_REQUEST, field accountId.",
    leavesOpen: FORBIDDEN_NOT_SHOWN,
    because:
      "The endpoint has no NOT_FOUND, and a separate answer for a foreign account would disclose that it exists.",
  }),
  "payout.ted-end-to-end-id": statement("form", {
    says: "The answer to a TED contains a synthetic endToEndId; its events have null and, once settled, the controlNumber.",
    leavesOpen: "endToEndId: required in the answer, described as the PIX end-to-end id.",
    because: "A required field cannot be left out, and a TED has no end-to-end id.",
  }),
  "payout.unusable-qrcode": statement("refusal", {
    says: "A QR code that is broken, has a wrong CRC or carries no payment (journey 2) is 400 INVALID_REQUEST, and so is a malformed PIX key.",
    leavesOpen:
      "STATIC or DYNAMIC QR code initiation, determined automatically: what happens when it cannot be determined is not shown.",
    because:
      "The code can be read without asking another institution, so the caller can get the error at once.",
  }),
  "payout.batch-threshold": amount("15000.00", {
    says: "A payout above this amount becomes a batch of children of this amount and a remainder; the keys of the later children end in -2, -3 and so on, and the batch key is cut if both do not fit into 64 characters.",
    leavesOpen: BATCH_NOT_SHOWN,
    because:
      "It is the cap on a single PIX or TED that came in September 2025 for institutions that are not authorised or are connected through a service provider, and the likely reason for splitting. The Central Bank has lifted it since for institutions that meet its requirements: set the platform's own value if you know it.",
  }),
  "payout.parent-status": choice(["error", "paid"], {
    says: "A batch is PAID when every child is PAID, CANCELED when every child is CANCELED, and ERROR for any other mix once all are final. With paid a mix in which any child is PAID is PAID, and only the batch itself shows what is missing. The sequence of the children counts from 1.",
    leavesOpen: "Transitions between payout statuses: not shown; sequence: position in the batch.",
    because: "PAID has to mean that the money arrived in full.",
  }),
  "payout.receiver-mismatch": choice(["accept-then-error", "reject"], {
    says: "A payout whose receiver is not the owner of the key or the QR code is accepted and then ends in ERROR with an errorMessage; reject answers 400 INVALID_REQUEST.",
    leavesOpen: "Outcome when the receiver document differs from the key or QR code owner: not shown.",
    because: "The receiver's institution compares the two, and it answers after the payout was accepted.",
  }),
  "payout.unknown-key": choice(["accept-then-error", "reject"], {
    says: "A payout to a PIX key that the directory does not have is accepted and then ends in ERROR with an errorMessage; reject answers 400 INVALID_REQUEST.",
    leavesOpen:
      "receiver: resolved from the key or the decoded QR code; what happens to an unknown key is not shown.",
    because:
      "The directory is asked after the payout was accepted, and the caller gets this outcome in the same way as every other one.",
  }),
  "payout.webhook-url": statement("only", {
    says: "The events of a payout go to the company's webhook URL.",
    leavesOpen:
      "the subscription webhookUrl for subscription events, the notification URL for orders: none is named for payouts.",
    because: "The request itself has no URL.",
  }),
  "payout.bank-identifier": statement("refusal", {
    says: "A bankAccount with both ispb and bankNumber, with neither, or with a bankNumber that no bank has, is 400 INVALID_REQUEST. An ispb is accepted as it is, even if the sandbox does not know it.",
    leavesOpen:
      "In bankAccount provide either ispb or bankNumber: the answer to both, and to an unknown one, is not shown.",
    because:
      "Two identifiers could name two banks, and a number without an ISPB names no bank. Not every participant is in the sandbox's list.",
  }),
  "payout.control-number": statement("opaque", {
    says: "The controlNumber of a TED is STR, the date and nine digits: 20 characters.",
    leavesOpen: "controlNumber: TED control number; its form is not shown.",
    because: "It is the usual form of a control number of that settlement system.",
  }),
  "payout.external-id-unique": flag(false, {
    says: "Several payouts of a company may have one externalId; true refuses the second with ALREADY_EXISTS.",
    leavesOpen: "externalId: required; whether it is unique is not shown.",
    because: "It is the idempotency key that keeps a payout from being made twice.",
  }),
  "payout.batch-size-max": count(10_000, [2, 10_000], {
    says: "A payout that would be split into more transactions than this is 400 INVALID_REQUEST, field amount.value.",
    leavesOpen: BATCH_NOT_SHOWN,
    because:
      "Every batch is made and answered as a whole, and other requests wait for it: with 10,000 transactions for about a tenth of a second, so no more can be set. Real payouts are far below.",
  }),
  "payout.batch-identifiers": statement("opaque", {
    says: "The endToEndId and the controlNumber of a batch are those of its first transaction.",
    leavesOpen: "endToEndId: required in the answer; which one a batch carries is not shown.",
    because: "Each transaction is a payment with its own id, and the field takes one id.",
  }),
  "payout.batch-events": statement("form", {
    says: "A batch is announced by one event about the payout, once all of its transactions are final; the transactions send no events.",
    leavesOpen: "Emitted when a payout changes status: whether its transactions have events is not shown.",
    because: "The event has no field for a transaction, and the payout changes its status only once.",
  }),
  "payout.transaction-statuses": statement("states", {
    says: "The transactions of a batch are PENDING, then PAID, CANCELED or ERROR. The act payout.analyse makes them ANALYSIS until they are settled, fail or are canceled; a batch counts them as pending. Money that comes back makes them REFUNDED or PARTIAL_REFUNDED (payout.returns); a batch counts the former as failed, and the latter as paid with the rest. INITIAL, EXPIRED and PARTIALLY_PAID do not occur.",
    leavesOpen: "Child transaction statuses are listed under Resources; their transitions are not shown.",
    because: "The three belong to money that is paid in: a transaction is sent as it is created, and whole.",
  }),
  "payout.qrcode-amount": statement("scheme", {
    says: "A QR code that asks for an amount is paid with that amount; another one is 400 INVALID_REQUEST, field amount.value, issue MISMATCH.",
    leavesOpen: "amount: required; what happens when the QR code carries another is not shown.",
    because: "The payer's institution reads the code and would not send another amount.",
  }),
  "payout.dynamic-qrcode": statement("scheme", {
    says: "A dynamic QR code of the sandbox is resolved to its order, which the payout pays with the account's holder as payer, and its subscription is accepted if it has one; a payout to a dynamic QR code is never split. If the order is missing or can no longer be paid, the payout ends in ERROR (BE17). One of another institution is PAID.",
    leavesOpen: "qrcodeData: what a payout does to the order behind a QR code is not shown.",
    because:
      "A dynamic code is paid once and in full, and whether it still can be is found out when the payment arrives.",
  }),
  "payout.receiving-account": statement("scheme", {
    says: "A receiver that is an account of the sandbox is credited there. It ends in ERROR if the account does not exist (AC03), is INACTIVE (AC06) or CLOSED (AC07), or has another holder than the receiver (BE01).",
    leavesOpen: "bankAccount: whether the receiver's account is checked is not shown.",
    because: "The institution of the account knows it, and here that is the platform itself.",
  }),
  "payout.unknown-receiver": statement("form", {
    says: "If neither the request nor the key or QR code contains a CPF or CNPJ of the receiver, the event has the CPF 00000000000. Its name is UNKNOWN if the QR code contains no name.",
    leavesOpen:
      "receiver: name and document are required in the event, also for a key that is not registered.",
    because: "A required field cannot be left out, and an impossible number misleads no reader.",
  }),
  "payout.error-messages": statement("scheme", {
    says: "An errorMessage begins with the code of the settlement message if there is one: BE01, AB09 and the like; AB09 if neither the act nor the reason names another.",
    leavesOpen: "errorMessage: payout error message; its texts are not shown.",
    because: "Institutions answer each other with these codes, and support teams look them up.",
  }),
} as const;
