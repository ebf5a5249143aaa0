import {
  addDays,
  daysBetween,
  isDate,
  isWeekend,
  localDate,
} from "../../../simulator/countries/brazil/calendar.ts";
import {
  type TrafficCall,
  type Traffic,
  createdAt,
  detailsOf,
  isDone,
  isRefusedFor,
  isWellFormed,
} from "./traffic.ts";
import { at, textAt } from "../../../simulator/engine/json.ts";
import {
  type Found,
  type Observers,
  type Range,
  type Try,
  OTHER_REASONS,
  answered,
  least,
  most,
  observer,
} from "./observer.ts";
import {
  type RecordedPayment,
  REJECTED,
  canceledFor,
  eventsById,
  scheduledPayments,
} from "./scheduled-payments.ts";
import { type Cycle, type Frequency, cycleOf } from "../../../simulator/countries/brazil/cycles.ts";
import { isBankHoliday } from "../../../simulator/countries/brazil/bank-days.ts";
import { subscriptionRequests } from "./subscriptions.ts";

/** Of requests to create charges. */
export const scheduledPaymentRequestObservers: Observers = {
  "charge.window-min-days": least(
    "The number of days ahead for which charges are accepted, and the smaller numbers that are refused.",
    (traffic) => daysAhead(traffic, (days, middle) => days < middle),
  ),
  "charge.window-max-days": most(
    "The number of days ahead for which charges are accepted, and the larger numbers that are refused.",
    (traffic) => daysAhead(traffic, (days, middle) => days >= middle),
  ),
  "charge.external-id-unique": observer(
    "The answer to an externalId that a charge of another subscription has.",
    externalIds,
  ),
  "charge.business-days": observer(
    "The settlementDate of a charge that is due on a national bank holiday.",
    (traffic) =>
      Array.from(scheduledPayments(traffic).values())
        .filter(({ call, dueDate }) => isMoved(traffic, call) && isDate(dueDate))
        .filter(({ dueDate }) => isBankHoliday(dueDate) && !isWeekend(dueDate))
        .map(({ call, dueDate, settlementDate }): Found => {
          return { is: settlementDate === dueDate ? "weekends" : "bank-holidays", seen: [call] };
        }),
  ),
  "charge.journey-3": observer("The answer to a charge of a subscription of journey 3.", (traffic) =>
    traffic
      .of("createScheduledPayment")
      .filter((call) => isOfJourney3(traffic, call) && !hasIssue(call, "SUBSCRIPTION_NOT_ACCEPTED"))
      .flatMap((call) =>
        answered(call, { accepted: true, refused: false, field: /^(id|subscription.*|type)$/ }),
      ),
  ),
  "charge.retries-max": observer(
    "The number of accepted new attempts of one charge, and the number before a refusal.",
    retryCounts,
  ),
  "charge.retry-days-max": most(
    "The days after the first settlement date on which new attempts are accepted and refused.",
    retryDays,
  ),
  "charge.per-cycle": OTHER_REASONS,
  "charge.cycles": "Only the refusals of charge.per-cycle show the dates of cycles.",
  "charge.amount": OTHER_REASONS,
};

/** Returns the request of the subscription of a requested charge. */
function subscriptionOf(traffic: Traffic, { params }: TrafficCall): unknown {
  return subscriptionRequests(traffic).get(params["id"] ?? "")?.body;
}

function isOfJourney3(traffic: Traffic, call: TrafficCall): boolean {
  return textAt(subscriptionOf(traffic, call), "type") === "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT";
}

/** Returns true if due dates are moved to business days. */
function isMoved(traffic: Traffic, call: TrafficCall): boolean {
  return at(subscriptionOf(traffic, call), "allowAdjustToBusinessDay") === true;
}

function hasIssue(call: TrafficCall, issue: string): boolean {
  return detailsOf(call).some((detail) => detail.issue === issue);
}

const NO_END = "9999-12-31";

