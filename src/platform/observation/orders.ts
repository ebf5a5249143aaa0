import { addDays, daysBetween, localDate, localTime } from "../../countries/brazil/calendar.ts";
import {
  type Call,
  type Traffic,
  type Webhook,
  at,
  centsAt,
  createdAt,
  isDone,
  isRefusedFor,
  textAt,
} from "./traffic.ts";
import { cardCheckSum } from "../orders/card-number.ts";
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
import { nextBankBusinessDay } from "../../countries/brazil/bank-days.ts";
import { subscriptionRequests } from "./subscription-requests.ts";

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

/** How orders are answered that break one rule. */
const refusalOf = (isMeant: (call: Call) => boolean, what: string, isAbout: RegExp) =>
  function* refusals(traffic: Traffic): Iterable<Check> {
    for (const call of traffic.of(...CREATE)) {
      if (!isMeant(call)) continue;
      if (isDone(call) || isRefusedFor(call, isAbout))
        yield either(!isDone(call), [`${what} is refused`, "it is accepted"], [call]);
    }
  };

export const otherInstallments = refusalOf(
  ({ body }) =>
    Number(at(body, "order.installments") ?? 1) > 1 && textAt(body, "order.paymentMethod") !== "CREDIT_CARD",
  "more than one installment without a card",
  /installments$/,
);

export const twoBankSlugs = refusalOf(
  ({ body }) => {
    const slugs = [textAt(body, "order.bankSlug"), textAt(body, "paymentDetails.bankSlug")];
    return slugs[0] !== undefined && slugs[1] !== undefined && slugs[0] !== slugs[1];
  },
  "a second bankSlug that differs",
  /bankSlug$/,
);

export const twoCards = refusalOf(
  ({ body }) =>
    at(body, "paymentDetails.card") !== undefined && at(body, "paymentDetails.cardToken") !== undefined,
  "card together with cardToken",
  /card/i,
);

export const wrongCards = refusalOf(
  ({ body, requestProblems }) => {
    const number = textAt(body, "paymentDetails.card.number") ?? "";
    return requestProblems.length === 0 && /^\d{12,19}$/.test(number) && cardCheckSum(number) !== 0;
  },
  "a card number that does not check",
  /card/i,
);

/** Orders without a customer. */
export function* leftOutCustomers(traffic: Traffic): Iterable<Check> {
  for (const call of traffic.of(...CREATE)) {
    if (at(call.body, "customer") !== undefined) continue;
    if (call.requestProblems.some(({ field }) => field !== "customer")) continue;
    const isPartner =
      textAt(call.body, "order.paymentMethod") === "PIX" &&
      textAt(call.body, "order.partner") === "PIX_PARTNER";
    if (!isDone(call) && !isRefusedFor(call, /^customer/)) continue;
    yield isPartner
      ? either(
          isDone(call),
          ["PIX_PARTNER may leave the customer out", "it is refused"],
          [call],
          "PIX_PARTNER",
        )
      : either(!isDone(call), ["any other order needs a customer", "it is accepted"], [call], "others");
  }
}

/** The codes of orders that come of subscriptions. */
export function* codesOfSubscriptions(traffic: Traffic): Iterable<Check> {
  const byOrder = new Map<string, Call>();
  for (const call of subscriptionRequests(traffic).values()) {
    const orderId = textAt(call.answer, "initialCharge.orderId");
    if (orderId !== undefined) byOrder.set(orderId, call);
  }
  for (const events of payIns(traffic).values()) {
    for (const event of events) {
      const code = textAt(event.body, "code") ?? "";
      const charge = textAt(event.body, "scheduledPayment.externalId");
      const created = byOrder.get(textAt(event.body, "id") ?? "");
      const expected = charge ?? textAt(created?.answer, "initialCharge.conciliationId");
      if (expected !== undefined) {
        const name = charge === undefined ? "conciliationId" : "externalId of the charge";
        yield either(code === expected, [`the code is the ${name}`, "it is another code"], [event], name);
      }
      const request = subscriptionRequests(traffic).get(textAt(event.body, "subscription.id") ?? "");
      if (request !== undefined)
        yield either(
          textAt(event.body, "subscription.code") === textAt(request.body, "externalId"),
          ["subscription.code is the externalId", "it is another code"],
          [event],
          "subscription.code",
        );
    }
  }
}

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

