import {
  type Call,
  type Traffic,
  type Webhook,
  at,
  createdAt,
  detailsOf,
  instantAt,
  isDone,
  isRefused,
  isRefusedFor,
  listAt,
  textAt,
} from "./traffic.ts";
import { type Check, type Pair, derived, either, instant } from "./observer.ts";
import { alone, eventsById } from "./charges.ts";
import { subscriptionRequests } from "./subscription-requests.ts";

const IMMEDIATE = "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT";

/** How requests for subscriptions are answered that break one rule and no other. */
const refusalOf = (isMeant: (call: Call) => boolean, what: string, isAbout: RegExp) =>
  function* refusals(traffic: Traffic): Iterable<Check> {
    for (const call of traffic.of("createSubscription")) {
      if (!isMeant(call)) continue;
      if (isDone(call) || isRefusedFor(call, isAbout))
        yield either(!isDone(call), [`${what} is INVALID_REQUEST`, "it is accepted"], [call]);
    }
  };

const CURRENCIES = ["fixedAmount.currency", "maxAmountFloor.currency", "initialCharge.amount.currency"];

export const otherCurrencies = refusalOf(
  ({ body }) => CURRENCIES.some((path) => (textAt(body, path) ?? "BRL") !== "BRL"),
  "another currency",
  /currency$/,
);

export const endsBeforeStart = refusalOf(
  ({ body }) => (textAt(body, "endDate") ?? "9999") < (textAt(body, "startDate") ?? ""),
  "an endDate before the startDate",
  /^endDate$/,
);

export const chargeOfJourney2 = refusalOf(
  ({ body }) => textAt(body, "type") === "AUTHORIZATION_QRCODE" && at(body, "initialCharge") !== undefined,
  "an initialCharge on journey 2",
  /^initialCharge/,
);

/** Both amounts at once: a detail for each. */
export function* bothAmounts(traffic: Traffic): Iterable<Check> {
  for (const call of traffic.of("createSubscription")) {
    if (at(call.body, "fixedAmount") === undefined || at(call.body, "maxAmountFloor") === undefined) continue;
    const fields = detailsOf(call)
      .filter(({ issue }) => issue === "MUTUALLY_EXCLUSIVE")
      .map(({ field }) => field);
    const found = isDone(call)
      ? "it is accepted"
      : `${call.status} with details of ${fields.join(", ") || "neither"}`;
    const isAsAssumed =
      call.status === 400 && fields.includes("fixedAmount") && fields.includes("maxAmountFloor");
    if (isDone(call) || isRefused(call))
      yield either(isAsAssumed, ["400 with a detail for each, issue MUTUALLY_EXCLUSIVE", found], [call]);
  }
}

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

const ORDER_ENDS = /^ORDER-PAYIN\.(PAID|EXPIRED|CANCELED|ERROR)$/;
const SUBSCRIPTION_ENDS = /^SUBSCRIPTION\.(REJECTED|ERROR|CANCELLATION\.ACCEPTED)$/;

/** What becomes of an unpaid first charge when its subscription ends. */
export function* unpaidFirstCharges(traffic: Traffic): Iterable<Check> {
  for (const { subscriptionEvents, orderEvents } of firstCharges(traffic)) {
    const ended = subscriptionEvents.find(({ event }) => SUBSCRIPTION_ENDS.test(event));
    if (ended?.at === undefined) continue;
    const before = orderEvents.find(
      (order) => ORDER_ENDS.test(order.event) && (order.at ?? 0) < (ended.at ?? 0),
    );
    const after = orderEvents.find(
      (order) => ORDER_ENDS.test(order.event) && (order.at ?? 0) >= (ended.at ?? 0),
    );
    // A refused authorization follows a payment.
    if (
      before !== undefined ||
      after === undefined ||
      (after.event.endsWith(".PAID") && after.at === ended.at)
    )
      continue;
    yield either(
      after.event === "ORDER-PAYIN.CANCELED",
      ["the order is CANCELED", `its event is ${after.event}`],
      [ended, after],
    );
  }
}

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

