import { choice, count, duration, flag, statement, time } from "./assumption.ts";

const CHARGE_NOT_SHOWN =
  "PUT /public/v1/banking/subscriptions/{id}/payments (create a charge for an authorization-only subscription): request and response shapes of these: not shown.";
const TRANSITIONS_NOT_SHOWN = "Other scheduled payment transitions: not shown.";
const CANCELLABLE = "a state that allows cancellation: until when is not shown.";
const RETRIES_NOT_SHOWN =
  "FIRST_ATTEMPT and NEW_ATTEMPT_AFTER_DUE_DATE are created by the partner: how many, and when, is not shown.";

export const scheduledPaymentAssumptions = {
  "charge.endpoint": statement("form", {
    says: "PUT /public/v1/banking/subscriptions/{id}/payments takes {externalId, dueDate, amount, description?, purpose? (FIRST_ATTEMPT), originalScheduledPaymentId? (required for NEW_ATTEMPT_AFTER_DUE_DATE)} and answers with the scheduled payment, its amount, dueDate, settlementDate and createdAt included. The same externalId and charge again give the same answer, the charge as it was sent; another charge under that externalId is INVALID_REQUEST. A subscription that is not ACCEPTED is INVALID_REQUEST on id, issue SUBSCRIPTION_NOT_ACCEPTED.",
    leavesOpen: CHARGE_NOT_SHOWN,
    because: "A PUT can be repeated, and by the externalId the partner distinguishes its charges.",
  }),
  "charge.window": statement(["charge.window-min-days", "charge.window-max-days"], {
    says: "The settlement date of a FIRST_ATTEMPT (its due date, moved if the subscription says so) is 2 to 10 days ahead; another date is refused at once.",
    leavesOpen: CHARGE_NOT_SHOWN,
    because:
      "The scheme requires that the payer's institution gets the instruction within these days; an immediate answer is better for the caller than a later rejection.",
  }),
  "charge.window-min-days": count(2, [0, 365], {
    says: "The settlement date of a FIRST_ATTEMPT is at least this many days ahead.",
    leavesOpen: CHARGE_NOT_SHOWN,
    because: "The payer has to be informed of a charge before it is collected.",
  }),
  "charge.window-max-days": count(10, [0, 365], {
    says: "The settlement date of a FIRST_ATTEMPT is at most this many days ahead.",
    leavesOpen: CHARGE_NOT_SHOWN,
    because: "The scheme takes no instruction earlier than ten days before the settlement date.",
  }),
  "charge.external-id-unique": flag(true, {
    says: "A company uses an externalId for one charge only; when false, a subscription does.",
    leavesOpen: "externalId (unique code on the partner system).",
    because: "A code that is unique on the caller's side and repeated here is a double submission.",
  }),
  "charge.business-days": choice(["weekends", "bank-holidays"], {
    says: "If a subscription allows the adjustment, a due date on a weekend moves to the next weekday; bank-holidays moves it off the national bank holidays too.",
    leavesOpen:
      "allowAdjustToBusinessDay: 'moves a non-business due date' in one place, 'weekend due dates move to the next weekday; local holidays are not handled' in the other; national holidays are named in neither.",
    because: "The more precise of the two sentences speaks of weekends only.",
  }),
  "charge.journey-3": flag(true, {
    says: "Charges are created for subscriptions of both journeys; when false, for journey 2 only.",
    leavesOpen:
      "create a charge for an authorization-only subscription: whether journey 3 takes charges too is not shown.",
    because:
      "Journey 3 authorizes a recurrence, which without charges would collect nothing after the first.",
  }),
  "charge.cancellation-cutoffs": statement(["charge.receiver-cutoff", "charge.payer-cutoff"], {
    says: "The receiver can cancel a charge until 22:00, the payer until 23:59:59, of the day before the settlement date. A later request is PENDING like any other and then REJECTED; the charge continues.",
    leavesOpen: CANCELLABLE,
    because: "They are the times of the scheme.",
  }),
  "charge.receiver-cutoff": time("22:00", {
    says: "Until this time of the day before the settlement date the receiver can cancel a charge.",
    leavesOpen: CANCELLABLE,
    because: "It is the time of the scheme; after it the payment instruction has been sent.",
  }),
  "charge.payer-cutoff": time("23:59:59", {
    says: "Until this time of the day before the settlement date the payer can cancel a charge.",
    leavesOpen: CANCELLABLE,
    because: "It is the time of the scheme; the first attempt to settle follows minutes later.",
  }),
  "charge.settlement-error-cancellation": choice(["accepted-alone", "pending-first"], {
    says: "After a settlement error only the cancellation's ACCEPTED event is sent, without a PENDING one before it; with pending-first there is one, at the same time. Its customer is the payer.",
    leavesOpen:
      "after the payer institution cancelled the original with reason SETTLEMENT_ERROR: which events report it is not shown.",
    because: "This cancellation was not requested, so it needed no answer; the payer's institution made it.",
  }),
  "charge.settlement-error-request": statement("refusal", {
    says: "A request to cancel a charge for SETTLEMENT_ERROR is refused before there was an attempt to settle it.",
    leavesOpen: "reason (SETTLEMENT_ERROR): when a charge can be canceled for it is not shown.",
    because: "The reason reports an attempt that failed, and nothing would be resent after such a request.",
  }),
  "charge.schedule-delay": duration("PT5S", {
    says: "A charge is PENDING for this long before the payer's institution accepts it.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "The institution has up to two hours and commonly takes seconds.",
  }),
  "charge.settlement-windows": statement(
    ["charge.first-attempt-at", "charge.second-attempt-at", "charge.final-at"],
    {
      says: "A charge is tried from 00:00 to 08:00 (at 00:05) and, if unpaid, from 18:00 to 21:00 (at 18:05), in America/Sao_Paulo; still unpaid at 21:00 it is CANCELED_INSUFFICIENT_BALANCE.",
      leavesOpen: TRANSITIONS_NOT_SHOWN,
      because: "They are the two windows of the scheme, and the interface, too, ends the day at 21:00.",
    },
  ),
  "charge.first-attempt-at": time("00:05", {
    says: "The time of the first try of a charge on its settlement date.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "It is early in the first window, 00:00 to 08:00.",
  }),
  "charge.second-attempt-at": time("18:05", {
    says: "The time of the second try of an unpaid charge on its settlement date.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "It is early in the second window, 18:00 to 21:00.",
  }),
  "charge.final-at": time("21:00", {
    says: "The time on the settlement date when an unpaid charge becomes final. After it no resend is sent.",
    leavesOpen:
      "created by the platform on the due date, until 21h: when an unpaid charge is final is not shown.",
    because: "It is the end of the second window.",
  }),
  "charge.resend-delay": duration("PT30M", {
    says: "A resend follows a settlement error after this long. No resend is created at or after 21:00 of the due date or past attempt 3. It is scheduled after charge.schedule-delay and settles at once, between the windows too.",
    leavesOpen:
      "created by the platform on the due date, until 21h, after the payer institution cancelled the original: how long after is not shown.",
    because:
      "An operational failure needs some time to pass; three resends after the second attempt still fit the day.",
  }),
  "charge.retries": statement(["charge.retries-max", "charge.retry-days-max"], {
    says: "A charge that was finally not paid on its day, for lack of balance or because its resends are used up, takes at most 3 new attempts, one at a time, on distinct days from tomorrow on, 1 to 7 days after the settlement date, of the same amount, before the next cycle and the endDate, and only with allowChargeAfterDueDate. It can be requested from the settlement date on, also for a charge that failed before it was scheduled. An attempt that was rejected or canceled in time does not count. The day of its settlement counts, moved off the weekend if the subscription says so.",
    leavesOpen: RETRIES_NOT_SHOWN,
    because: "It is the one retry policy of the scheme that is not 'none'.",
  }),
  "charge.retries-max": count(3, [0, 100], {
    says: "A charge takes this many new attempts after its due date.",
    leavesOpen: RETRIES_NOT_SHOWN,
    because: "The scheme allows three.",
  }),
  "charge.retry-days-max": count(7, [1, 365], {
    says: "The last new attempt settles at most this many days after the settlement date of the first.",
    leavesOpen: RETRIES_NOT_SHOWN,
    because: "The scheme allows seven.",
  }),
  "charge.per-cycle": choice(["one", "any"], {
    says: "A cycle has one charge that is not REJECTED or CANCELED; with any it takes as many as are sent. A completed charge counts. A charge that failed for lack of balance (retry it with a new attempt) and a chain that is being resent count too.",
    leavesOpen:
      "fixedAmount: fixed amount charged on each cycle; how many charges a cycle takes is not shown.",
    because: "The scheme refuses a second open charge in one cycle.",
  }),
  "charge.events": choice(["sent", "none"], {
    says: "SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED, .REJECTED, .COMPLETED, .ERROR and .CANCELED_INSUFFICIENT_BALANCE contain {event, occurredAt, data}; data is the scheduled payment. With none they are not sent: a charge that is paid is reported by its order alone (charge.settles-as-order).",
    leavesOpen: "Scheduled payment (seen in webhooks): only its cancellation events are named.",
    because:
      "They follow the form of the cancellation events, one for each status that is decided outside the platform.",
  }),
  "charge.settles-as-order": statement("money", {
    says: "A completed charge is also a PAID pay-in order: it can be refunded, and its events contain subscription and scheduledPayment.",
    leavesOpen:
      "scheduledPayment: present only when the pay-in settles a scheduled payment; how that order comes about is not shown.",
    because: "The refund event can only name a scheduled payment if there is an order to refund.",
  }),
  "charge.inactive-account": choice(["forbidden", "invalid"], {
    says: "A charge of a subscription whose receiver account is not ACTIVE gives 403 FORBIDDEN_ERROR; with invalid it is 400 INVALID_REQUEST, field id.",
    leavesOpen: CHARGE_NOT_SHOWN,
    because: "The creation of a subscription for that account gives the same error.",
  }),
  "charge.account-closed": statement("money", {
    says: "Once the receiver account is closed, every open charge is canceled with ACCOUNT_CLOSURE, and with ACCOUNT_BLOCKED once it is deactivated, the one due that day and the chains being resent included; the customer is the receiver. The subscriptions stay as they are.",
    leavesOpen: "reason (ACCOUNT_CLOSURE, ACCOUNT_BLOCKED): when they come about is not shown.",
    because: "The account that could receive the money is gone.",
  }),
  "charge.imposed-cancellations": choice(["accepted-alone", "pending-first"], {
    says: "A charge that is canceled with its subscription (AUTHORIZATION_CANCELED) or its account is reported by the event ACCEPTED alone, after the event of the subscription; the customer is the party that requested that. With pending-first a PENDING one comes before it, at the same time.",
    leavesOpen:
      "reason (AUTHORIZATION_CANCELED): which events report a charge whose cancellation was not requested is not shown.",
    because: "No request exists that could be PENDING; the charge ends with the object that it depends on.",
  }),
  "charge.end-to-end-id": statement("scheme", {
    says: "A charge has one PIX end-to-end id from its creation on, with the minute of its first attempt: its cancellation events contain it, and so does the order it settles as. A resend has another one.",
    leavesOpen: "endToEndId (PIX end-to-end id of the request): when it is given is not shown.",
    because: "The scheme names the payment in the instruction, and a cancellation names the instruction.",
  }),
  "charge.rejection-codes": statement("sandbox", {
    says: "A rejected charge keeps the scheme's code (AM02 above the payer's maximum, GRER if no code is given); the sandbox shows it, the interface's events do not.",
    leavesOpen: "Scheduled payment: status REJECTED, with no field for the reason.",
    because: "Receivers would rely on a field that the interface does not have.",
  }),
  "charge.unanswered": statement("states", {
    says: "A charge that is still PENDING when its settlement date is final ends in ERROR, a resend that was created too late to be scheduled included.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "It was never tried, so the payer's balance is unknown.",
  }),
  "charge.cycles": statement("scheme", {
    says: "A cycle begins on the startDate and then every 7 days or 1, 3, 6 or 12 months, on the same day of the month or on the last one of a shorter month, always counted from the startDate. It ends on the day before the next. The first charge of journey 3 belongs to no cycle.",
    leavesOpen: "frequencyType and startDate: how the dates of the cycles follow from them is not shown.",
    because: "It is how the scheme counts: 31 January, 28 February, 31 March.",
  }),
  "charge.amount": choice(["refuse", "accept-then-reject"], {
    says: "A charge of another amount than the subscription's fixedAmount is INVALID_REQUEST; with accept-then-reject it is accepted and then REJECTED. One above the maximum that the payer set is accepted and then REJECTED.",
    leavesOpen:
      "fixedAmount: fixed amount charged on each cycle; maxAmountFloor: minimum value the payer may set as the authorization maximum. What happens to a charge beyond them is not shown.",
    because:
      "The platform knows the fixed amount; the payer's maximum is known to the payer's institution alone.",
  }),
} as const;
