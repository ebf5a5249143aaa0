import {
  type Traffic,
  type Webhook,
  at,
  centsAt,
  createdAt,
  instantAt,
  isDone,
  isRefused,
  isRefusedFor,
  textAt,
} from "./traffic.ts";
import { type Check, type Found, type Pair, type Try, derived, either, instant } from "./observer.ts";
import { MEXICO, orders, payIns } from "./orders.ts";
import { subscriptionRequests } from "./subscription-requests.ts";

/** Orders and refunds that were paid, by the id of the order. */
const paidAt = derived((traffic: Traffic) => {
  const found = new Map<string, Webhook>();
  for (const [id, events] of payIns(traffic)) {
    const paid = events.findLast(({ event }) => /\.(PAID|PARTIALLY_PAID)$/.test(event));
    if (paid !== undefined) found.set(id, paid);
  }
  return found;
});

/** What is left of a paid order at a call, in cents; undefined where it is not known. */
function leftOf(traffic: Traffic, orderId: string, order: number): number | undefined {
  const paid = paidAt(traffic).get(orderId);
  const total = centsAt(paid?.body, "amount.value");
  if (paid === undefined || total === undefined || paid.order > order) return undefined;
  const failed = new Set(
    traffic
      .named("ORDER-PAYIN.REJECTED", "ORDER-PAYIN.ERROR")
      .filter((event) => event.order < order)
      .map(({ body }) => textAt(body, "refundId")),
  );
  const taken = traffic
    .done("refundOrder")
    .filter((call) => call.order < order && textAt(call.body, "orderId") === orderId)
    .filter(({ answer }) => !failed.has(textAt(answer, "id")))
    .reduce((sum, { body }) => sum + (centsAt(body, "amount") ?? 0), 0);
  return total - taken;
}

/** Refunds by the time since the payment: one that nothing else speaks against is refused for the time. */
export function* refundTimes(traffic: Traffic): Iterable<Try> {
  for (const call of traffic.of("refundOrder")) {
    const orderId = textAt(call.body, "orderId") ?? "";
    const paid = paidAt(traffic).get(orderId);
    const since = instantAt(paid?.body, "paidAt") ?? paid?.at;
    if (since === undefined || paid === undefined || paid.order > call.order) continue;
    const when = createdAt(call);
    if (isDone(call)) {
      yield { value: when.from - since, isAccepted: true, seen: [paid, call] };
      continue;
    }
    const left = leftOf(traffic, orderId, call.order);
    const amount = centsAt(call.body, "amount");
    const isOtherwiseRight =
      call.requestProblems.length === 0 &&
      left !== undefined &&
      amount !== undefined &&
      amount > 0 &&
      amount <= left;
    // What belongs to another company is refused at any time.
    const isForeign = ownersOf(traffic, orderId).some((company) => company !== call.company);
    const isOfMexico = MEXICO.includes(orders(traffic).get(orderId)?.method ?? "");
    if (
      isRefused(call) &&
      isOtherwiseRight &&
      paid.event === "ORDER-PAYIN.PAID" &&
      !isOfMexico &&
      !isForeign &&
      !isRefusedFor(call, /^idempotency/i)
    )
      yield { value: when.to - since, isAccepted: false, seen: [paid, call] };
  }
}

/** The companies that made an order, or the subscription it came of. */
function ownersOf(traffic: Traffic, orderId: string): string[] {
  const order = orders(traffic).get(orderId)?.call;
  const requests = [...subscriptionRequests(traffic).values()];
  const request = requests.find(({ answer }) => textAt(answer, "initialCharge.orderId") === orderId);
  return [order, request].flatMap((call) => (call === undefined ? [] : [call.company]));
}

const REFUNDS = ["ORDER-PAYIN.REFUNDED", "ORDER-PAYIN.REJECTED", "ORDER-PAYIN.ERROR"];

/** From the request of a refund to its outcome. */
export function* refunding(traffic: Traffic): Iterable<Pair> {
  const outcomes = new Map(traffic.named(...REFUNDS).map((event) => [textAt(event.body, "refundId"), event]));
  for (const call of traffic.done("refundOrder")) {
    const outcome = outcomes.get(textAt(call.answer, "id"));
    if (outcome?.at === undefined || outcome.isByHand || outcome.order < call.order) continue;
    yield { from: createdAt(call), to: instant(outcome.at), seen: [call, outcome] };
  }
}

export function* refundIds(traffic: Traffic): Iterable<Check> {
  for (const call of traffic.done("refundOrder")) {
    const id = textAt(call.answer, "endToEndId") ?? "";
    yield either(
      /^D[0-9A-Z]{8}\d{12}[0-9A-Za-z]{11}$/.test(id),
      ["D, ISPB, minute: 32 characters", `it is ${id}`],
      [call],
    );
  }
}

/** The fields of refund events. */
export function* refundEvents(traffic: Traffic): Iterable<Found> {
  for (const event of traffic.named(...REFUNDS)) {
    if (textAt(event.body, "type") !== "REFUND") continue;
    const isRefunded = event.event.endsWith(".REFUNDED");
    const hasTime = typeof at(event.body, "refundedAt") === "string";
    if (hasTime !== isRefunded) yield { is: "refundedAt is not so", seen: [event] };
    else if (isRefunded)
      yield { is: textAt(event.body, "message") === "" ? "empty" : "sentence", seen: [event] };
  }
}