/** Returns the cycle of a date in a subscription. Undefined if it is unknown. */
function cycleIn(subscription: unknown, date: string): Cycle | undefined {
  const startDate = textAt(subscription, "startDate");
  const frequency = textAt(subscription, "frequencyType") as Frequency | undefined;
  if (startDate === undefined || frequency === undefined || !isDate(startDate) || !isDate(date))
    return undefined;
  return cycleOf(startDate, frequency, date);
}

/**
 * Returns first attempts by the days until their settlement. Refused attempts count only on one side of the accepted
 * attempts.
 */
function daysAhead(traffic: Traffic, isMeant: (days: number, middle: number) => boolean): Try[] {
  const tries = Array.from(firstAttempts(traffic));
  const accepted = tries.filter(({ isAccepted }) => isAccepted).map(({ value }) => value);
  const middle = accepted.length === 0 ? 5 : (Math.min(...accepted) + Math.max(...accepted)) / 2;
  return tries.filter(({ isAccepted, value }) => isAccepted || isMeant(value, middle));
}

function* firstAttempts(traffic: Traffic): Iterable<Try> {
  for (const call of traffic.of("createScheduledPayment")) {
    const dueDate = textAt(call.body, "dueDate") ?? "";
    if ((textAt(call.body, "purpose") ?? "FIRST_ATTEMPT") !== "FIRST_ATTEMPT" || !isDate(dueDate)) continue;
    const today = localDate(createdAt(call).from);
    const isAccepted = isDone(call);
    const settles = isAccepted
      ? (textAt(call.answer, "settlementDate") ?? dueDate)
      : settlesOn(traffic, call, dueDate);
    const isRefused = isOutOfWindow(call) && isWithinTerm(traffic, call, dueDate) && settles >= today;
    if (isDate(settles) && (isAccepted || isRefused))
      yield { value: daysBetween(today, settles), isAccepted, seen: [call] };
  }
}

/** Returns true if a call is refused for the due date. Another reason for it may have a separate name. */
function isOutOfWindow(call: TrafficCall): boolean {
  return (
    isRefusedFor(call, /^dueDate$/) &&
    isWellFormed(call) &&
    detailsOf(call).every(({ field, issue }) => field === "dueDate" && issue !== "CYCLE_TAKEN")
  );
}

/** Returns true if the date is in the term of the subscription, if that is known, and in a free cycle. */
function isWithinTerm(traffic: Traffic, call: TrafficCall, dueDate: string): boolean {
  const subscription = subscriptionOf(traffic, call);
  if (traffic.missing.calls) return false;
  if (subscription === undefined) return true;
  const startDate = textAt(subscription, "startDate") ?? "";
  const endDate = textAt(subscription, "endDate") ?? NO_END;
  return dueDate >= startDate && dueDate <= endDate && !isCycleTaken(traffic, call, dueDate);
}

/** Returns true if a first attempt was accepted before for the cycle of a due date. */
function isCycleTaken(traffic: Traffic, call: TrafficCall, dueDate: string): boolean {
  const subscription = subscriptionOf(traffic, call);
  const cycle = cycleIn(subscription, dueDate)?.index;
  return Array.from(scheduledPayments(traffic).values()).some(
    (payment) =>
      payment.call.order < call.order &&
      payment.subscriptionId === call.params["id"] &&
      payment.purpose === "FIRST_ATTEMPT" &&
      cycle !== undefined &&
      cycleIn(subscription, payment.dueDate)?.index === cycle,
  );
}

/** Returns the date after moving a due date because of weekends. */
function settlesOn(traffic: Traffic, call: TrafficCall, dueDate: string): string {
  let day = dueDate;
  while (isMoved(traffic, call) && isWeekend(day)) day = addDays(day, 1);
  return day;
}

