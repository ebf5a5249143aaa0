import { addDays, daysBetween, isDate, isWeekend, localDate } from "../../../countries/brazil/calendar.ts";
import { type Call, type Traffic, at, createdAt, isDone, isRefusedFor, listAt, textAt } from "./traffic.ts";
import { type ScheduledPayment, SCHEDULED, scheduledPayments, eventsById } from "./scheduled-payments.ts";
import { type Frequency, cycleOf } from "../../../countries/brazil/cycles.ts";
import { type Found, type Range, type Try } from "./observer.ts";
import { isBankHoliday } from "../../../countries/brazil/bank-days.ts";
import { subscriptionRequests } from "./subscription-requests.ts";

/** First attempts by the days until they settle. */
export const daysAhead = (bound: "least" | "most") =>
  function* daysOf(traffic: Traffic): Iterable<Try> {
    const tries = Array.from(firstAttempts(traffic));
    const accepted = tries.filter(({ isAccepted }) => isAccepted).map(({ value }) => value);
    const pivot = accepted.length === 0 ? 5 : (Math.min(...accepted) + Math.max(...accepted)) / 2;
    for (const one of tries) {
      if (one.isAccepted || one.value < pivot === (bound === "least")) yield one;
    }
  };

function* firstAttempts(traffic: Traffic): Iterable<Try> {
  for (const call of traffic.of("createScheduledPayment")) {
    const dueDate = textAt(call.body, "dueDate") ?? "";
    if ((textAt(call.body, "purpose") ?? "FIRST_ATTEMPT") !== "FIRST_ATTEMPT" || !isDate(dueDate)) continue;
    const today = localDate(createdAt(call).from);
    if (isDone(call)) {
      const settles = textAt(call.answer, "settlementDate") ?? dueDate;
      if (isDate(settles)) yield { value: daysBetween(today, settles), isAccepted: true, seen: [call] };
    } else if (isOutOfWindow(call) && isWithinTerm(traffic, call, dueDate)) {
      const settles = settlesOn(traffic, call, dueDate);
      if (settles >= today) yield { value: daysBetween(today, settles), isAccepted: false, seen: [call] };
    }
  }
}

/** A refusal for the due date; another reason for it may have a name of its own. */
function isOutOfWindow(call: Call): boolean {
  if (!isRefusedFor(call, /^dueDate$/) || call.requestProblems.length > 0) return false;
  const details = listAt(call.answer, "details");
  return details.every(
    (detail) => textAt(detail, "field") === "dueDate" && textAt(detail, "issue") !== "CYCLE_TAKEN",
  );
}

/** Whether the date is in the term of the subscription, where that is known, and in a cycle of its own. */
function isWithinTerm(traffic: Traffic, call: Call, dueDate: string): boolean {
  const request = subscriptionRequests(traffic).get(call.params["id"] ?? "");
  if (request === undefined) return true;
  const startDate = textAt(request.body, "startDate") ?? "";
  const endDate = textAt(request.body, "endDate") ?? "9999-12-31";
  return dueDate >= startDate && dueDate <= endDate && othersInCycle(traffic, call, dueDate).length === 0;
}

/** The first attempts that were accepted before for the cycle of a due date. */
function othersInCycle(traffic: Traffic, call: Call, dueDate: string): ScheduledPayment[] {
  const request = subscriptionRequests(traffic).get(call.params["id"] ?? "");
  const startDate = textAt(request?.body, "startDate");
  const frequency = textAt(request?.body, "frequencyType") as Frequency | undefined;
  if (startDate === undefined || frequency === undefined || !isDate(startDate)) return [];
  const cycle = cycleOf(startDate, frequency, dueDate)?.index;
  return Array.from(scheduledPayments(traffic).values()).filter(
    (payment) =>
      payment.call.order < call.order &&
      payment.subscriptionId === call.params["id"] &&
      payment.purpose === "FIRST_ATTEMPT" &&
      isDate(payment.dueDate) &&
      cycleOf(startDate, frequency, payment.dueDate)?.index === cycle,
  );
}

/** Where a due date is moved to, as far as weekends go. */
function settlesOn(traffic: Traffic, call: Call, dueDate: string): string {
  const request = subscriptionRequests(traffic).get(call.params["id"] ?? "");
  if (at(request?.body, "allowAdjustToBusinessDay") !== true) return dueDate;
  let day = dueDate;
  while (isWeekend(day)) day = addDays(day, 1);
  return day;
}

/** Due dates on a national bank holiday during the week, of subscriptions that move them. */
export function* holidays(traffic: Traffic): Iterable<Found> {
  for (const { call, dueDate, settlementDate, subscriptionId } of scheduledPayments(traffic).values()) {
    const request = subscriptionRequests(traffic).get(subscriptionId);
    if (at(request?.body, "allowAdjustToBusinessDay") !== true || !isDate(dueDate)) continue;
    if (!isBankHoliday(dueDate) || isWeekend(dueDate)) continue;
    yield { is: settlementDate === dueDate ? "weekends" : "bank-holidays", seen: [call] };
  }
}

