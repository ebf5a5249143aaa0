import {
  type Traffic,
  type Webhook,
  centsAt,
  createdAt,
  isDone,
  isRefused,
  isRefusedFor,
  isWellFormed,
  lastBy,
  momentAt,
} from "./traffic.ts";
import { at, textAt } from "../../../simulator/engine/json.ts";
import {
  type Found,
  type Observers,
  type Pair,
  type Try,
  delay,
  derived,
  either,
  most,
  observer,
  until,
} from "./observer.ts";
import { MEXICO, orders, payIns } from "./orders.ts";
import { subscriptionRequests } from "./subscriptions.ts";

const REFUNDS = ["ORDER-PAYIN.REFUNDED", "ORDER-PAYIN.REJECTED", "ORDER-PAYIN.ERROR"];

export const refundObservers: Observers = {
  "refund.window": most(
    "The time after the payment until which refunds are accepted, and the time of refusals without another reason.",
    refundTimes,
  ),
  "refund.delay": delay("The time from the request of a refund to its outcome.", refunding),
  "refund.end-to-end-id": observer("The form of the endToEndId.", (traffic) =>
    traffic.done("refundOrder").flatMap((call) => {
      const id = textAt(call.answer, "endToEndId");
      const isForm = /^D[0-9A-Z]{8}\d{12}[0-9A-Za-z]{11}$/.test(id ?? "");
      return id === undefined
        ? []
        : [either(isForm, ["D, ISPB, minute: 32 characters", `it is ${id}`], [call])];
    }),
  ),
  "refund.insufficient-balance": "No answer shows the balance of the account at that moment.",
  "refund.event-fields": observer("message and refundedAt in the events.", (traffic) =>
    traffic
      .named(...REFUNDS)
      .filter(({ body }) => textAt(body, "type") === "REFUND")
      .flatMap((event): Found[] => {
        const isRefunded = event.event.endsWith(".REFUNDED");
        const hasTime = typeof at(event.body, "refundedAt") === "string";
        if (hasTime !== isRefunded) return [{ is: "refundedAt is not so", seen: [event] }];
        const isEmpty = textAt(event.body, "message") === "";
        return isRefunded ? [{ is: isEmpty ? "empty" : "sentence", seen: [event] }] : [];
      }),
  ),
};

/** Payments of orders, by the id of the order. */
const payments = derived((traffic: Traffic): ReadonlyMap<string, Webhook> => {
  const paid = Array.from(payIns(traffic), ([id, events]) => {
    const last = events.findLast(({ event }) => /\.(PAID|PARTIALLY_PAID)$/.test(event));
    return last === undefined ? [] : [[id, last] as const];
  });
  return new Map(paid.flat());
});

/** Returns the rest of a paid order at a call, in cents. Undefined if it is unknown. */
function leftOf(
  traffic: Traffic,
  { paid, order }: { readonly paid: Webhook; readonly order: number },
): number {
  const orderId = textAt(paid.body, "id");
  const failed = new Set(
    traffic
      .named("ORDER-PAYIN.REJECTED", "ORDER-PAYIN.ERROR")
      .filter((event) => event.order < order)
      .map(({ body }) => textAt(body, "refundId")),
  );
  return traffic
    .done("refundOrder")
    .filter((call) => call.order < order && textAt(call.body, "orderId") === orderId)
    .filter(({ answer }) => !failed.has(textAt(answer, "id")))
    .reduce(
      (left, { body }) => left - (centsAt(body, "amount") ?? 0),
      centsAt(paid.body, "amount.value") ?? NaN,
    );
}

/**
 * Finds refunds by the time since the payment. A refused refund counts as refused for the time if all other reasons are
 * excluded.
 */
function* refundTimes(traffic: Traffic): Iterable<Try> {
  for (const call of traffic.of("refundOrder")) {
    const orderId = textAt(call.body, "orderId") ?? "";
    const paid = payments(traffic).get(orderId);
    const since = momentAt(paid?.body, "paidAt") ?? paid?.at;
    if (since === undefined || paid === undefined || paid.order > call.order) continue;
    const when = createdAt(call);
    const seen = [paid, call];
    if (isDone(call)) yield { value: when.from - since.to, isAccepted: true, seen };
    if (!isRefused(call) || !isWellFormed(call) || isRefusedFor(call, /^idempotency/i)) continue;
    // Without a token the owner of the order is unknown. A missing refund may have used the money.
    if (call.company === "" || traffic.missing.calls) continue;
    const amount = centsAt(call.body, "amount") ?? 0;
    const isCovered = amount > 0 && amount <= leftOf(traffic, { paid, order: call.order });
    // An order of another company is refused at any time.
    const isForeign = ownersOf(traffic, orderId).some((company) => company !== call.company);
    const isOfMexico = MEXICO.includes(orders(traffic).get(orderId)?.method ?? "");
    if (isCovered && paid.event === "ORDER-PAYIN.PAID" && !isOfMexico && !isForeign)
      yield { value: when.to - since.from, isAccepted: false, seen };
  }
}

/** Returns the companies that made an order, or its subscription. */
function ownersOf(traffic: Traffic, orderId: string): string[] {
  const order = orders(traffic).get(orderId)?.call;
  const requests = [...subscriptionRequests(traffic).values()];
  const request = requests.find(({ answer }) => textAt(answer, "initialCharge.orderId") === orderId);
  return [order, request].flatMap((call) => call?.company ?? []);
}

/** Returns the time from the request of a refund to its outcome. */
export function refunding(traffic: Traffic): Pair[] {
  const outcomes = lastBy("refundId", traffic.named(...REFUNDS));
  return traffic.done("refundOrder").flatMap((call) => {
    const outcome = outcomes.get(textAt(call.answer, "id"));
    return outcome !== undefined && outcome.order < call.order ? [] : until(call, outcome);
  });
}
