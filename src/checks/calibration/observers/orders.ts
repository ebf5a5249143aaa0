import { addDays, daysBetween, localDate, localTime } from "../../../simulator/countries/brazil/calendar.ts";
import { type TrafficCall, type Traffic, type Webhook, centsAt, gapBetween, inTimeBy } from "./traffic.ts";
import { at, textAt } from "../../../simulator/engine/json.ts";
import {
  type Check,
  type Found,
  type Observer,
  type Observers,
  type Range,
  NEVER_SENT,
  SHAPE,
  delay,
  derived,
  either,
  msOfDay,
  observer,
  statusChanges,
  until,
} from "./observer.ts";
import { nextBankBusinessDay } from "../../../simulator/countries/brazil/bank-days.ts";
import { uniqueIds } from "./requests.ts";

const CREATE = ["createTransparentOrder", "createTransparentOrderV3"] as const;

export const orderObservers: Observers = {
  "order.field-names": SHAPE,
  "order.event-address": observer("The URL of the events of orders.", (traffic) =>
    addresses(
      traffic,
      Array.from(orders(traffic).values()).flatMap(({ call, events }) => {
        const own = textAt(call.body, "order.notificationUrl");
        return events.map((event) => ({ event, own }));
      }),
    ),
  ),
  "payout.webhook-url": observer("The URL of the events of payouts.", (traffic) =>
    addresses(
      traffic,
      traffic.named("ORDER-PAYOUT.*").map((event) => ({ event, own: undefined })),
    ),
  ),
  "order.message-id-header": "The traffic does not show if a header with another name has this meaning.",
  "order.statuses": statusChanges("The status of orders in answers and events.", "order"),
  "order.events": NEVER_SENT,
  "order.boleto-expiry": observer(
    "The days from the creation of a BOLETO to the last day of its payment.",
    slipExpiry,
  ),
  "order.boleto-confirmation": observer("The time of day of PAID for a BOLETO.", slipConfirmations),
  "order.boleto-grace":
    "No answer shows the due date of a boleto. order.boleto-expiry measures the days until its last day.",
  "order.partial-payment": "The traffic does not show a refused part payment.",
  "order.default-expiry": delay(
    "The time from the creation of an order that is neither PIX nor BOLETO to its EXPIRED.",
    (traffic) =>
      Array.from(orders(traffic).values())
        .filter(({ method }) => method !== "PIX" && method !== "BOLETO")
        .flatMap(({ call, events }) => until(call, events.find(isExpired))),
  ),
  "order.open-amount": "On the platform each payer chooses the amount.",
  "order.late-payment": observer(
    "ORDER-PAYIN.PAID after EXPIRED or CANCELED, and a refund that no call requested right after it.",
    latePayments,
  ),
  "order.overpayment": observer(
    "ORDER-PAYIN.PAID with more than the finalAmount of the answer, and a refund that no call requested right after it.",
    overpayments,
  ),
  "order.account": "No answer names the receiving account.",
  "order.external-id-unique": uniqueIds(
    "The answer to a second order with the same externalId.",
    "order.externalId",
    ...CREATE,
  ),
  "order.fee-fixed": fee("fixed"),
  "order.fee-variable": observer("fees.variable in answers, as a part of the amount.", feeRates),
  "order.fee-additional": fee("additional"),
  "order.deposit-banks": SHAPE,
};

export const MEXICO = ["CREDIT_CARD", "SPEI", "CASHSTORE", "CASHSTORE_WALLET", "NETWORK_PAYMENT"];

/** The events about the payment of orders, by the id of the order. */
export const payIns = derived((traffic: Traffic) =>
  inTimeBy(
    "id",
    traffic.named("ORDER-PAYIN.*").filter(({ body }) => textAt(body, "type") !== "REFUND"),
  ),
);

/** An order that the partner created, with the events about its payment. */
interface SeenOrder {
  readonly call: TrafficCall;
  readonly method: string;
  readonly events: readonly Webhook[];
}

export const orders = derived((traffic: Traffic): ReadonlyMap<string, SeenOrder> => {
  const created = Array.from(traffic.created(...CREATE), ([id, call]) => {
    const method = textAt(call.body, "order.paymentMethod") ?? "";
    return [id, { call, method, events: payIns(traffic).get(id) ?? [] }] as const;
  });
  return new Map(created);
});

function isPaid({ event }: Webhook): boolean {
  return event === "ORDER-PAYIN.PAID";
}

function isExpired({ event }: Webhook): boolean {
  return event === "ORDER-PAYIN.EXPIRED";
}

/**
 * Compares the addresses of events with the URL of their own object, or else of the company. The two can be
 * distinguished only if there are several URLs.
 */
function* addresses(
  traffic: Traffic,
  events: readonly { readonly event: Webhook; readonly own: string | undefined }[],
): Iterable<Check> {
  const urls = new Set(traffic.events.map(({ url }) => pathOf(url)));
  const companies = traffic.done("getWebhook").map(({ answer }) => textAt(answer, "url"));
  const [company] = companies;
  const isShared = new Set(companies).size > 1;
  for (const { event, own } of events) {
    const expected = own ?? company;
    // Without a token, the URL may belong to another company.
    if (expected === undefined || (own === undefined && isShared)) continue;
    const isRight = pathOf(event.url) === pathOf(expected);
    const name = own === undefined ? "the company's URL" : "their notificationUrl";
    if (isRight || urls.size > 1)
      yield either(isRight, [`events go to ${name}`, `an event goes to ${event.url}`], [event], name);
  }
}

