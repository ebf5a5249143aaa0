import {
  type Call,
  type Traffic,
  type Webhook,
  at,
  createdAt,
  instantAt,
  isDone,
  isRefusedFor,
  textAt,
} from "./traffic.ts";
import { type Check, type Found, type Pair, derived, either, instant } from "./observer.ts";
import { alone, eventsById } from "./scheduled-payments.ts";

/** From the creation of a first charge to the end of its QR code. */
export function* firstChargeExpiry(traffic: Traffic): Iterable<Pair> {
  for (const call of traffic.done("createSubscription")) {
    const expires = instantAt(call.answer, "initialCharge.expireDateTime");
    if (expires !== undefined) yield { from: createdAt(call), to: instant(expires), seen: [call] };
  }
}

/** Subscriptions of journey 3, with the order of their first charge and the events about both. */
interface FirstCharge {
  readonly call: Call;
  readonly subscriptionEvents: readonly Webhook[];
  readonly orderEvents: readonly Webhook[];
}

const firstCharges = derived((traffic: Traffic): readonly FirstCharge[] =>
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
    return [{ call, subscriptionEvents, orderEvents }];
  }),
);

/** The order of a first charge that was paid, when the authorization is refused; and which event comes first. */
export function* paidFirstCharges(traffic: Traffic): Iterable<Check> {
  for (const { subscriptionEvents, orderEvents } of firstCharges(traffic)) {
    const paid = orderEvents.find(({ event }) => event === "ORDER-PAYIN.PAID");
    const decided = subscriptionEvents.find(({ event }) =>
      /^SUBSCRIPTION\.(ACCEPTED|REJECTED|ERROR)$/.test(event),
    );
    if (paid?.at === undefined || decided?.at === undefined) continue;
    const isBefore = paid.at === decided.at ? paid.order < decided.order : paid.at < decided.at;
    if (Math.abs(paid.at - decided.at) <= 60_000)
      yield either(
        isBefore,
        ["ORDER-PAYIN.PAID comes before the answer to the authorization", "it comes after it"],
        [paid, decided],
        "order of events",
      );
    const other = orderEvents.find(({ event }) => /\.(CANCELED|ERROR|EXPIRED)$/.test(event));
    if (!decided.event.endsWith(".ACCEPTED"))
      yield either(
        other === undefined,
        ["the order stays PAID", `its event is ${other?.event}`],
        [paid, decided],
        "after a refusal",
      );
  }
}

/** What becomes of a subscription whose first charge ended unpaid. */
export function* unpaidFirstCharges(traffic: Traffic): Iterable<Found> {
  for (const { call, subscriptionEvents, orderEvents } of firstCharges(traffic)) {
    const ended = orderEvents.find(({ event }) => /\.(CANCELED|ERROR|EXPIRED)$/.test(event));
    if (ended?.at === undefined) continue;
    const { at: endedAt, order } = ended;
    const rejected = subscriptionEvents.find(({ event }) => event === "SUBSCRIPTION.REJECTED");
    // An order that is canceled because its subscription was rejected has an event after that.
    if (rejected !== undefined && rejected.order > order && Math.abs((rejected.at ?? 0) - endedAt) <= 60_000)
      yield { is: "reject", seen: [call, ended, rejected] };
    const read = traffic
      .done("getSubscription")
      .find((one) => one.order > order && textAt(one.answer, "id") === textAt(call.answer, "id"));
    if (read !== undefined && textAt(read.answer, "status") === "PENDING_AUTHORIZATION")
      yield { is: "keep", seen: [call, ended, read] };
  }
}

const PROVIDER_ID = /^R[RN][0-9A-Z]{8}\d{8}[0-9A-Za-z]{11}$/;

