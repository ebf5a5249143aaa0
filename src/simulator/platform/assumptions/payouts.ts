import { amount, choice, count, duration, flag, statement, time } from "./assumption.ts";

const TRANSITIONS_NOT_SHOWN = "Transitions between payout statuses: not shown.";
const FORBIDDEN_NOT_SHOWN =
  "Payout creation: bad request, forbidden and internal errors; the reasons for forbidden are not shown.";
const BATCH_NOT_SHOWN = "Size threshold for splitting a payout into a batch: not shown.";

export const payoutAssumptions = {
  "payout.settlement-delay": statement(
    ["payout.pix-delay", "payout.ted-delay", "payout.ted-opens", "payout.ted-closes"],
    {
      says: "A PIX payout settles PT2S after it became PENDING. A TED settles from 06:30 until before 17:00 of a bank business day; otherwise it waits for the next window. National bank holidays are not bank business days.",
      leavesOpen: TRANSITIONS_NOT_SHOWN,
      because:
        "PIX settles within seconds at any hour. A TED settles only while the settlement system of the banks is open.",
    },
  ),
  "payout.pix-delay": duration("PT2S", {
    says: "A PIX payout settles this time after it became PENDING.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "A PIX usually takes one or two seconds.",
  }),
  "payout.ted-delay": duration("PT2S", {
    says: "A TED payout settles this time after it became PENDING, or after the window opened.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "In the window of TED only hours matter, not seconds.",
  }),
  "payout.ted-opens": time("06:30", {
    says: "A TED sent before this time of a bank business day waits until this time.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "At this time the settlement system of the banks opens to their customers.",
  }),
  "payout.ted-closes": time("17:00", {
    says: "A TED sent before this time of a bank business day settles on that day. A later TED waits for the next business day.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "At this time the settlement system of the banks closes to their customers.",
  }),
  "payout.returns": choice(["none", "silent", "canceled-event", "error-event"], {
    says: "A paid payout does not come back. With another value the act payout.return lets the receiver's institution return a PIX or a TED, whole or in part. The money is on the account again, and /sandbox/resources shows REFUNDED or PARTIAL_REFUNDED, also for children. With silent no event reports the return. With canceled-event ORDER-PAYOUT.CANCELED reports it, with error-event ORDER-PAYOUT.ERROR. The message of the event has the returned amount. The id payout.ted-returns still works: true is the value silent, false is the value none.",
    leavesOpen:
      "ORDER-PAYOUT.PAID, ORDER-PAYOUT.CANCELED, ORDER-PAYOUT.ERROR: the event of a payout that came back after its payment is not shown. REFUNDED, PARTIAL_REFUNDED: statuses of a child transaction; the cause of these statuses is not shown.",
    because:
      "The receiver of a PIX can return it, and a bank returns a TED that it cannot credit. Both happen after the settlement. Sources do not say if the platform reports it by one of its events. Vendors differ.",
  }),
  "payout.after-all": statement("byHand", {
    says: "A payout with the status ERROR keeps it. The act payout.settle with force: true settles the payout later: it takes the money from the account again, and ORDER-PAYOUT.PAID follows ORDER-PAYOUT.ERROR. The act is refused if the balance is too low.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because:
      "An institution can report a failure too early and correct it later. A partner must be able to handle two contradicting final events.",
  }),
  "payout.balance": statement("money", {
    says: "The amount is reserved when the payout is created. On ERROR and CANCELED it is returned, child by child.",
    leavesOpen: "balance: available balance; the moment at which a payout lowers it is not shown.",
    because: "Otherwise two payouts could spend the same money while both are PENDING.",
  }),
  "payout.insufficient-balance": choice(["invalid", "forbidden"], {
    says: "A payout above the available balance is 400 INVALID_REQUEST, field amount.value, issue INSUFFICIENT_BALANCE. With forbidden it is 403 FORBIDDEN_ERROR.",
    leavesOpen:
      "Payout creation: bad request, forbidden and internal errors; the answer if the balance is too low is not shown.",
    because: "The caller can fix it with a smaller amount.",
  }),
  "payout.inactive-account": choice(["forbidden", "invalid"], {
    says: "A payer account that is not ACTIVE gives 403 FORBIDDEN_ERROR. With invalid it gives 400 INVALID_REQUEST, field accountId.",
    leavesOpen: FORBIDDEN_NOT_SHOWN,
    because: "The request is well formed and the account belongs to the caller, but the account cannot pay.",
  }),
  "payout.foreign-account": choice(["forbidden", "invalid"], {
    says: "The account of another company, or an unknown account, gives 403 FORBIDDEN_ERROR. With invalid it gives 400 INVALID_REQUEST, field accountId.",
    leavesOpen: FORBIDDEN_NOT_SHOWN,
    because:
      "The endpoint has no NOT_FOUND, and a separate answer for a foreign account would disclose that it exists.",
  }),
  "payout.ted-end-to-end-id": statement("form", {
    says: "The answer to a TED contains a synthetic endToEndId. Its events have null and, after the settlement, the controlNumber.",
    leavesOpen: "endToEndId: required in the answer, described as the PIX end-to-end id.",
    because: "A required field cannot be absent, and a TED has no end-to-end id.",
  }),
  "payout.unusable-qrcode": statement("refusal", {
    says: "A QR code is 400 INVALID_REQUEST if it is broken, has a wrong CRC or has no payment (journey 2). A malformed PIX key is 400 INVALID_REQUEST too.",
    leavesOpen:
      "STATIC or DYNAMIC QR code initiation, determined automatically: the answer to an unclear QR code is not shown.",
    because:
      "The platform can read the code without another institution, so the caller gets the error immediately.",
  }),
  "payout.batch-threshold": amount("15000.00", {
    says: "A payout above this amount becomes a batch of children of this amount and a rest. The keys of the later children are the batch key with the suffix -2, -3 and so on. If this is longer than 64 characters, the batch key is cut.",
    leavesOpen: BATCH_NOT_SHOWN,
    because:
      "Since September 2025 a single PIX or TED has this limit at institutions that are not authorised or that use a service provider. It is the likely reason for splitting. The Central Bank has since removed the limit for institutions that meet its requirements. If you know the platform's own value, set it.",
  }),
  "payout.parent-status": choice(["error", "paid"], {
    says: "A batch is PAID if every child is PAID, and CANCELED if every child is CANCELED. For any other mix it is ERROR when all children are final. With `paid` one PAID child is enough for PAID, and only the batch shows the missing amount. The sequence of the children counts from 1.",
    leavesOpen: "Transitions between payout statuses: not shown; sequence: position in the batch.",
    because: "PAID must mean that the money arrived in full.",
  }),
  "payout.receiver-mismatch": choice(["accept-then-error", "reject"], {
    says: "If the receiver is not the owner of the key or the QR code, the payout is accepted and then ends in ERROR with an errorMessage. With reject the answer is 400 INVALID_REQUEST.",
    leavesOpen: "Outcome when the receiver document differs from the key or QR code owner: not shown.",
    because: "The receiver's institution compares the two, after the payout was accepted.",
  }),
  "payout.unknown-key": choice(["accept-then-error", "reject"], {
    says: "A payout to an unknown PIX key is accepted and then ends in ERROR with an errorMessage. With reject the answer is 400 INVALID_REQUEST.",
    leavesOpen:
      "receiver: resolved from the key or the decoded QR code; the outcome for an unknown key is not shown.",
    because:
      "The platform asks the directory after it has accepted the payout. So the caller gets this outcome like every other outcome.",
  }),
  "payout.webhook-url": statement("only", {
    says: "The events of a payout go to the company's webhook URL.",
    leavesOpen:
      "the subscription webhookUrl for subscription events, the notification URL for orders: a URL for payouts is not named.",
    because: "The request itself has no URL.",
  }),
  "payout.bank-identifier": statement("refusal", {
    says: "A bankAccount is 400 INVALID_REQUEST if it has both ispb and bankNumber, has neither, or has an unknown bankNumber. An ispb is always accepted, even if the sandbox does not know it.",
    leavesOpen:
      "In bankAccount provide either ispb or bankNumber: the answer to both, and to an unknown bank, is not shown.",
    because:
      "Two identifiers could name two banks, and the platform needs the ISPB of a number. The list of the sandbox does not have every participant.",
  }),
  "payout.control-number": statement("opaque", {
    says: "The controlNumber of a TED is STR, the date and nine digits: 20 characters.",
    leavesOpen: "controlNumber: TED control number; its form is not shown.",
    because: "Control numbers of this settlement system usually have this form.",
  }),
  "payout.external-id-unique": flag(false, {
    says: "Several payouts of a company can have the same externalId. With true the second payout is refused with ALREADY_EXISTS.",
    leavesOpen: "externalId: required; whether it is unique is not shown.",
    because: "The idempotency key already prevents a second payout.",
  }),
  "payout.batch-size-max": count(10_000, [2, 10_000], {
    says: "If a payout would be split into more transactions than this, it is 400 INVALID_REQUEST, field amount.value.",
    leavesOpen: BATCH_NOT_SHOWN,
    because:
      "Other requests wait until a batch is made. A batch of 10,000 transactions takes about a tenth of a second, so this is the largest possible value. Real payouts need far fewer.",
  }),
  "payout.batch-identifiers": statement("opaque", {
    says: "A batch has the endToEndId and the controlNumber of its first transaction.",
    leavesOpen: "endToEndId: required in the answer; the endToEndId of a batch is not shown.",
    because: "Each transaction is a payment with its own id, but the field has only one id.",
  }),
  "payout.batch-events": statement("form", {
    says: "One event reports a batch when all of its transactions are final. The transactions do not send events.",
    leavesOpen: "Emitted when a payout changes status: whether its transactions have events is not shown.",
    because: "The event has no field for a transaction, and the status of the payout changes only once.",
  }),
  "payout.transaction-statuses": statement("states", {
    says: "The transactions of a batch are PENDING, then PAID, CANCELED or ERROR. The act payout.analyse makes them ANALYSIS until they are settled, fail or are canceled. A batch counts them as pending. If money comes back, they become REFUNDED or PARTIAL_REFUNDED (payout.returns). A batch counts REFUNDED as failed, and PARTIAL_REFUNDED as paid with the rest of the amount. INITIAL, EXPIRED and PARTIALLY_PAID do not occur.",
    leavesOpen: "Child transaction statuses are listed under Resources; their transitions are not shown.",
    because:
      "These three statuses belong to pay-ins. A transaction of a payout is sent in full when it is created.",
  }),
  "payout.qrcode-amount": statement("scheme", {
    says: "A QR code with an amount is paid with that amount. Another amount is 400 INVALID_REQUEST, field amount.value, issue MISMATCH.",
    leavesOpen: "amount: required; the answer if the QR code has another amount is not shown.",
    because: "The payer's institution reads the code and sends only its amount.",
  }),
  "payout.dynamic-qrcode": statement("scheme", {
    says: "A payout to a dynamic QR code of the sandbox pays the order of the code, with the account's holder as payer. If the order is a first charge, its subscription is accepted. Such a payout is never split. If the order is missing or can no longer be paid, the payout ends in ERROR (BE17). A payout to a dynamic QR code of another institution is PAID.",
    leavesOpen: "qrcodeData: the effect of a payout on the order of a QR code is not shown.",
    because:
      "A dynamic code is paid once and in full. Only the arriving payment shows if the code can still be paid.",
  }),
  "payout.receiving-account": statement("scheme", {
    says: "If the receiver has an account in the sandbox, the money goes to this account. The payout ends in ERROR if the account does not exist (AC03), is INACTIVE (AC06) or CLOSED (AC07), or has another holder than the receiver (BE01).",
    leavesOpen: "bankAccount: whether the receiver's account is checked is not shown.",
    because: "The institution of the account knows its state. Here the institution is the platform.",
  }),
  "payout.unknown-receiver": statement("form", {
    says: "If neither the request nor the key or QR code contains a CPF or CNPJ of the receiver, the event has the CPF 00000000000. Its name is UNKNOWN if the QR code contains no name.",
    leavesOpen:
      "receiver: name and document are required in the event, also for a key that is not registered.",
    because: "A required field cannot be absent, and an impossible number is clearly not real.",
  }),
  "payout.error-messages": statement("scheme", {
    says: "An errorMessage begins with the code of the settlement message, such as BE01. The default is AB09.",
    leavesOpen: "errorMessage: payout error message; its texts are not shown.",
    because: "Institutions use these codes in their answers, and support teams know them.",
  }),
} as const;