/** Charges of subscriptions of journey 3. */
export function* journey3(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.of("createScheduledPayment")) {
    const request = subscriptionRequests(traffic).get(call.params["id"] ?? "");
    if (textAt(request?.body, "type") !== "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT") continue;
    if (isDone(call)) yield { is: true, seen: [call] };
    else if (isRefusedFor(call, /^(id|subscription.*|type)$/) && !isUnaccepted(call))
      yield { is: false, seen: [call] };
  }
}

function isUnaccepted(call: Call): boolean {
  return listAt(call.answer, "details").some(
    (detail) => textAt(detail, "issue") === "SUBSCRIPTION_NOT_ACCEPTED",
  );
}

/** How many new attempts a charge takes. */
export function* retryCounts(traffic: Traffic): Iterable<Range> {
  const accepted = new Map<string, Call[]>();
  for (const call of traffic.of("createScheduledPayment")) {
    const original = textAt(call.body, "originalScheduledPaymentId");
    if (textAt(call.body, "purpose") !== "NEW_ATTEMPT_AFTER_DUE_DATE" || original === undefined) continue;
    const before = accepted.get(original) ?? [];
    if (isDone(call)) {
      if (before.some(({ answer }) => textAt(answer, "id") === textAt(call.answer, "id"))) continue;
      const counted = [...before, call].filter((one) => !isVoid(traffic, one));
      accepted.set(original, [...before, call]);
      yield { from: counted.length, to: Infinity, seen: [call] };
    } else if (isTooMany(call)) {
      const counted = before.filter((one) => !isVoid(traffic, one));
      if (counted.length > 0 || /TOO_MANY/.test(JSON.stringify(call.answer)))
        yield { from: -Infinity, to: counted.length, seen: [call] };
    }
  }
}

/** A refusal that is about the number of attempts: it names the charge, and there is nothing else wrong. */
function isTooMany(call: Call): boolean {
  const details = listAt(call.answer, "details");
  return (
    isRefusedFor(call, /^originalScheduledPaymentId$/) &&
    details.some((detail) => /TOO_MANY|LIMIT|QUNT/i.test(JSON.stringify(detail)))
  );
}

/** An attempt that was rejected, or canceled in time, does not count. */
function isVoid(traffic: Traffic, { answer }: Call): boolean {
  const events = eventsById(traffic).get(textAt(answer, "id") ?? "") ?? [];
  return events.some(
    ({ event, body }) =>
      event === `${SCHEDULED}.REJECTED` ||
      (event === `${SCHEDULED}.CANCELLATION.ACCEPTED` &&
        textAt(body, "data.cancellation.reason") !== "SETTLEMENT_ERROR"),
  );
}

/** New attempts by the days after the settlement date of the first. */
export function* retryDays(traffic: Traffic): Iterable<Try> {
  for (const call of traffic.of("createScheduledPayment")) {
    const original = scheduledPayments(traffic).get(textAt(call.body, "originalScheduledPaymentId") ?? "");
    const dueDate = textAt(call.body, "dueDate") ?? "";
    if (original === undefined || !isDate(dueDate) || !isDate(original.settlementDate)) continue;
    const settles = textAt(call.answer, "settlementDate") ?? settlesOn(traffic, call, dueDate);
    const value = daysBetween(original.settlementDate, settles);
    if (isDone(call)) yield { value, isAccepted: true, seen: [call] };
    else if (
      isOutOfWindow(call) &&
      settles > localDate(call.at.from) &&
      !isTaken(traffic, call, settles) &&
      isInCycleOf(traffic, original, settles)
    )
      yield { value, isAccepted: false, seen: [call] };
  }
}

function isTaken(traffic: Traffic, call: Call, settles: string): boolean {
  const original = textAt(call.body, "originalScheduledPaymentId");
  return Array.from(scheduledPayments(traffic).values()).some(
    (other) =>
      other.settlementDate === settles && textAt(other.call.body, "originalScheduledPaymentId") === original,
  );
}

function isInCycleOf(
  traffic: Traffic,
  { subscriptionId, dueDate }: ScheduledPayment,
  settles: string,
): boolean {
  const request = subscriptionRequests(traffic).get(subscriptionId);
  const startDate = textAt(request?.body, "startDate");
  const frequency = textAt(request?.body, "frequencyType") as Frequency | undefined;
  const endDate = textAt(request?.body, "endDate") ?? "9999-12-31";
  if (startDate === undefined || frequency === undefined || !isDate(startDate) || !isDate(dueDate))
    return false;
  const cycle = cycleOf(startDate, frequency, dueDate);
  return cycle !== undefined && settles <= cycle.end && settles <= endDate;
}

/** Whether the same external id is taken for two charges of two subscriptions. */
export function* externalIds(traffic: Traffic): Iterable<Found> {
  const first = new Map<string, ScheduledPayment>();
  for (const call of traffic.of("createScheduledPayment")) {
    const key = `${call.company} ${textAt(call.body, "externalId")}`;
    const before = first.get(key);
    const made = scheduledPayments(traffic).get(textAt(call.answer, "id") ?? "");
    if (before === undefined || before.subscriptionId === call.params["id"]) {
      if (made !== undefined && before === undefined) first.set(key, made);
      continue;
    }
    if (isDone(call)) yield { is: false, seen: [before.call, call] };
    else if (isRefusedFor(call, /^externalId$/)) yield { is: true, seen: [before.call, call] };
  }
}
