import { type Traffic, createdAt, gapBetween, inTimeBy, momentAt } from "./traffic.ts";
import { at, textAt } from "../../../simulator/engine/json.ts";
import {
  type Check,
  type Found,
  type Observers,
  type Pair,
  INACTIVE,
  NEVER_SENT,
  OTHER_REASONS,
  answered,
  delay,
  derived,
  either,
  observer,
  statusChanges,
} from "./observer.ts";
import { alone, canceledFor, eventsById } from "./scheduled-payments.ts";
import { uniqueIds } from "./requests.ts";

/** Of subscriptions and their cancellations. */
export const subscriptionObservers: Observers = {
  "subscription.external-id-unique": uniqueIds(
    "The answer to a second subscription with the same externalId.",
    "externalId",
    "createSubscription",
  ),
  "subscription.inactive-account": INACTIVE,
  "subscription.initial-charge-on-journey-2": observer(
    "The answer to an initialCharge with AUTHORIZATION_QRCODE.",
    (traffic) =>
      traffic
        .of("createSubscription")
        .filter(({ body }) => textAt(body, "type") === "AUTHORIZATION_QRCODE")
        .filter(({ body }) => at(body, "initialCharge") !== undefined)
        .flatMap((call) =>
          answered(call, { accepted: "ignore", refused: "refuse", field: /^initialCharge/ }),
        ),
  ),
  "subscription.first-charge-expiry": delay(
    "The time from the creation to initialCharge.expireDateTime.",
    (traffic) =>
      traffic.done("createSubscription").flatMap((call) => {
        const expires = momentAt(call.answer, "initialCharge.expireDateTime");
        return expires === undefined ? [] : [{ from: createdAt(call), to: expires, seen: [call] }];
      }),
  ),
  "subscription.paid-and-refused": observer(
    "The order of the two events, and the events of the order after a refusal.",
    paidFirstCharges,
  ),
  "subscription.first-charge-unpaid": observer(
    "SUBSCRIPTION.REJECTED right after an unpaid first charge ends, or a later read with PENDING_AUTHORIZATION.",
    unpaidFirstCharges,
  ),
  "subscription.transitions": statusChanges(
    "The status history of subscriptions, and the status in their events.",
    "subscription",
  ),
  "subscription.after-end-date": OTHER_REASONS,
  "subscription.events": NEVER_SENT,
  "subscription.identifiers": observer("The forms of providerId and conciliationId.", identifiers),
  "cancellation.delay": delay(
    "The time from the PENDING event of a cancellation to the event of its answer.",
    answering,
  ),
  "cancellation.event-canceled-at": observer("canceledAt in the events of cancellations.", canceledAt),
  // They end with their subscription: after its event, and by ACCEPTED alone.
  "charge.imposed-cancellations": observer(
    "The events of charges that are canceled with their subscription, and their order.",
    (traffic) => {
      const first = [...chargesFirst(traffic)];
      return first.length > 0 ? first : alone(traffic, "AUTHORIZATION_CANCELED");
    },
  ),
};

/** The requests that made subscriptions, by the id of the subscription. */
export const subscriptionRequests = derived((traffic: Traffic) => traffic.created("createSubscription"));

/** Subscriptions of journey 3, with the events about them and about the order of their first charge. */
const firstCharges = derived((traffic: Traffic) =>
  traffic.done("createSubscription").flatMap((call) => {
    const orderId = textAt(call.answer, "initialCharge.orderId");
    const id = textAt(call.answer, "id");
    if (orderId === undefined || id === undefined) return [];
    const orderEvents = traffic
      .named("ORDER-PAYIN.*")
      .filter(({ body }) => textAt(body, "id") === orderId && textAt(body, "type") !== "REFUND");
    const subscriptionEvents = traffic
      .named("SUBSCRIPTION.*")
      .filter(({ event, body }) => !event.includes("SCHEDULED") && textAt(body, "data.id") === id);
    const unpaid = orderEvents.find(({ event }) => /\.(CANCELED|ERROR|EXPIRED)$/.test(event));
    return [{ call, id, orderEvents, subscriptionEvents, unpaid }];
  }),
);

/** Events with a larger distance are not related. */
const TOGETHER_MS = 60_000;

/** Checks the order of a first charge that was paid, if the authorization is refused, and which event comes first. */
function* paidFirstCharges(traffic: Traffic): Iterable<Check> {
  for (const { subscriptionEvents, orderEvents, unpaid } of firstCharges(traffic)) {
    const paid = orderEvents.find(({ event }) => event === "ORDER-PAYIN.PAID");
    const decided = subscriptionEvents.find(({ event }) =>
      /^SUBSCRIPTION\.(ACCEPTED|REJECTED|ERROR)$/.test(event),
    );
    if (paid?.at === undefined || decided?.at === undefined) continue;
    const seen = [paid, decided];
    const isBefore =
      gapBetween(paid.at, decided.at) === 0 ? paid.order < decided.order : paid.at.from < decided.at.from;
    const names = [
      "ORDER-PAYIN.PAID comes before the answer to the authorization",
      "it comes after it",
    ] as const;
    if (gapBetween(paid.at, decided.at) <= TOGETHER_MS)
      yield either(isBefore, names, seen, "order of events");
    const ends = ["the order stays PAID", `its event is ${unpaid?.event}`] as const;
    if (!decided.event.endsWith(".ACCEPTED") && (unpaid !== undefined || !traffic.missing.webhooks))
      yield either(unpaid === undefined, ends, seen, "after a refusal");
  }
}

