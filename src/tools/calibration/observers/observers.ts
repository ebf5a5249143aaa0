import { type AssumptionId } from "../../../api/assumptions.ts";
import { type Observer, delay, least, most, range, rule, timeOfDay, value } from "./observer.ts";
import { automatic } from "./steps.ts";
import * as http from "./http.ts";
import * as requests from "./requests.ts";
import * as shapes from "./shapes.ts";
import * as claims from "./claims.ts";
import * as subscriptions from "./subscriptions.ts";
import * as scheduledPayments from "./scheduled-payments.ts";
import * as scheduledPaymentRequests from "./scheduled-payment-requests.ts";
import * as orders from "./orders.ts";
import * as refunds from "./refunds.ts";
import * as payouts from "./payouts.ts";
import * as teds from "./teds.ts";
import * as batches from "./payout-batches.ts";
import * as webhooks from "./webhooks.ts";

/** Of an assumption that only summarises others: it follows them. */
export const BY_PARTS = "By its parts.";
const SHAPE = "The shapes that the report lists show it.";
const FREEDOM = "It is not measured: the interface allows it, whatever the platform does today.";
const INACTIVE = "Whether the account was ACTIVE at that moment is in no answer.";
const NEVER_SENT = "An event that never comes leaves nothing in the traffic.";
const OTHER_REASONS = "What is refused for it could be refused for another reason.";
/** Of an assumption that cannot be set, unless it says more. */
export const FIXED = "It is not measured, as it cannot be set.";