export function* identifiers(traffic: Traffic): Iterable<Check> {
  for (const call of traffic.done("createSubscription")) {
    const provider = textAt(call.answer, "providerId") ?? "";
    const start = at(call.body, "allowChargeAfterDueDate") === true ? "RR" : "RN";
    yield either(
      PROVIDER_ID.test(provider) && provider.startsWith(start),
      [`providerId is ${start}, ISPB, date and 11 letters or digits`, `providerId is ${provider}`],
      [call],
      "providerId",
    );
    const txid = textAt(call.answer, "initialCharge.conciliationId");
    if (txid !== undefined)
      yield either(
        /^[0-9a-f]{32}$/.test(txid),
        ["conciliationId is 32 hexadecimal digits", `conciliationId is ${txid}`],
        [call],
        "conciliationId",
      );
  }
}

/** The events of each request to cancel, oldest first. */
export const cancellations = derived((traffic: Traffic) =>
  Map.groupBy(
    traffic
      .named("SUBSCRIPTION.*")
      .filter(({ event }) => event.includes("CANCELLATION"))
      .toSorted((one, other) => (one.at ?? 0) - (other.at ?? 0) || one.order - other.order),
    ({ body }) => textAt(body, "data.cancellation.id") ?? "",
  ),
);

/** Why a charge is canceled that nobody asked to cancel: no institution answers. */
const IMPOSED: ReadonlySet<string> = new Set([
  "SETTLEMENT_ERROR",
  "AUTHORIZATION_CANCELED",
  "ACCOUNT_CLOSURE",
  "ACCOUNT_BLOCKED",
]);

/** From the request to cancel to its answer. */
export function* answering(traffic: Traffic): Iterable<Pair> {
  for (const [asked, answer] of cancellations(traffic).values()) {
    if (IMPOSED.has(textAt(asked?.body, "data.cancellation.reason") ?? "")) continue;
    if (asked?.at === undefined || answer?.at === undefined || answer.isByHand) continue;
    if (asked.event.endsWith(".PENDING"))
      yield { from: instant(asked.at), to: instant(answer.at), seen: [asked, answer] };
  }
}

/** Requests of journey 2 with a first charge. */
export function* chargesOfJourney2(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.of("createSubscription")) {
    if (textAt(call.body, "type") !== "AUTHORIZATION_QRCODE") continue;
    if (at(call.body, "initialCharge") === undefined) continue;
    if (isDone(call)) yield { is: "ignore", seen: [call] };
    else if (isRefusedFor(call, /^initialCharge/)) yield { is: "refuse", seen: [call] };
  }
}

export function* canceledAt(traffic: Traffic): Iterable<Found> {
  for (const event of [...cancellations(traffic).values()].flat()) {
    const found = at(event.body, "data.cancellation.canceledAt");
    const isAccepted = event.event.endsWith(".ACCEPTED");
    const shown = found === undefined ? "left out" : found === null ? "null" : "time";
    if (isAccepted && shown === "time") continue;
    const isKnown = !isAccepted && shown !== "left out";
    yield { is: isKnown ? shown : `${event.event.split(".").at(-1)}: it is ${shown}`, seen: [event] };
  }
}

/** Charges that end with their subscription: after its event, and by ACCEPTED alone. */
export function* imposed(traffic: Traffic): Iterable<Found> {
  const first = [...chargesFirst(traffic)];
  yield* first.length > 0 ? first : alone(["AUTHORIZATION_CANCELED"])(traffic);
}

/** Charges whose event comes before that of the subscription with which they end. */
function* chargesFirst(traffic: Traffic): Iterable<Found> {
  for (const events of eventsById(traffic).values()) {
    for (const ended of events) {
      if (textAt(ended.body, "data.cancellation.reason") !== "AUTHORIZATION_CANCELED") continue;
      if (!ended.event.endsWith(".ACCEPTED")) continue;
      const subscriptionId = textAt(ended.body, "data.subscriptionId");
      const of = traffic
        .named("SUBSCRIPTION.CANCELLATION.ACCEPTED")
        .find(({ body }) => textAt(body, "data.id") === subscriptionId);
      // An event waits for the one before it about the same object, and may be overtaken by others meanwhile.
      const asked = cancellations(traffic).get(textAt(of?.body, "data.cancellation.id") ?? "")?.[0];
      if (of === undefined || (asked !== of && asked?.at === of.at)) continue;
      if (of.order > ended.order) yield { is: "the event of the charge comes first", seen: [of, ended] };
    }
  }
}