/** When a bank slip that was paid is PAID. */
export function* slipConfirmations(traffic: Traffic): Iterable<Found> {
  for (const { call, method, events } of orders(traffic).values()) {
    const paid = events.find(({ event }) => event === "ORDER-PAYIN.PAID");
    if (method !== "BOLETO" || paid?.at === undefined) continue;
    const isMorning = localTime(paid.at).startsWith("07:00");
    yield { is: isMorning ? "next-business-day" : "immediate", seen: [call, paid] };
  }
}

/** Payments in parts of a PIX code that has an amount. */
export function* partsOfPix(traffic: Traffic): Iterable<Check> {
  for (const { call, method, events } of orders(traffic).values()) {
    const part = events.find(({ event }) => event === "ORDER-PAYIN.PARTIALLY_PAID");
    if (part === undefined) continue;
    const isPixWithAmount = method === "PIX" && at(call.body, "order.amount") !== undefined;
    yield either(
      !isPixWithAmount,
      isPixWithAmount
        ? ["a PIX code with an amount is paid in full", "it is paid in parts"]
        : ["another order can be paid in parts", ""],
      [call, part],
      isPixWithAmount ? "PIX" : "others",
    );
  }
}

/** Orders that were declined. */
export function* declined(traffic: Traffic): Iterable<Check> {
  for (const { method, events } of orders(traffic).values())
    for (const event of events) {
      const message = textAt(event.body, "message") ?? "";
      const isCanceled = event.event === "ORDER-PAYIN.CANCELED" && !event.isByHand;
      if (isCanceled && method === "CREDIT_CARD" && /declin|issuer|insufficient/i.test(message))
        yield either(false, ["it is ERROR, with the reason in message", "it is CANCELED"], [event]);
      if (event.event === "ORDER-PAYIN.ERROR")
        yield either(
          textAt(event.body, "status") === "ERROR" && message !== "",
          [
            "it is ERROR, with the reason in message",
            `it is ${textAt(event.body, "status")} without a reason`,
          ],
          [event],
        );
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

/** How cards are challenged. */
export function* threeDs(traffic: Traffic): Iterable<Check> {
  for (const { call, method } of orders(traffic).values()) {
    if (method !== "CREDIT_CARD") continue;
    const skip = at(call.body, "paymentDetails.card.skipThreeDs");
    const hasToken = at(call.body, "paymentDetails.threeDsToken") !== undefined;
    const status = textAt(call.answer, "threeDs.status") ?? "absent";
    if (hasToken)
      yield {
        aspect: "token",
        expected: "with a threeDsToken: AUTHENTICATED",
        found: `with a threeDsToken: ${status}`,
        seen: [call],
      };
    else if (skip === true)
      yield {
        aspect: "skip",
        expected: "skipThreeDs true: SKIPPED",
        found: `skipThreeDs true: ${status}`,
        seen: [call],
      };
    else if (skip === false)
      yield {
        aspect: "request",
        expected: "skipThreeDs false: CHALLENGE",
        found: `skipThreeDs false: ${status}`,
        seen: [call],
      };
  }
}

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  PIX: ["qrcodeData", "qrcodeImageBase64"],
  EXCHANGE_PAY: ["deeplink", "universalUrl"],
  CREDIT_CARD: ["threeDs"],
  SPEI: ["bankAccount"],
};

/** What orders answer with, by payment method. */
export function* responseGroups(traffic: Traffic): Iterable<Check> {
  const all = Object.values(GROUPS).flat().concat("checkoutUrl", "token");
  for (const { call, method } of orders(traffic).values()) {
    const expected = GROUPS[method] ?? ["checkoutUrl", "token"];
    const found = all.filter((name) => at(call.answer, name) !== undefined);
    yield {
      aspect: method,
      expected: `${method}: ${expected.toSorted().join(", ")}`,
      found: `${method}: ${found.toSorted().join(", ")}`,
      seen: [call],
    };
  }
}

/** Version 3: a PIX order without an amount. */
export function* openAmounts(traffic: Traffic): Iterable<Check> {
  for (const call of traffic.of("createTransparentOrderV3")) {
    if (textAt(call.body, "order.paymentMethod") !== "PIX" || at(call.body, "order.amount") !== undefined)
      continue;
    if (isDone(call) || isRefusedFor(call, /amount/) || call.status === 404)
      yield either(
        isDone(call),
        ["a PIX order may leave its amount open", `it is refused with ${call.status}`],
        [call],
      );
  }
}
