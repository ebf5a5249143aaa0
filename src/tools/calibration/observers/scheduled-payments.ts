import { addDays, localDate } from "../../../countries/brazil/calendar.ts";
import { type Call, type Span, type Traffic, type Webhook, createdAt, textAt } from "./traffic.ts";
import {
  type Check,
  type Found,
  type Pair,
  type Try,
  derived,
  either,
  instant,
  msOfDay,
} from "./observer.ts";

export const SCHEDULED = "SUBSCRIPTION.SCHEDULED_PAYMENT";

/** A charge that the partner created, with the events about it. */
export interface ScheduledPayment {
  readonly call: Call;
  readonly id: string;
  readonly subscriptionId: string;
  readonly at: Span;
  readonly dueDate: string;
  readonly settlementDate: string;
  readonly purpose: string;
  readonly events: readonly Webhook[];
}

/** Events about scheduled payments by the id of the payment, oldest first. */
export const eventsById = derived((traffic: Traffic) =>
  Map.groupBy(
    traffic.named(`${SCHEDULED}.*`).toSorted((one, other) => (one.at ?? 0) - (other.at ?? 0)),
    ({ body }) => textAt(body, "data.id") ?? "",
  ),
);

export const scheduledPayments = derived((traffic: Traffic): ReadonlyMap<string, ScheduledPayment> => {
  const found = new Map<string, ScheduledPayment>();
  for (const call of traffic.done("createScheduledPayment")) {
    const id = textAt(call.answer, "id");
    const dueDate = textAt(call.answer, "dueDate") ?? textAt(call.body, "dueDate") ?? "";
    if (id === undefined || found.has(id)) continue;
    found.set(id, {
      call,
      id,
      subscriptionId: call.params["id"] ?? "",
      at: createdAt(call),
      dueDate,
      settlementDate: textAt(call.answer, "settlementDate") ?? dueDate,
      purpose: textAt(call.answer, "purpose") ?? textAt(call.body, "purpose") ?? "FIRST_ATTEMPT",
      events: eventsById(traffic).get(id) ?? [],
    });
  }
  return found;
});

/** From the creation of a charge to its first event, where that is the institution's answer. */
export function* scheduling(traffic: Traffic): Iterable<Pair> {
  for (const { call, at: from, events, settlementDate } of scheduledPayments(traffic).values()) {
    const [first] = events;
    if (first?.at === undefined || first.isByHand || !/\.(ACCEPTED|REJECTED)$/.test(first.event)) continue;
    if (first.event.includes("CANCELLATION")) continue;
    // On its day a charge is rejected because nobody answered.
    if (first.event.endsWith(".REJECTED") && localDate(first.at) >= settlementDate) continue;
    yield { from, to: instant(first.at), seen: [call, first] };
  }
}

/** What an attempt to settle ends in: paid, or a settlement error. */
function isAttempt({ event, body }: Webhook): boolean {
  return (
    event === `${SCHEDULED}.COMPLETED` ||
    (event === `${SCHEDULED}.CANCELLATION.ACCEPTED` &&
      textAt(body, "data.cancellation.reason") === "SETTLEMENT_ERROR")
  );
}

const NOON_MS = 12 * 3_600_000;

/** The attempts to settle charges on their day: the first of the day before noon, the second after it. */
export const attempts = (part: "first" | "second") =>
  function* attemptsOf(traffic: Traffic): Iterable<{ at: number; seen: Webhook[] }> {
    for (const { settlementDate, events } of scheduledPayments(traffic).values()) {
      const accepted = events.find(({ event }) => event === `${SCHEDULED}.ACCEPTED`);
      // One that was scheduled only on its day is tried when that was over.
      if (accepted?.at !== undefined && localDate(accepted.at) >= settlementDate) continue;
      const ended = events.find((event) => isAttempt(event));
      if (ended?.at === undefined || ended.isByHand || localDate(ended.at) !== settlementDate) continue;
      if (msOfDay(ended.at) < NOON_MS === (part === "first")) yield { at: ended.at, seen: [ended] };
    }
  };

/** When charges that were not paid on their day are final. */
export function* finalTimes(traffic: Traffic): Iterable<{ at: number; seen: Webhook[] }> {
  for (const ended of traffic.named(`${SCHEDULED}.CANCELED_INSUFFICIENT_BALANCE`))
    if (ended.at !== undefined && !ended.isByHand) yield { at: ended.at, seen: [ended] };
}

/** How long an institution takes to schedule a charge that nobody measured. */
const SCHEDULING_MS_MAX = 10_000;