/** How recorded traffic of the platform shows what it does, or why it cannot, by assumption. */
const observers = {
  "http.statuses": value("The status of every answer, by operation and by error code.", http.statuses),
  "http.statuses-of-actions": value("The status of resend, cancel, confirm and rotate.", http.actionStatuses),
  "http.error-bodies": rule("The form of refusals of payouts and transparent orders.", http.errorBodies),
  "http.rate-limits": FIXED,
  "http.paths": FIXED,
  "http.request-bodies": FIXED,
  "http.versions": "A header that chooses a version would have to be known before it can be sent.",
  "auth.token-endpoint": SHAPE,
  "auth.token-ttl": range("expires_in of an issued token.", http.tokenLifetimes),
  "auth.header": rule("The header of a 401.", http.challenges),
  "auth.scope-elsewhere": value(
    "What a token gets elsewhere that is 403 where the scope is named.",
    http.scopes,
  ),
  "auth.errors-everywhere": rule("The form of every 401 and 403.", http.authorizationErrors),
  "tenancy.foreign-resource": value(
    "Calls with an id that another company was seen to own.",
    http.foreignResources,
  ),
  "amounts.input": FIXED,
  "payloads.lengths": rule(
    "The answer to a request that is wrong only in being beyond a limit, and refusals for a length within it.",
    requests.lengthLimits,
  ),
  "payloads.null-fields": value(
    "The answer to a request in which null is the only thing wrong.",
    requests.nullFields,
  ),
  "documents.validate": value(
    "The answer to a CPF or CNPJ whose check digits are wrong.",
    requests.wrongDocuments,
  ),
  "payloads.unknown-fields": value(
    "The answer to a request with fields that the interface does not have.",
    requests.unknownRequestFields,
  ),
  "idempotency.format": rule("The answer to keys that are missing, too long or no UUID.", requests.keyForms),
  "idempotency.replay": rule("The answer to a second request with the same key.", requests.replays),
  "idempotency.retention": range(
    "Until when a key gives its first answer again, and from when it counts as new.",
    requests.retention,
  ),
  "payloads.qrcode-images": rule("The beginning of the pictures in answers.", shapes.pictures),
  "account.transitions": rule(
    "The status of an account in one list after another.",
    shapes.changesFit("account"),
  ),
  "account.acts": "What an account cannot do shows in refusals that name other reasons, too.",
  "account.document-filter": FIXED,
  "account.events": SHAPE,
  "claim.endpoints": SHAPE,
  "claim.key-types": FIXED,
  "claim.email-ownership": value("The answer to an OWNERSHIP claim of an EMAIL.", claims.emailOwnerships),
  "claim.canceled-status": FIXED,
  "claim.answer": rule("The status of a claim in one answer after another.", shapes.changesFit("claim")),
  "claim.resolution-period": most(
    "Whether a claim without a code could still be canceled so long after its creation.",
    1,
    claims.claimPeriods("resolution"),
  ),
  "claim.completion-period": most(
    "Whether a confirmed claim could still be canceled so long after its creation.",
    1,
    claims.claimPeriods("completion"),
  ),
  "claim.donor-confirmation": value(
    "The status of a claim once its donor has confirmed.",
    claims.donorConfirmations,
  ),
  "claim.unknown-key": value("Claims that are refused because nobody has the key.", claims.unknownKeys),
  "claim.one-per-key": value(
    "The answer to a second claim for a key while the first is PENDING.",
    claims.rivals,
  ),
  "claim.issues": FIXED,
  "claim.inbox": "Where a code goes is seen by the person who gets it.",
  "claim.events": SHAPE,
  "claim.resends": range(
    "How often the code of one validation was sent again, and after how often that was refused.",
    claims.resends,
  ),
  "claim.daily-dispatches": range(
    "How many codes an account sent in one day, and after how many it was refused.",
    claims.dispatches,
  ),
  "claim.code-ttl": delay("From the sending of a code to its expiresAt.", claims.codeLifetimes),
  "claim.attempts": range("How many wrong codes were counted before the code was EXPIRED.", claims.tries),
  "subscription.required-fields": FIXED,
  "subscription.currency": FIXED,
  "subscription.external-id-unique": value(
    "The answer to a second subscription with the same externalId.",
    requests.uniqueIds("externalId", "createSubscription"),
  ),
  "subscription.both-amounts": FIXED,
  "subscription.inactive-account": INACTIVE,
  "subscription.initial-charge-on-journey-2": value(
    "The answer to an initialCharge with AUTHORIZATION_QRCODE.",
    subscriptions.chargesOfJourney2,
  ),
  "subscription.first-charge-expiry": delay(
    "From the creation to initialCharge.expireDateTime.",
    subscriptions.firstChargeExpiry,
  ),
  "subscription.first-charge-after-the-end": FIXED,
  "subscription.journey-3-payer": FIXED,
  "subscription.paid-and-refused": rule(
    "The order of the two events, and the events of the order after a refusal.",
    subscriptions.paidFirstCharges,
  ),
  "subscription.first-charge-unpaid": value(
    "SUBSCRIPTION.REJECTED right after the first charge ended unpaid, or a read that shows it PENDING_AUTHORIZATION later.",
    subscriptions.unpaidFirstCharges,
  ),
  "subscription.first-charge-fails": FIXED,
  "subscription.registration": FIXED,
  "subscription.transitions": rule(
    "The status history of subscriptions, and the status in their events.",
    shapes.changesFit("subscription"),
  ),
  "subscription.after-end-date": OTHER_REASONS,
  "subscription.events": NEVER_SENT,
  "subscription.cancellable-in": FIXED,
  "subscription.end-before-start": FIXED,
  "subscription.identifiers": rule("The forms of providerId and conciliationId.", subscriptions.identifiers),
  "cancellation.delay": delay(
    "From the PENDING event of a cancellation to the event of its answer.",
    subscriptions.answering,
  ),
  "cancellation.event-canceled-at": value(
    "canceledAt in the events of cancellations.",
    subscriptions.canceledAt,
  ),
  "cancellation.reasons-in-resource": FIXED,
  "charge.endpoint": FIXED,
  "charge.window": BY_PARTS,
  "charge.window-min-days": least(
    "How many days ahead charges are accepted, and how few are refused.",
    1,
    scheduledPaymentRequests.daysAhead("least"),
  ),
  "charge.window-max-days": most(
    "How many days ahead charges are accepted, and how many are refused.",
    1,
    scheduledPaymentRequests.daysAhead("most"),
  ),
  "charge.external-id-unique": value(
    "The answer to an externalId that a charge of another subscription has.",
    scheduledPaymentRequests.externalIds,
  ),
  "charge.business-days": value(
    "The settlementDate of a charge that is due on a national bank holiday.",
    scheduledPaymentRequests.holidays,
  ),
  "charge.journey-3": value(
    "The answer to a charge of a subscription of journey 3.",
    scheduledPaymentRequests.journey3,
  ),
  "charge.cancellation-cutoffs": BY_PARTS,
  "charge.receiver-cutoff": most(
    "Whether requests of the receiver on the day before the settlement date are granted, by their time of day.",
    1,
    scheduledPayments.cancellationTimes("REQUESTED_BY_RECEIVER"),
  ),
  "charge.payer-cutoff": most(
    "Whether requests of the payer on the day before the settlement date are granted, by their time of day.",
    1,
    scheduledPayments.cancellationTimes("REQUESTED_BY_PAYER"),
  ),
  "charge.settlement-error-cancellation": value(
    "The events of charges that are canceled for SETTLEMENT_ERROR.",
    scheduledPayments.alone(["SETTLEMENT_ERROR"]),
  ),
  "charge.settlement-error-request": "The interface has no call that requests it.",
  "charge.schedule-delay": delay(
    "From the creation of a charge to its ACCEPTED or REJECTED.",
    scheduledPayments.scheduling,
  ),
  "charge.settlement-windows": BY_PARTS,
  "charge.first-attempt-at": timeOfDay(
    "The time before noon of the settlement date at which charges are paid or fail.",
    scheduledPayments.attempts("first"),
  ),
  "charge.second-attempt-at": timeOfDay(
    "The time after noon of the settlement date at which charges are paid or fail.",
    scheduledPayments.attempts("second"),
  ),
  "charge.final-at": timeOfDay("The time of CANCELED_INSUFFICIENT_BALANCE.", scheduledPayments.finalTimes),
  "charge.resend-delay": delay(
    "From the settlement error to the first event of the resend, less the time that scheduling takes.",
    scheduledPayments.resending,
  ),
  "charge.retries": BY_PARTS,
  "charge.retries-max": range(
    "How many new attempts of one charge are accepted, and after how many one is refused.",
    scheduledPaymentRequests.retryCounts,
  ),
  "charge.retry-days-max": most(
    "How many days after the first settlement date new attempts are accepted and refused.",
    1,
    scheduledPaymentRequests.retryDays,
  ),
  "charge.per-cycle": OTHER_REASONS,
  "charge.events": NEVER_SENT,
  "charge.settles-as-order": rule(
    "The order of COMPLETED and the ORDER-PAYIN.PAID that names the charge.",
    scheduledPayments.paidOrders,
  ),
  "charge.inactive-account": INACTIVE,
  "charge.account-closed": FIXED,
  "charge.imposed-cancellations": value(
    "The events of charges that are canceled with their subscription, and their order.",
    subscriptions.imposed,
  ),
  "charge.end-to-end-id": rule(
    "The endToEndId in all events of one charge and in that of its order.",
    scheduledPayments.endToEndIds,
  ),
  "charge.rejection-codes": FIXED,
  "charge.unanswered": FIXED,
  "charge.cycles": "The dates of cycles show only in what charge.per-cycle refuses.",
  "charge.amount": OTHER_REASONS,
  "order.born-of-subscription": FIXED,
  "order.field-names": SHAPE,
  "order.required-fields": FIXED,
  "order.event-address": rule("The URL of the events of orders.", orders.addresses("orders")),
  "order.message-id-header": "A header of another name cannot be distinguished from one that means nothing.",
  "order.statuses": rule("The status of orders in answers and events.", shapes.changesFit("order")),
  "order.events": NEVER_SENT,
  "order.optional-customer": FIXED,
  "order.bank-slug": FIXED,
  "order.expiry": BY_PARTS,
  "order.boleto-expiry": range(
    "The days from the creation of a BOLETO to the last one on which it could be paid.",
    orders.slipExpiry,
  ),
  "order.boleto-confirmation": value("The time of day at which a BOLETO is PAID.", orders.slipConfirmations),
  "order.boleto-grace":
    "No answer says when a slip is due: the days until its last one are those of order.boleto-expiry.",
  "order.partial-payment": "A payer who is not allowed to pay a part leaves nothing in the traffic.",
  "order.default-expiry": delay(
    "From the creation of an order that is neither PIX nor BOLETO to its EXPIRED.",
    orders.expiring,
  ),
  "order.open-amount": "On the platform each payer chooses the amount.",
  "order.late-payment": value(
    "ORDER-PAYIN.PAID after EXPIRED or CANCELED, and a refund that no call requested right after it.",
    orders.latePayments,
  ),
  "order.overpayment": value(
    "ORDER-PAYIN.PAID with more than the finalAmount of the answer, and a refund that no call requested right after it.",
    orders.overpayments,
  ),
  "order.declined": FIXED,
  "order.account": "No answer says which account receives.",
  "order.external-id-unique": value(
    "The answer to a second order with the same externalId.",
    requests.uniqueIds("order.externalId", "createTransparentOrder", "createTransparentOrderV3"),
  ),
  "order.fees": BY_PARTS,
  "order.fee-fixed": value("fees.fixed in answers.", orders.fee("fixed")),
  "order.fee-variable": range("fees.variable in answers, as a part of the amount.", orders.feeRates),
  "order.fee-additional": value("fees.additional in answers.", orders.fee("additional")),
  "order.installments": FIXED,
  "order.three-ds": FIXED,
  "order.card-data": FIXED,
  "order.response-groups": FIXED,
  "order.v3": FIXED,
  "order.deposit-banks": SHAPE,
  "refund.window": most(
    "How long after the payment refunds are accepted, and from when one is refused that nothing else speaks against.",
    1,
    refunds.refundTimes,
  ),
  "refund.delay": delay("From the request of a refund to its outcome.", refunds.refunding),
  "refund.error-bodies": rule("The form of refusals of refunds.", http.refundErrors),
  "refund.end-to-end-id": rule("The form of the endToEndId.", refunds.refundIds),
  "refund.requester-email": FIXED,
  "refund.refundable-orders": FIXED,
  "refund.orders-of-mexico": FIXED,
  "refund.insufficient-balance": "What the account had at that moment is in no answer.",
  "refund.unrequested": FIXED,
  "refund.event-fields": value("message and refundedAt in the events.", refunds.refundEvents),
  "payout.settlement-delay": BY_PARTS,
  "payout.pix-delay": delay("From the creation of a PIX payout to its event.", payouts.pixSettling),
  "payout.ted-delay": delay(
    "From the creation of a TED payout to its event, where that comes within the hour.",
    teds.tedSettling,
  ),
  "payout.ted-opens": timeOfDay("The time of the events of TED payouts that had to wait.", teds.tedOpening),
  "payout.ted-closes": range("Until when a TED of a business day is settled on that day.", teds.tedClosing),
  "payout.returns": value(
    "ORDER-PAYOUT.CANCELED or ORDER-PAYOUT.ERROR after ORDER-PAYOUT.PAID; a return without an event is not seen.",
    payouts.returns,
  ),
  "payout.after-all": FIXED,
  "payout.balance": FIXED,
  "payout.insufficient-balance": value("The answer to a payout above the balance.", payouts.aboveBalance),
  "payout.inactive-account": INACTIVE,
  "payout.foreign-account": value(
    "The answer for an account that another company was seen to own.",
    payouts.foreignAccounts,
  ),
  "payout.ted-end-to-end-id": rule("The endToEndId in the answers and events of TED payouts.", teds.tedIds),
  "payout.unusable-qrcode": FIXED,
  "payout.batch-threshold": range(
    "The amount of the first transaction of a batch, and amounts that were not split.",
    batches.thresholds,
  ),
  "payout.parent-status": "No event shows how the transactions of a batch ended.",
  "payout.receiver-mismatch": value(
    "What a payout comes to whose receiver is not the owner of the key.",
    payouts.otherReceivers,
  ),
  "payout.unknown-key": value("What a payout to a key comes to that nobody has.", payouts.unknownKeys),
  "payout.webhook-url": rule("The URL of the events of payouts.", orders.addresses("payouts")),
  "payout.bank-identifier": FIXED,
  "payout.control-number": rule("The form of the controlNumber.", teds.controlNumbers),
  "payout.external-id-unique": value(
    "The answer to a second payout with the same externalId.",
    requests.uniqueIds("externalId", "createPayout"),
  ),
  "payout.batch-size-max": range(
    "The number of transactions of batches, and of those that were refused.",
    batches.batchSizes,
  ),
  "payout.batch-identifiers": FIXED,
  "payout.batch-events": FIXED,
  "payout.transaction-statuses": FIXED,
  "payout.qrcode-amount": FIXED,
  "payout.dynamic-qrcode": "The order behind a code is in the traffic of another company.",
  "payout.receiving-account": "The state of the receiving account is in no answer.",
  "payout.unknown-receiver": FIXED,
  "payout.error-messages": FIXED,
  "webhook.config": SHAPE,
  "webhook.rotation": value("Which secret signs the attempts after a rotation.", webhooks.rotations),
  "webhook.rotation-delay": range(
    "When the former secret signed last, and the new one for good.",
    webhooks.rotationDelays,
  ),
  "webhook.retry-intervals": webhooks.retryIntervals(
    "The time between the attempts of one webhook that was not acknowledged.",
  ),
  "webhook.timeout": range(
    "How long an attempt lasts that the platform gives up, and the longest that it waited for.",
    webhooks.timeouts,
  ),
  "webhook.egress": "It is a setting of the sandbox: what a platform may call is decided by its network.",
  "webhook.event-list": SHAPE,
  "webhook.acknowledgement": rule(
    "Whether another attempt follows a 2xx without a returnCode, and a redirect.",
    webhooks.acknowledgements,
  ),
  "webhook.order": rule("The order in which events about one object arrive.", webhooks.eventOrder),
  "autopilot.payer-delay": "When a payer acts is not the decision of the platform.",
} as const satisfies Record<Exclude<AssumptionId, `freedoms.${string}`>, Observer | string>;

/** How traffic shows an assumption, those of the autopilot included; a sentence says why it cannot. */
export function observerOf(
  id: string,
  { default: standard }: { readonly default: unknown },
): Observer | string {
  if (id.startsWith("freedoms.")) return FREEDOM;
  const all: Readonly<Record<string, Observer | string>> = { ...observers, ...automatic };
  if (all[id] !== undefined) return all[id];
  return standard === "manual"
    ? "What a person does, and when, is not the decision of the platform."
    : "No answer and no event reports it.";
}
