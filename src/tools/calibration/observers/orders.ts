import { addDays, daysBetween, localDate, localTime } from "../../../countries/brazil/calendar.ts";
import { type Call, type Traffic, type Webhook, at, centsAt, createdAt, textAt } from "./traffic.ts";
import {
  type Check,
  type Found,
  type Pair,
  type Range,
  derived,
  either,
  instant,
  msOfDay,
} from "./observer.ts";
import { nextBankBusinessDay } from "../../../countries/brazil/bank-days.ts";

const CREATE = ["createTransparentOrder", "createTransparentOrderV3"] as const;

export const MEXICO = ["CREDIT_CARD", "SPEI", "CASHSTORE", "CASHSTORE_WALLET", "NETWORK_PAYMENT"];

/** An order that the partner created, with the events about its payment. */
interface SeenOrder {
  readonly call: Call;
  readonly method: string;
  readonly events: readonly Webhook[];
}

export const payIns = derived((traffic: Traffic) =>
  Map.groupBy(
    traffic
      .named("ORDER-PAYIN.*")
      .filter(({ body }) => textAt(body, "type") !== "REFUND")
      .toSorted((one, other) => (one.at ?? 0) - (other.at ?? 0)),
    ({ body }) => textAt(body, "id") ?? "",
  ),
);

export const orders = derived((traffic: Traffic): ReadonlyMap<string, SeenOrder> => {
  const found = new Map<string, SeenOrder>();
  for (const call of traffic.done(...CREATE)) {
    const id = textAt(call.answer, "id");
    if (id === undefined || found.has(id)) continue;
    found.set(id, {
      call,
      method: textAt(call.body, "order.paymentMethod") ?? "",
      events: payIns(traffic).get(id) ?? [],
    });
  }
  return found;
});

/** Where events went, compared with the URL of their object. Only where there is more than one URL they can be distinguished. */
export const addresses = (part: "orders" | "payouts") =>
  function* addressesOf(traffic: Traffic): Iterable<Check> {
    const urls = new Set(traffic.events.map(({ url }) => pathOf(url)));
    const [configured] = traffic.done("getWebhook").map(({ answer }) => textAt(answer, "url"));
    const company = configured === undefined ? undefined : pathOf(configured);
    const events =
      part === "payouts"
        ? traffic.named("ORDER-PAYOUT.*")
        : [...orders(traffic).values()].flatMap(({ events: seen }) => seen);
    for (const event of events) {
      const order = orders(traffic).get(textAt(event.body, "id") ?? "");
      const own = textAt(order?.call.body, "order.notificationUrl");
      const expected = own === undefined || part === "payouts" ? company : pathOf(own);
      if (expected === undefined) continue;
      const isRight = pathOf(event.url) === expected;
      if (!isRight && urls.size < 2) continue;
      const name = own === undefined || part === "payouts" ? "the company's URL" : "their notificationUrl";
      yield either(isRight, [`events go to ${name}`, `an event goes to ${event.url}`], [event], name);
    }
  };

/** The host may be that of a tunnel or of a recorder. */
function pathOf(url: string): string {
  return URL_PARTS.exec(url)?.[1] ?? url;
}