/** From a settlement error to the resend: its first event comes once it is scheduled. */
export function* resending(traffic: Traffic): Iterable<Pair> {
  const measured = Array.from(scheduling(traffic), ({ from, to }) => ({
    from: Math.max(0, to.from - from.to),
    to: Math.max(0, to.to - from.from),
  }));
  const least = measured.length === 0 ? 0 : Math.min(...measured.map(({ from }) => from));
  const most = measured.length === 0 ? SCHEDULING_MS_MAX : Math.max(...measured.map(({ to }) => to));
  for (const events of eventsById(traffic).values()) {
    const [first] = events;
    if (first?.at === undefined || first.isByHand) continue;
    if (textAt(first.body, "data.purpose") !== "RESEND_DUE_TO_SETTLEMENT_ERROR") continue;
    const before = textAt(first.body, "data.originalScheduledPaymentId") ?? "";
    const failed = eventsById(traffic)
      .get(before)
      ?.find((event) => isAttempt(event));
    if (failed?.at === undefined || failed.event.endsWith(".COMPLETED")) continue;
    yield {
      from: instant(failed.at),
      to: { from: first.at - most, to: first.at - least },
      seen: [failed, first],
    };
  }
}

/** Requests to cancel a charge on the day before it settles: until when they are granted. */
export const cancellationTimes = (reason: "REQUESTED_BY_RECEIVER" | "REQUESTED_BY_PAYER") =>
  function* timesOf(traffic: Traffic): Iterable<Try> {
    for (const { settlementDate, events } of scheduledPayments(traffic).values()) {
      for (const asked of events) {
        if (asked.event !== `${SCHEDULED}.CANCELLATION.PENDING` || asked.at === undefined) continue;
        if (textAt(asked.body, "data.cancellation.reason") !== reason) continue;
        if (localDate(asked.at) !== addDays(settlementDate, -1)) continue;
        const id = textAt(asked.body, "data.cancellation.id");
        const answer = events.find(
          (event) => event !== asked && textAt(event.body, "data.cancellation.id") === id,
        );
        if (answer === undefined || answer.isByHand) continue;
        const isAccepted = answer.event.endsWith(".ACCEPTED");
        // A request that was still open when the charge settled was refused for that, not for its time.
        if (!isAccepted && textAt(answer.body, "data.status") === "COMPLETED") continue;
        yield { value: msOfDay(asked.at), isAccepted, seen: [asked, answer] };
      }
    }
  };

/** A completed charge is also a paid order, whose event follows. */
export function* paidOrders(traffic: Traffic): Iterable<Check> {
  const completed = new Map(
    traffic.named(`${SCHEDULED}.COMPLETED`).map((event) => [textAt(event.body, "data.id"), event]),
  );
  for (const paid of traffic.named("ORDER-PAYIN.PAID")) {
    const payment = completed.get(textAt(paid.body, "scheduledPayment.id"));
    if (payment === undefined) continue;
    // An event waits for the one before it about the same object, and may be overtaken by others meanwhile.
    const others = (eventsById(traffic).get(textAt(payment.body, "data.id") ?? "") ?? []).filter(
      (other) => other !== payment,
    );
    const hasWaited = others.some((other) => Math.abs((other.at ?? 0) - (payment.at ?? 0)) < 1_000);
    // Where no event came before it, one is missing from the file.
    if (hasWaited || others.length === 0) continue;
    const expected = "the COMPLETED of the charge comes before the ORDER-PAYIN.PAID of its order";
    const found = "ORDER-PAYIN.PAID comes before COMPLETED";
    const isBefore =
      payment.at !== undefined && paid.at !== undefined && payment.at !== paid.at
        ? payment.at < paid.at
        : payment.order < paid.order;
    yield either(isBefore, [expected, found], [payment, paid], "order of events");
  }
}

/** Cancellations that nobody requested: one event alone. */
export const alone = (reasons: readonly string[]) =>
  function* aloneOf(traffic: Traffic): Iterable<Found> {
    for (const events of eventsById(traffic).values()) {
      for (const ended of events) {
        if (ended.event !== `${SCHEDULED}.CANCELLATION.ACCEPTED`) continue;
        const reason = textAt(ended.body, "data.cancellation.reason") ?? "";
        if (!reasons.includes(reason)) continue;
        const id = textAt(ended.body, "data.cancellation.id");
        const pending = events.find(
          ({ event, body }) =>
            event.endsWith("CANCELLATION.PENDING") && textAt(body, "data.cancellation.id") === id,
        );
        // A cancellation that somebody requests may give any reason.
        if (pending?.isByHand === true) continue;
        yield pending === undefined
          ? { is: "accepted-alone", seen: [ended] }
          : { is: "pending-first", seen: [pending, ended] };
      }
    }
  };

/** One end-to-end id in every event of a charge. */
export function* endToEndIds(traffic: Traffic): Iterable<Check> {
  const paid = new Map(
    traffic.named("ORDER-PAYIN.PAID").map((event) => [textAt(event.body, "scheduledPayment.id"), event]),
  );
  for (const [id, events] of eventsById(traffic)) {
    const seen = events.filter(({ body }) => textAt(body, "data.cancellation.endToEndId") !== undefined);
    const order = paid.get(id);
    const ids = new Set(seen.map(({ body }) => textAt(body, "data.cancellation.endToEndId")));
    const ofOrder = textAt(order?.body, "endToEndId");
    if (order !== undefined && ofOrder !== undefined && seen.length > 0) ids.add(ofOrder);
    if (seen.length === 0) continue;
    yield either(ids.size === 1, ["a charge has one endToEndId", `it has ${ids.size}`], seen);
  }
}