/** Finds the result for a subscription if its first charge ended unpaid. */
function* unpaidFirstCharges(traffic: Traffic): Iterable<Found> {
  for (const { call, id, subscriptionEvents, unpaid } of firstCharges(traffic)) {
    if (unpaid?.at === undefined) continue;
    const { at: endedAt, order } = unpaid;
    const rejected = subscriptionEvents.find(({ event }) => event === "SUBSCRIPTION.REJECTED");
    // An order that is canceled because its subscription was rejected has an event after that.
    if (rejected !== undefined && rejected.order > order)
      if (rejected.at !== undefined && gapBetween(rejected.at, endedAt) <= TOGETHER_MS)
        yield { is: "reject", seen: [call, unpaid, rejected] };
    const read = traffic
      .done("getSubscription")
      .find((one) => one.order > order && textAt(one.answer, "id") === id);
    if (read !== undefined && textAt(read.answer, "status") === "PENDING_AUTHORIZATION")
      yield { is: "keep", seen: [call, unpaid, read] };
  }
}

const PROVIDER_ID = /^R[RN][0-9A-Z]{8}\d{8}[0-9A-Za-z]{11}$/;

function* identifiers(traffic: Traffic): Iterable<Check> {
  for (const call of traffic.done("createSubscription")) {
    const provider = textAt(call.answer, "providerId");
    const start = at(call.body, "allowChargeAfterDueDate") === true ? "RR" : "RN";
    const form = `providerId is ${start}, ISPB, date and 11 letters or digits`;
    // An answer without it has another shape, which is reported.
    if (provider !== undefined) {
      const isForm = PROVIDER_ID.test(provider) && provider.startsWith(start);
      yield either(isForm, [form, `providerId is ${provider}`], [call], "providerId");
    }
    const txid = textAt(call.answer, "initialCharge.conciliationId");
    if (txid === undefined) continue;
    const names = ["conciliationId is 32 hexadecimal digits", `conciliationId is ${txid}`] as const;
    yield either(/^[0-9a-f]{32}$/.test(txid), names, [call], "conciliationId");
  }
}

/** The events of each request to cancel, oldest first. */
const cancellations = derived((traffic: Traffic) =>
  inTimeBy(
    "data.cancellation.id",
    traffic.named("SUBSCRIPTION.*").filter(({ event }) => event.includes("CANCELLATION")),
  ),
);

/** The reasons for a cancellation without a request. An institution does not answer it. */
const IMPOSED: ReadonlySet<string> = new Set([
  "SETTLEMENT_ERROR",
  "AUTHORIZATION_CANCELED",
  "ACCOUNT_CLOSURE",
  "ACCOUNT_BLOCKED",
]);

/** Finds the time from the request to cancel to its answer. */
export function* answering(traffic: Traffic): Iterable<Pair> {
  for (const [asked, answer] of cancellations(traffic).values()) {
    if (IMPOSED.has(textAt(asked?.body, "data.cancellation.reason") ?? "")) continue;
    if (asked?.at === undefined || answer?.at === undefined || answer.isByHand) continue;
    if (asked.event.endsWith(".PENDING")) yield { from: asked.at, to: answer.at, seen: [asked, answer] };
  }
}

function* canceledAt(traffic: Traffic): Iterable<Found> {
  for (const event of [...cancellations(traffic).values()].flat()) {
    const found = at(event.body, "data.cancellation.canceledAt");
    const isAccepted = event.event.endsWith(".ACCEPTED");
    const shown = found === undefined ? "left out" : found === null ? "null" : "time";
    if (isAccepted && shown === "time") continue;
    const isKnown = !isAccepted && shown !== "left out";
    yield { is: isKnown ? shown : `${event.event.split(".").at(-1)}: it is ${shown}`, seen: [event] };
  }
}

/** Finds charges whose event comes before the event of the subscription that ends them. */
function* chargesFirst(traffic: Traffic): Iterable<Found> {
  const bySubscription = Map.groupBy(traffic.named("SUBSCRIPTION.CANCELLATION.ACCEPTED"), ({ body }) =>
    textAt(body, "data.id"),
  );
  for (const ended of [...eventsById(traffic).values()].flat()) {
    const of = bySubscription.get(textAt(ended.body, "data.subscriptionId"))?.[0];
    if (canceledFor(ended) !== "AUTHORIZATION_CANCELED" || of === undefined) continue;
    // An event waits for the event before it about the same object, and other events may overtake it during this time.
    const asked = cancellations(traffic).get(textAt(of.body, "data.cancellation.id") ?? "")?.[0];
    if (asked !== of && (asked?.at === undefined || of.at === undefined || gapBetween(asked.at, of.at) === 0))
      continue;
    if (of.order > ended.order) yield { is: "the event of the charge comes first", seen: [of, ended] };
  }
}