const URL_PARTS = /^https?:\/\/[^/?#]*(\/[^#]*)?/;

/** Orders that expired, with the time until then. */
export function* expiring(traffic: Traffic): Iterable<Pair> {
  for (const { call, method, events } of orders(traffic).values()) {
    const expired = events.find(({ event }) => event === "ORDER-PAYIN.EXPIRED");
    if (expired?.at === undefined || expired.isByHand || method === "PIX" || method === "BOLETO") continue;
    yield { from: createdAt(call), to: instant(expired.at), seen: [call, expired] };
  }
}

const DAY_MS = 86_400_000;

const MORNING_MS = 12 * 3_600_000;

const DUE_DAYS_MAX = 60;

/** Bank slips that expired, with the days until they were due that fit. */
export function* slipExpiry(traffic: Traffic): Iterable<Range> {
  for (const { call, method, events } of orders(traffic).values()) {
    const expired = events.find(({ event }) => event === "ORDER-PAYIN.EXPIRED");
    if (method !== "BOLETO" || expired?.at === undefined || expired.isByHand) continue;
    // It can be paid until the end of its last day, so it expires as the next one begins.
    if (msOfDay(expired.at) > MORNING_MS) continue;
    const lastDay = addDays(localDate(expired.at), -1);
    const created = localDate(createdAt(call).from);
    const fitting = Array.from({ length: DUE_DAYS_MAX + 1 }, (_, days) => days).filter(
      (days) => nextBankBusinessDay(addDays(created, days)) === lastDay,
    );
    const [first] = fitting;
    const days = first === undefined ? daysBetween(created, lastDay) : first;
    yield { from: days * DAY_MS, to: (fitting.at(-1) ?? days) * DAY_MS, seen: [call, expired] };
  }
}

/** When a bank slip that was paid is PAID. With same-day, too, what was paid late waits for the next morning. */
export function* slipConfirmations(traffic: Traffic): Iterable<Found> {
  const found = [...orders(traffic).values()].flatMap(({ call, method, events }) => {
    const paid = events.find(({ event }) => event === "ORDER-PAYIN.PAID");
    if (method !== "BOLETO" || paid?.at === undefined) return [];
    const hour = localTime(paid.at).slice(0, "07:00".length);
    return [{ is: CONFIRMED_AT[hour] ?? "immediate", seen: [call, paid] }];
  });
  const isSameDay = found.some(({ is }) => is === "same-day");
  for (const one of found) if (!isSameDay || one.is !== "next-business-day") yield one;
}

const CONFIRMED_AT: Readonly<Record<string, string>> = { "07:00": "next-business-day", "18:00": "same-day" };

/** Money that is given back at once comes within this time after its payment. */
const AT_ONCE_MS_MAX = 3_600_000;

/** The refund of an order that no call requested, right after a payment. */
function givenBack(traffic: Traffic, { body, at: paidAt = 0 }: Webhook): Webhook | undefined {
  const requested = new Set(traffic.done("refundOrder").map(({ answer }) => textAt(answer, "id")));
  return traffic.named("ORDER-PAYIN.REFUNDED").find((refund) => {
    const passed = (refund.at ?? 0) - paidAt;
    const isOfOrder = textAt(refund.body, "id") === textAt(body, "id");
    return (
      isOfOrder && !requested.has(textAt(refund.body, "refundId")) && passed >= 0 && passed <= AT_ONCE_MS_MAX
    );
  });
}

/** Orders that were paid after they had ended. */
export function* latePayments(traffic: Traffic): Iterable<Found> {
  for (const { call, events } of orders(traffic).values()) {
    const ended = events.findIndex(({ event }) => /\.(EXPIRED|CANCELED)$/.test(event));
    const paid = events.slice(ended + 1).find(({ event }) => event === "ORDER-PAYIN.PAID");
    if (ended === -1 || paid === undefined) continue;
    const back = givenBack(traffic, paid);
    const seen = [call, events[ended]!, paid];
    yield back === undefined ? { is: "accept", seen } : { is: "return", seen: [...seen, back] };
  }
}

/** Orders that were paid more than they ask for. */
export function* overpayments(traffic: Traffic): Iterable<Found> {
  for (const { call, events } of orders(traffic).values()) {
    const asked = centsAt(call.answer, "finalAmount.value");
    for (const paid of events.filter(({ event }) => event === "ORDER-PAYIN.PAID")) {
      const amount = centsAt(paid.body, "amount.value");
      if (asked === undefined || amount === undefined || amount <= asked) continue;
      const back = givenBack(traffic, paid);
      yield back === undefined
        ? { is: "accept", seen: [call, paid] }
        : { is: "return-difference", seen: [call, paid, back] };
    }
  }
}

/** One of the fees of orders, in cents. */
export const fee = (name: "fixed" | "additional") =>
  function* feesOf(traffic: Traffic): Iterable<Found> {
    for (const { call } of orders(traffic).values()) {
      const cents = centsAt(call.answer, `fees.${name}`);
      // An order with an open amount has no fees.
      if (cents !== undefined && at(call.body, "order.amount") !== undefined)
        yield { is: cents, seen: [call] };
    }
  };

const BASIS_POINTS = 10_000;

/**
 * The part of the amount that is a fee, in hundredths of a percent. Cents may be rounded in either way: the exact fee
 * lies less than one from them.
 */
export function* feeRates(traffic: Traffic): Iterable<Range> {
  for (const { call } of orders(traffic).values()) {
    const cents = centsAt(call.answer, "fees.variable");
    const amount = centsAt(call.body, "order.amount.value");
    if (cents === undefined || amount === undefined || amount === 0) continue;
    const from = Math.max(0, Math.floor(((cents - 1) * BASIS_POINTS) / amount) + 1);
    const to = Math.ceil(((cents + 1) * BASIS_POINTS) / amount) - 1;
    yield { from: cents === 0 ? 0 : from, to: Math.max(from, to), seen: [call] };
  }
}