/** Finds the number of new attempts that a charge allows. */
function* retryCounts(traffic: Traffic): Iterable<Range> {
  const accepted = new Map<string, TrafficCall[]>();
  for (const call of traffic.of("createScheduledPayment")) {
    const original = textAt(call.body, "originalScheduledPaymentId");
    if (textAt(call.body, "purpose") !== "NEW_ATTEMPT_AFTER_DUE_DATE" || original === undefined) continue;
    const before = accepted.get(original) ?? [];
    const counted = before.filter((one) => !isVoid(traffic, one)).length;
    if (isDone(call)) {
      if (before.some(({ answer }) => textAt(answer, "id") === textAt(call.answer, "id"))) continue;
      accepted.set(original, [...before, call]);
      yield { from: counted + (isVoid(traffic, call) ? 0 : 1), to: Infinity, seen: [call] };
    } else if (
      !traffic.missing.calls &&
      isTooMany(call) &&
      (counted > 0 || /TOO_MANY/.test(JSON.stringify(call.answer)))
    )
      yield { from: -Infinity, to: counted, seen: [call] };
  }
}

/** Returns true if a refusal is about the number of attempts: it then names the charge. */
function isTooMany(call: TrafficCall): boolean {
  return (
    isRefusedFor(call, /^originalScheduledPaymentId$/) &&
    /TOO_MANY|LIMIT/i.test(JSON.stringify(detailsOf(call)))
  );
}

/** Returns true if an attempt does not count: it was rejected, or canceled in time. */
function isVoid(traffic: Traffic, { answer }: TrafficCall): boolean {
  const events = eventsById(traffic).get(textAt(answer, "id") ?? "") ?? [];
  return events.some(
    (event) => event.event === REJECTED || (canceledFor(event) ?? "SETTLEMENT_ERROR") !== "SETTLEMENT_ERROR",
  );
}

/** Finds new attempts by the days after the settlement date of the first. */
function* retryDays(traffic: Traffic): Iterable<Try> {
  for (const call of traffic.of("createScheduledPayment")) {
    const original = originalOf(traffic, call);
    const dueDate = textAt(call.body, "dueDate") ?? "";
    if (original === undefined || !isDate(dueDate) || !isDate(original.settlementDate)) continue;
    const settles = textAt(call.answer, "settlementDate") ?? settlesOn(traffic, call, dueDate);
    const isOfDate =
      !traffic.missing.calls &&
      isOutOfWindow(call) &&
      settles > localDate(call.at.from) &&
      !isTaken(traffic, original, settles) &&
      isInCycleOf(traffic, original, settles);
    if (isDate(settles) && (isDone(call) || isOfDate)) {
      const value = daysBetween(original.settlementDate, settles);
      yield { value, isAccepted: isDone(call), seen: [call] };
    }
  }
}

/** Returns the original charge of a requested new attempt. */
function originalOf(traffic: Traffic, { body }: TrafficCall): RecordedPayment | undefined {
  return scheduledPayments(traffic).get(textAt(body, "originalScheduledPaymentId") ?? "");
}

/** Returns true if another attempt settles on a day. */
function isTaken(traffic: Traffic, original: RecordedPayment, settles: string): boolean {
  return Array.from(scheduledPayments(traffic).values()).some(
    (other) => other.settlementDate === settles && originalOf(traffic, other.call) === original,
  );
}

function isInCycleOf(traffic: Traffic, { call, dueDate }: RecordedPayment, settles: string): boolean {
  const subscription = subscriptionOf(traffic, call);
  const cycle = cycleIn(subscription, dueDate);
  return (
    cycle !== undefined && settles <= cycle.end && settles <= (textAt(subscription, "endDate") ?? NO_END)
  );
}

/** Finds out if the same external id is accepted for two charges of two subscriptions. */
function* externalIds(traffic: Traffic): Iterable<Found> {
  const first = new Map<string, RecordedPayment>();
  for (const call of traffic.of("createScheduledPayment")) {
    const externalId = textAt(call.body, "externalId");
    if (externalId === undefined) continue;
    const key = `${call.company} ${externalId}`;
    const before = first.get(key);
    const made = scheduledPayments(traffic).get(textAt(call.answer, "id") ?? "");
    if (before === undefined && made !== undefined) first.set(key, made);
    // Without a token, two companies may each have the id.
    const isKnown = call.company !== "" || !isDone(call);
    if (before !== undefined && isKnown && before.subscriptionId !== call.params["id"])
      yield* answered(call, { accepted: false, refused: true, field: /^externalId$/ }, [before.call, call]);
  }
}
