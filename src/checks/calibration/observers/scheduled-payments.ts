import { addDays, isDate, localDate } from "../../../simulator/countries/brazil/calendar.ts";
import { type TrafficCall, type Traffic, type Webhook, gapBetween, inTimeBy, lastBy } from "./traffic.ts";
import { textAt } from "../../../simulator/engine/json.ts";
import {
  type Check,
  type Found,
  type Observers,
  type Pair,
  type Range,
  type Try,
  INACTIVE,
  NEVER_SENT,
  atTimeOfDay,
  delay,
  derived,
  either,
  most,
  msOfDay,
  observer,
  until,
} from "./observer.ts";

const SCHEDULED = "SUBSCRIPTION.SCHEDULED_PAYMENT";
export const REJECTED = `${SCHEDULED}.REJECTED`;

/** The observers of created charges. */
export const scheduledPaymentObservers: Observers = {
  "charge.receiver-cutoff": most(
    "The answers to the receiver's requests on the day before the settlement date, by their time of day.",
    (traffic) => cancellationTimes(traffic, "REQUESTED_BY_RECEIVER"),
  ),
  "charge.payer-cutoff": most(
    "The answers to the payer's requests on the day before the settlement date, by their time of day.",
    (traffic) => cancellationTimes(traffic, "REQUESTED_BY_PAYER"),
  ),
  "charge.settlement-error-cancellation": observer(
    "The events of charges that are canceled for SETTLEMENT_ERROR.",
    (traffic) => alone(traffic, "SETTLEMENT_ERROR"),
  ),
  "charge.settlement-error-request": "The platform API has no call that requests it.",
  "charge.schedule-delay": delay(
    "The time from the creation of a charge to its ACCEPTED or REJECTED.",
    scheduling,
  ),
  "charge.first-attempt-at": observer(
    "The time of paid and failed charges before noon of the settlement date.",
    (traffic) => attempts(traffic, (msOf) => msOf < NOON_MS),
  ),
  "charge.second-attempt-at": observer(
    "The time of paid and failed charges after noon of the settlement date.",
    (traffic) => attempts(traffic, (msOf) => msOf >= NOON_MS),
  ),
  "charge.final-at": observer("The time of CANCELED_INSUFFICIENT_BALANCE.", (traffic) =>
    traffic
      .named(`${SCHEDULED}.CANCELED_INSUFFICIENT_BALANCE`)
      .flatMap((ended) =>
        ended.at === undefined || ended.isByHand ? [] : [atTimeOfDay(ended.at.from, [ended])],
      ),
  ),
  "charge.resend-delay": delay(
    "The time from the settlement error to the first event of the resend, minus the time for scheduling.",
    resending,
  ),
  "charge.events": NEVER_SENT,
  "charge.settles-as-order": observer(
    "The order of COMPLETED and the ORDER-PAYIN.PAID that names the charge.",
    paidOrders,
  ),
  "charge.inactive-account": INACTIVE,
  "charge.end-to-end-id": observer(
    "The endToEndId in all events of one charge and in the event of its order.",
    endToEndIds,
  ),
};

/** A charge that the partner created, with the events about it. */
export interface RecordedPayment {
  readonly call: TrafficCall;
  readonly subscriptionId: string;
  readonly dueDate: string;
  readonly settlementDate: string;
  readonly purpose: string;
  readonly events: readonly Webhook[];
}

/** Events about scheduled payments by the id of the payment, oldest first. */
export const eventsById = derived((traffic: Traffic) => inTimeBy("data.id", traffic.named(`${SCHEDULED}.*`)));

