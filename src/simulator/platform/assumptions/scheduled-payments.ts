import { choice, count, duration, flag, statement, time } from "./assumption.ts";

const CHARGE_NOT_SHOWN =
  "PUT /public/v1/banking/subscriptions/{id}/payments (create a charge for an authorization-only subscription): request and response shapes of these: not shown.";
const TRANSITIONS_NOT_SHOWN = "Other scheduled payment transitions: not shown.";
const CANCELLABLE = "a state that allows cancellation: until when is not shown.";
const RETRIES_NOT_SHOWN =
  "FIRST_ATTEMPT and NEW_ATTEMPT_AFTER_DUE_DATE are created by the partner: how many, and when, is not shown.";

export const scheduledPaymentAssumptions = {
  "charge.endpoint": statement("form", {
    says: "PUT /public/v1/banking/subscriptions/{id}/payments takes {externalId, dueDate, amount, description?, purpose? (FIRST_ATTEMPT), originalScheduledPaymentId? (required for NEW_ATTEMPT_AFTER_DUE_DATE)}. The answer is the scheduled payment with its amount, dueDate, settlementDate and createdAt. A repeat with the same externalId and charge gets the same answer. Another charge with that externalId is INVALID_REQUEST. A subscription that is not ACCEPTED is INVALID_REQUEST on id, issue SUBSCRIPTION_NOT_ACCEPTED.",
    leavesOpen: CHARGE_NOT_SHOWN,
    because: "A PUT can be repeated, and the partner distinguishes its charges by the externalId.",
  }),
  "charge.window": statement(["charge.window-min-days", "charge.window-max-days"], {
    says: "The settlement date of a FIRST_ATTEMPT is 2 to 10 days ahead. It is the due date, moved if the subscription has the adjustment. Another date is refused immediately.",
    leavesOpen: CHARGE_NOT_SHOWN,
    because:
      "The scheme requires that the payer's institution gets the instruction within these days. For the caller an immediate refusal is better than a later rejection.",
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
    says: "A company can use an externalId for only one charge. With false, the rule applies within one subscription.",
    leavesOpen: "externalId (unique code on the partner system).",
    because: "The code is unique in the caller's system, so a repeated code is a double submission.",
  }),
  "charge.business-days": choice(["weekends", "bank-holidays"], {
    says: "If a subscription allows the adjustment, a due date on a weekend moves to the next weekday. With bank-holidays it also moves off national bank holidays.",
    leavesOpen:
      "allowAdjustToBusinessDay: 'moves a non-business due date' in one place, 'weekend due dates move to the next weekday; local holidays are not handled' in the other; national holidays are named in neither.",
    because: "The more precise sentence names only weekends.",
  }),
  "charge.journey-3": flag(true, {
    says: "Subscriptions of both journeys take charges. With false, only subscriptions of journey 2 do.",
    leavesOpen:
      "create a charge for an authorization-only subscription: whether journey 3 takes charges too is not shown.",
    because: "Journey 3 authorizes a recurrence. Without charges it would collect only the first charge.",
  }),
  "charge.cancellation-cutoffs": statement(["charge.receiver-cutoff", "charge.payer-cutoff"], {
    says: "The receiver can cancel a charge until 22:00, the payer until 23:59:59, of the day before the settlement date. A later request is PENDING like any other and then REJECTED; the charge continues.",
    leavesOpen: CANCELLABLE,
    because: "These are the times of the scheme.",
  }),
  "charge.receiver-cutoff": time("22:00", {
    says: "Until this time of the day before the settlement date the receiver can cancel a charge.",
    leavesOpen: CANCELLABLE,
    because: "It is the time of the scheme. After it the payment instruction has already been sent.",
  }),
  "charge.payer-cutoff": time("23:59:59", {
    says: "Until this time of the day before the settlement date the payer can cancel a charge.",
    leavesOpen: CANCELLABLE,
    because: "It is the time of the scheme. The first attempt to settle follows minutes later.",
  }),
  "charge.settlement-error-cancellation": choice(["accepted-alone", "pending-first"], {
    says: "After a settlement error only the event ACCEPTED of the cancellation is sent. With pending-first an event PENDING comes before it, at the same time. The customer is the payer.",
    leavesOpen:
      "after the payer institution cancelled the original with reason SETTLEMENT_ERROR: which events report it is not shown.",
    because: "The payer's institution made this cancellation. It was not requested, so it needs no answer.",
  }),
  "charge.settlement-error-request": statement("refusal", {
    says: "A request to cancel a charge for SETTLEMENT_ERROR is refused before the first attempt to settle the charge.",
    leavesOpen: "reason (SETTLEMENT_ERROR): when a charge can be canceled for it is not shown.",
    because: "The reason reports a failed attempt, and no resend would follow such a request.",
  }),
  "charge.schedule-delay": duration("PT5S", {
    says: "A charge is PENDING for this time before the payer's institution accepts it.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "The institution has up to two hours and commonly takes seconds.",
  }),
  "charge.settlement-windows": statement(
    ["charge.first-attempt-at", "charge.second-attempt-at", "charge.final-at"],
    {
      says: "A charge is tried from 00:00 to 08:00 (at 00:05) in America/Sao_Paulo. If it is unpaid, it is tried again from 18:00 to 21:00 (at 18:05). If it is still unpaid at 21:00, it is CANCELED_INSUFFICIENT_BALANCE.",
      leavesOpen: TRANSITIONS_NOT_SHOWN,
      because: "These are the two windows of the scheme. The platform API also ends the day at 21:00.",
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
    says: "A resend follows a settlement error after this time. A resend is created only before 21:00 of the due date, and at most three times. It is scheduled after charge.schedule-delay and settles immediately, also between the windows.",
    leavesOpen:
      "created by the platform on the due date, until 21h, after the payer institution cancelled the original: how long after is not shown.",
    because:
      "An operational failure needs some time to end. Three resends after the second attempt still fit into the day.",
  }),
  "charge.retries": statement(["charge.retries-max", "charge.retry-days-max"], {
    says: "A charge can finally fail on its day, because the balance is too small or its resends are used up. With allowChargeAfterDueDate it then takes at most 3 new attempts of the same amount, one at a time, on different days. A new attempt can be requested from the settlement date on, also for a charge that failed before it was scheduled. Its day is tomorrow or later, 1 to 7 days after the settlement date, before the next cycle and not after the endDate. This is its day of settlement, moved off the weekend if the subscription has the adjustment. An attempt that was rejected or canceled in time does not count.",
    leavesOpen: RETRIES_NOT_SHOWN,
    because: "It is the only retry policy of the scheme other than 'none'.",
  }),
  "charge.retries-max": count(3, [0, 100], {
    says: "A charge takes this many new attempts after its due date.",
    leavesOpen: RETRIES_NOT_SHOWN,
    because: "The scheme allows three.",
  }),
  "charge.retry-days-max": count(7, [1, 365], {
    says: "The last new attempt settles at most this many days after the settlement date of the first attempt.",
    leavesOpen: RETRIES_NOT_SHOWN,
    because: "The scheme allows seven.",
  }),
  "charge.per-cycle": choice(["one", "any"], {
    says: "A cycle takes one charge. REJECTED and CANCELED charges do not count. Completed charges, charges without balance (use a new attempt) and open chains of resends count. With `any` a cycle takes any number of charges.",
    leavesOpen:
      "fixedAmount: fixed amount charged on each cycle; how many charges a cycle takes is not shown.",
    because: "The scheme refuses a second open charge in one cycle.",
  }),
  "charge.events": choice(["sent", "none"], {
    says: "SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED, .REJECTED, .COMPLETED, .ERROR and .CANCELED_INSUFFICIENT_BALANCE contain {event, occurredAt, data}; data is the scheduled payment. With `none` they are not sent, and only the order reports a paid charge (charge.settles-as-order).",
    leavesOpen: "Scheduled payment (seen in webhooks): only its cancellation events are named.",
    because:
      "They have the form of the cancellation events. Each status that is decided outside the platform has one event.",
  }),
  "charge.settles-as-order": statement("money", {
    says: "A completed charge is also a PAID pay-in order: it can be refunded, and its events contain subscription and scheduledPayment.",
    leavesOpen:
      "scheduledPayment: present only when the pay-in settles a scheduled payment; how that order comes about is not shown.",
    because: "The refund event can only name a scheduled payment if there is an order to refund.",
  }),
  "charge.inactive-account": choice(["forbidden", "invalid"], {
    says: "A charge gives 403 FORBIDDEN_ERROR if the receiver account of its subscription is not ACTIVE. With invalid it gives 400 INVALID_REQUEST, field id.",
    leavesOpen: CHARGE_NOT_SHOWN,
    because: "The creation of a subscription for that account gives the same error.",
  }),
  "charge.account-closed": statement("money", {
    says: "If the receiver account is closed, every open charge is canceled with ACCOUNT_CLOSURE. If it is deactivated, the reason is ACCOUNT_BLOCKED. This includes the charge of that day and open chains of resends. The customer of the request is the receiver. The subscriptions stay unchanged.",
    leavesOpen: "reason (ACCOUNT_CLOSURE, ACCOUNT_BLOCKED): when they come about is not shown.",
    because: "The account can no longer receive the money.",
  }),
  "charge.imposed-cancellations": choice(["accepted-alone", "pending-first"], {
    says: "If a charge is canceled with its subscription (AUTHORIZATION_CANCELED) or its account, only the event ACCEPTED reports it, after the event of the subscription. The customer is the requester of that cancellation. With pending-first an event PENDING comes before it, at the same time.",
    leavesOpen:
      "reason (AUTHORIZATION_CANCELED): which events report a charge whose cancellation was not requested is not shown.",
    because:
      "There is no request that could be PENDING. The charge ends together with its subscription or account.",
  }),
  "charge.end-to-end-id": statement("scheme", {
    says: "A charge has one PIX end-to-end id from its creation on. The id has the minute of the first attempt. The cancellation events and the order of the charge contain it. A resend has another id.",
    leavesOpen: "endToEndId (PIX end-to-end id of the request): when it is given is not shown.",
    because: "The scheme names the payment in the instruction, and a cancellation names the instruction.",
  }),
  "charge.rejection-codes": statement("sandbox", {
    says: "A rejected charge keeps the scheme's code: AM02 above the payer's maximum, GRER by default. The sandbox shows it, but the platform API's events do not.",
    leavesOpen: "Scheduled payment: status REJECTED, with no field for the reason.",
    because: "Receivers would rely on a field that the platform API does not have.",
  }),
  "charge.unanswered": statement("states", {
    says: "If a charge is still PENDING at the final time of its settlement date, it ends in ERROR. This includes a resend that was created too late for scheduling.",
    leavesOpen: TRANSITIONS_NOT_SHOWN,
    because: "The charge was never tried, so the payer's balance is unknown.",
  }),
  "charge.cycles": statement("scheme", {
    says: "The first cycle begins on the startDate. Later cycles begin every 7 days or every 1, 3, 6 or 12 months, counted from the startDate. In a shorter month they begin on its last day. A cycle ends on the day before the next cycle. The first charge of journey 3 belongs to no cycle.",
    leavesOpen: "frequencyType and startDate: how the dates of the cycles follow from them is not shown.",
    because: "The scheme counts in this way: 31 January, 28 February, 31 March.",
  }),
  "charge.amount": choice(["refuse", "accept-then-reject"], {
    says: "If the amount of a charge is not the subscription's fixedAmount, the charge is INVALID_REQUEST. With accept-then-reject it is accepted and then REJECTED. A charge above the payer's maximum is always accepted and then REJECTED.",
    leavesOpen:
      "fixedAmount: fixed amount charged on each cycle; maxAmountFloor: minimum value the payer may set as the authorization maximum. The answer to a charge beyond them is not shown.",
    because: "The platform knows the fixed amount. Only the payer's institution knows the payer's maximum.",
  }),
} as const;