/** What becomes of a subscription whose first charge failed. */
export function* failedFirstCharges(traffic: Traffic): Iterable<Check> {
  for (const { call, subscriptionEvents, orderEvents } of firstCharges(traffic)) {
    const failed = orderEvents.find(({ event }) => /^ORDER-PAYIN\.(EXPIRED|ERROR)$/.test(event));
    if (failed === undefined) continue;
    const accepted = subscriptionEvents.find(
      ({ event, order }) => event === "SUBSCRIPTION.ACCEPTED" && order > failed.order,
    );
    const id = textAt(call.answer, "id");
    const read = traffic
      .done("getSubscription")
      .find(({ params, order }) => params["id"] === id && order > failed.order);
    const ended = subscriptionEvents.some(
      ({ event, order }) => order > failed.order && !event.endsWith("PENDING"),
    );
    if (accepted !== undefined)
      yield {
        expected: "the subscription is not accepted any more",
        found: "it is accepted",
        seen: [failed, accepted],
      };
    else if (read !== undefined && !ended)
      yield {
        expected: "the subscription stays PENDING_AUTHORIZATION",
        found: stays(read),
        seen: [failed, read],
      };
  }
}

function stays({ answer }: Call): string {
  const status = textAt(answer, "status");
  return status === "PENDING_AUTHORIZATION"
    ? "the subscription stays PENDING_AUTHORIZATION"
    : `it is ${status}`;
}

/** The payer of a journey 3 request, and the one who accepted. */
export function* journey3Payers(traffic: Traffic): Iterable<Check> {
  for (const { call, subscriptionEvents } of firstCharges(traffic)) {
    const expected = textAt(call.body, "payer.document.number");
    const accepted = subscriptionEvents.find(({ event }) => event === "SUBSCRIPTION.ACCEPTED");
    const found = textAt(accepted?.body, "data.payer.document.number");
    if (expected === undefined || accepted === undefined || accepted.isByHand || found === undefined)
      continue;
    yield either(
      expected === found,
      ["the payer of the request accepts", "another payer accepts"],
      [call, accepted],
    );
  }
}

/** A subscription that failed while it was created. */
export function* failedCreations(traffic: Traffic): Iterable<Check> {
  for (const call of traffic.done("createSubscription")) {
    if (textAt(call.answer, "status") !== "ERROR" || textAt(call.body, "type") !== IMMEDIATE) continue;
    const isAbsent = textAt(call.answer, "initialCharge.orderId") === undefined;
    yield either(isAbsent, ["its initialCharge has no orderId", "it has an orderId"], [call]);
  }
}

/** The status of a subscription that is asked to be canceled. */
export function* cancellable(traffic: Traffic): Iterable<Check> {
  for (const event of traffic.named("SUBSCRIPTION.CANCELLATION.PENDING")) {
    const status = textAt(event.body, "data.status") ?? "";
    yield either(
      ["PENDING_AUTHORIZATION", "ACCEPTED"].includes(status),
      ["PENDING_AUTHORIZATION and ACCEPTED allow cancellation", `${status} allows it, too`],
      [event],
      ["PENDING_AUTHORIZATION", "ACCEPTED"].includes(status) ? "" : status,
    );
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

export function* canceledAt(traffic: Traffic): Iterable<Check> {
  for (const event of [...cancellations(traffic).values()].flat()) {
    const found = at(event.body, "data.cancellation.canceledAt");
    const isAccepted = event.event.endsWith(".ACCEPTED");
    const isAsAssumed = isAccepted ? typeof found === "string" : found === null;
    const shown = found === undefined ? "left out" : found === null ? "null" : "a time";
    const status = event.event.split(".").at(-1);
    yield either(
      isAsAssumed,
      [`${status}: canceledAt is ${isAccepted ? "a time" : "null"}`, `${status}: it is ${shown}`],
      [event],
      status,
    );
  }
}

/** The reason of one cancellation in its event and in the subscription. */
export function* reasonsInResource(traffic: Traffic): Iterable<Check> {
  for (const call of traffic.done("getSubscription")) {
    for (const cancellation of listAt(call.answer, "cancellations")) {
      const [event] = cancellations(traffic).get(textAt(cancellation, "id") ?? "") ?? [];
      const expected = textAt(event?.body, "data.cancellation.reason");
      if (event === undefined || expected === undefined) continue;
      const found = textAt(cancellation, "reason") ?? "no reason";
      yield either(
        expected === found,
        ["the reason is that of the event", `${expected} is shown as ${found}`],
        [event, call],
        expected,
      );
    }
  }
}

/** Charges that end with their subscription: after its event, and by ACCEPTED alone. */
export function* imposed(traffic: Traffic): Iterable<Check> {
  yield* alone(["AUTHORIZATION_CANCELED"])(traffic);
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
      yield either(
        of.order < ended.order,
        ["the event of the subscription comes first", "the event of the charge comes first"],
        [of, ended],
        "order of events",
      );
    }
  }
}

/** The account that receives what a subscription collects. */
export function accountOfSubscription(traffic: Traffic, { params }: Call): string | undefined {
  return textAt(subscriptionRequests(traffic).get(params["id"] ?? "")?.body, "accountId");
}