export const scheduledPayments = derived((traffic: Traffic): ReadonlyMap<string, RecordedPayment> => {
  const created = Array.from(traffic.created("createScheduledPayment"), ([id, call]) => {
    const { body, answer, params } = call;
    const dueDate = textAt(answer, "dueDate") ?? textAt(body, "dueDate") ?? "";
    const payment = {
      call,
      subscriptionId: params["id"] ?? "",
      dueDate,
      settlementDate: textAt(answer, "settlementDate") ?? dueDate,
      purpose: textAt(answer, "purpose") ?? textAt(body, "purpose") ?? "FIRST_ATTEMPT",
      events: eventsById(traffic).get(id) ?? [],
    };
    return [id, payment] as const;
  });
  return new Map(created);
});

/** Returns the reason why a charge is canceled, if an event says so. */
export function canceledFor({ event, body }: Webhook): string | undefined {
  const isCanceled = event === `${SCHEDULED}.CANCELLATION.ACCEPTED`;
  return isCanceled ? (textAt(body, "data.cancellation.reason") ?? "") : undefined;
}

/** Returns the time from the creation of a charge to its first event, if that event is the institution's answer. */
export function scheduling(traffic: Traffic): Pair[] {
  return Array.from(scheduledPayments(traffic).values()).flatMap(({ call, events, settlementDate }) => {
    const [first] = events;
    if (first?.event !== REJECTED && first?.event !== `${SCHEDULED}.ACCEPTED`) return [];
    // A rejection on the day of the charge means that the institution did not answer.
    const isLate = first.event === REJECTED && localDate(first.at?.from ?? 0) >= settlementDate;
    return isLate ? [] : until(call, first);
  });
}

/** Returns true if an event ends an attempt to settle: paid, or a settlement error. */
function isAttempt(event: Webhook): boolean {
  return event.event === `${SCHEDULED}.COMPLETED` || canceledFor(event) === "SETTLEMENT_ERROR";
}

const NOON_MS = 12 * 3_600_000;

/** Finds the attempts to settle charges on their day, by their time of day. */
export function* attempts(traffic: Traffic, isMeant: (msOf: number) => boolean): Iterable<Range> {
  for (const { settlementDate, events } of scheduledPayments(traffic).values()) {
    const accepted = events.find(({ event }) => event === `${SCHEDULED}.ACCEPTED`);
    // A charge that was scheduled only on its day is tried after that time.
    if (accepted?.at !== undefined && localDate(accepted.at.from) >= settlementDate) continue;
    const ended = events.find(isAttempt);
    if (ended?.at === undefined || ended.isByHand || localDate(ended.at.from) !== settlementDate) continue;
    if (isMeant(msOfDay(ended.at.from))) yield atTimeOfDay(ended.at.from, [ended]);
  }
}

/** The longest time that an institution takes to schedule a charge, if it was not measured. */
const SCHEDULING_MS_MAX = 10_000;

/** Finds the time from a settlement error to the resend. The first event of the resend comes once it is scheduled. */
function* resending(traffic: Traffic): Iterable<Pair> {
  const measured = scheduling(traffic);
  const least = measured.length === 0 ? 0 : Math.min(...measured.map(({ from, to }) => to.from - from.to));
  const most = Math.max(...measured.map(({ from, to }) => to.to - from.from));
  const taken = {
    from: Math.max(0, least),
    to: measured.length === 0 ? SCHEDULING_MS_MAX : Math.max(0, most),
  };
  for (const [first] of eventsById(traffic).values()) {
    if (first?.at === undefined || first.isByHand) continue;
    if (textAt(first.body, "data.purpose") !== "RESEND_DUE_TO_SETTLEMENT_ERROR") continue;
    const before = textAt(first.body, "data.originalScheduledPaymentId") ?? "";
    const failed = eventsById(traffic).get(before)?.find(isAttempt);
    if (failed?.at === undefined || failed.event.endsWith(".COMPLETED")) continue;
    const to = { from: first.at.from - taken.to, to: first.at.to - taken.from };
    yield { from: failed.at, to, seen: [failed, first] };
  }
}