/** Returns the path of a URL. Its host may be the host of a tunnel or of a recorder. */
function pathOf(url: string): string {
  return /^https?:\/\/[^/?#]*(\/[^#]*)?/.exec(url)?.[1] ?? url;
}

const DAY_MS = 86_400_000;

const MORNING_MS = 12 * 3_600_000;

const DUE_DAYS_MAX = 60;

/** Finds boletos that expired. Returns the possible numbers of days until they were due. */
function* slipExpiry(traffic: Traffic): Iterable<Range> {
  for (const { call, method, events } of orders(traffic).values()) {
    const [pair] = until(call, events.find(isExpired));
    // It can be paid until the end of its last day, so it expires at the beginning of the next day.
    if (method !== "BOLETO" || pair === undefined || msOfDay(pair.to.from) > MORNING_MS) continue;
    const lastDay = addDays(localDate(pair.to.from), -1);
    const created = localDate(pair.from.from);
    const fitting = Array.from({ length: DUE_DAYS_MAX + 1 }, (_, days) => days).filter(
      (days) => nextBankBusinessDay(addDays(created, days)) === lastDay,
    );
    const days = fitting[0] ?? daysBetween(created, lastDay);
    yield { from: days * DAY_MS, to: (fitting.at(-1) ?? days) * DAY_MS, seen: pair.seen };
  }
}

const CONFIRMED_AT: Readonly<Record<string, string>> = { "07:00": "next-business-day", "18:00": "same-day" };

/** Finds when a paid boleto is PAID. With same-day, too, a late payment waits for the next morning. */
function slipConfirmations(traffic: Traffic): Found[] {
  const found = Array.from(orders(traffic).values()).flatMap(({ call, method, events }) => {
    const paid = events.find(isPaid);
    if (method !== "BOLETO" || paid?.at === undefined) return [];
    const hour = localTime(paid.at.from).slice(0, "07:00".length);
    return [{ is: CONFIRMED_AT[hour] ?? "immediate", seen: [call, paid] }];
  });
  const isSameDay = found.some(({ is }) => is === "same-day");
  return found.filter(({ is }) => !isSameDay || is !== "next-business-day");
}

/** Money that is given back at once comes within this time after its payment. */
const AT_ONCE_MS_MAX = 3_600_000;

/** Returns the result of a payment: kept, or given back right after it by a refund that no call requested. */
function keptOr(
  given: string,
  traffic: Traffic,
  seen: readonly [TrafficCall, ...Webhook[]],
  paid: Webhook,
): Found[] {
  const requested = new Set(traffic.done("refundOrder").map(({ answer }) => textAt(answer, "id")));
  const back = traffic.named("ORDER-PAYIN.REFUNDED").find((refund) => {
    const [from, to] = [paid.at, refund.at];
    const isOfOrder = textAt(refund.body, "id") === textAt(paid.body, "id");
    const isRequested = requested.has(textAt(refund.body, "refundId"));
    return (
      isOfOrder && !isRequested && from && to && to.to >= from.from && gapBetween(from, to) <= AT_ONCE_MS_MAX
    );
  });
  if (back !== undefined) return [{ is: given, seen: [...seen, paid, back] }];
  return traffic.missing.webhooks ? [] : [{ is: "accept", seen: [...seen, paid] }];
}

/** Orders that were paid after they had ended. */
function* latePayments(traffic: Traffic): Iterable<Found> {
  for (const { call, events } of orders(traffic).values()) {
    const at = events.findIndex(({ event }) => /\.(EXPIRED|CANCELED)$/.test(event));
    const ended = events[at];
    const paid = events.slice(at + 1).find(isPaid);
    if (ended !== undefined && paid !== undefined) yield* keptOr("return", traffic, [call, ended], paid);
  }
}

/** Orders that were paid more than they ask for. */
function* overpayments(traffic: Traffic): Iterable<Found> {
  for (const { call, events } of orders(traffic).values()) {
    const asked = centsAt(call.answer, "finalAmount.value") ?? Infinity;
    for (const paid of events.filter(isPaid))
      if ((centsAt(paid.body, "amount.value") ?? 0) > asked)
        yield* keptOr("return-difference", traffic, [call], paid);
  }
}

/** Observes one of the fees of orders, in cents. */
function fee(name: "fixed" | "additional"): Observer {
  return observer(`fees.${name} in answers.`, (traffic) =>
    Array.from(orders(traffic).values(), ({ call }) => ({
      is: centsAt(call.answer, `fees.${name}`),
      seen: [call],
    }))
      // An order with an open amount has no fees.
      .filter(({ is, seen: [call] }) => is !== undefined && at(call?.body, "order.amount") !== undefined),
  );
}

const BASIS_POINTS = 10_000;

/**
 * Finds the part of the amount that is a fee, in hundredths of a percent. Cents may be rounded in either way: the exact
 * fee is less than one cent away.
 */
function* feeRates(traffic: Traffic): Iterable<Range> {
  for (const { call } of orders(traffic).values()) {
    const cents = centsAt(call.answer, "fees.variable");
    const amount = centsAt(call.body, "order.amount.value");
    if (cents === undefined || amount === undefined || amount === 0) continue;
    const from = Math.max(0, Math.floor(((cents - 1) * BASIS_POINTS) / amount) + 1);
    const to = Math.ceil(((cents + 1) * BASIS_POINTS) / amount) - 1;
    yield { from: cents === 0 ? 0 : from, to: Math.max(from, to), seen: [call] };
  }
}