/** Requests to cancel a charge on the day before it settles: until when they are granted. */
function* cancellationTimes(traffic: Traffic, reason: string): Iterable<Try> {
  for (const { settlementDate, events } of scheduledPayments(traffic).values()) {
    if (!isDate(settlementDate)) continue;
    for (const asked of events) {
      if (asked.event !== `${SCHEDULED}.CANCELLATION.PENDING` || asked.at === undefined) continue;
      if (textAt(asked.body, "data.cancellation.reason") !== reason) continue;
      if (localDate(asked.at.from) !== addDays(settlementDate, -1)) continue;
      const answer = events.find((event) => event !== asked && requestOf(event) === requestOf(asked));
      if (answer === undefined || answer.isByHand) continue;
      const isAccepted = answer.event.endsWith(".ACCEPTED");
      // A request that was still open when the charge settled was refused for that, not for its time.
      if (!isAccepted && textAt(answer.body, "data.status") === "COMPLETED") continue;
      yield { value: msOfDay(asked.at.from), isAccepted, seen: [asked, answer] };
    }
  }
}

/** Returns the request to cancel that an event is about. */
function requestOf({ body }: Webhook): string | undefined {
  return textAt(body, "data.cancellation.id");
}

/** Checks that a completed charge is also a paid order, and that the event of the order follows. */
function* paidOrders(traffic: Traffic): Iterable<Check> {
  const completed = lastBy("data.id", traffic.named(`${SCHEDULED}.COMPLETED`));
  for (const paid of traffic.named("ORDER-PAYIN.PAID")) {
    const id = textAt(paid.body, "scheduledPayment.id");
    const payment = completed.get(id);
    if (payment === undefined) continue;
    // An event waits for the event before it about the same object, and other events may overtake it during this time.
    const others = (eventsById(traffic).get(id ?? "") ?? []).filter((other) => other !== payment);
    const hasWaited = others.some(
      (other) =>
        other.at !== undefined && payment.at !== undefined && gapBetween(other.at, payment.at) < 1_000,
    );
    // If no event came before it, the file lacks an event.
    if (hasWaited || others.length === 0 || traffic.missing.webhooks) continue;
    const names = [
      "the COMPLETED of the charge comes before the ORDER-PAYIN.PAID of its order",
      "ORDER-PAYIN.PAID comes before COMPLETED",
    ] as const;
    const isTimed = payment.at !== undefined && paid.at !== undefined && gapBetween(payment.at, paid.at) > 0;
    const isBefore = isTimed ? payment.at.from < paid.at.from : payment.order < paid.order;
    yield either(isBefore, names, [payment, paid], "order of events");
  }
}

/** Finds cancellations without a request: a single event. */
export function* alone(traffic: Traffic, reason: string): Iterable<Found> {
  for (const events of eventsById(traffic).values()) {
    for (const ended of events.filter((event) => canceledFor(event) === reason)) {
      const pending = events.find(
        (event) => event.event.endsWith("CANCELLATION.PENDING") && requestOf(event) === requestOf(ended),
      );
      // A cancellation that somebody requests may give any reason.
      if (pending?.isByHand === true || (pending === undefined && traffic.missing.webhooks)) continue;
      yield pending === undefined
        ? { is: "accepted-alone", seen: [ended] }
        : { is: "pending-first", seen: [pending, ended] };
    }
  }
}

/** Checks that all events of a charge have one end-to-end id. */
function* endToEndIds(traffic: Traffic): Iterable<Check> {
  const paid = lastBy("scheduledPayment.id", traffic.named("ORDER-PAYIN.PAID"));
  for (const [id, events] of eventsById(traffic)) {
    const idIn = ({ body }: Webhook): string | undefined => textAt(body, "data.cancellation.endToEndId");
    const seen = events.filter((event) => idIn(event) !== undefined);
    const ofOrder = textAt(paid.get(id)?.body, "endToEndId");
    const ids = new Set([...seen.map(idIn), ...(ofOrder === undefined ? [] : [ofOrder])]);
    if (seen.length > 0)
      yield either(ids.size === 1, ["a charge has one endToEndId", `it has ${ids.size}`], seen);
  }
}
