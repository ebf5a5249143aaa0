import { type LintedCall, lintedCall, lintsIn } from "../../simulator/api/lints.ts";
import type { EntryPlace } from "../calibration/observers/traffic.ts";
import { textAt } from "../../simulator/engine/json.ts";
import { amountAt, externalIdIn, type SeenCall, type SeenTraffic, type SeenWebhook } from "./seen-traffic.ts";

/** Something that recorded traffic shows. */
export interface TrafficFinding {
  readonly part: "calls" | "webhooks" | "sums";
  readonly rule: string;
  readonly message: string;
  readonly fix: string;
  readonly entries: readonly EntryPlace[];
}

/** The longest time for the answer to a webhook (interface: Events, Delivery). */
const ANSWER_MAX_MS = 10_000;

/** Calls so long after a webhook are not seen as its effect. */
const EFFECT_MS = 60_000;

/** Finds mistakes of the partner. Something that the files do not show is never a finding. */
export function findingsIn(traffic: SeenTraffic): TrafficFinding[] {
  return [
    ...callFindings(traffic),
    ...chargedAgain(traffic),
    ...refused(traffic.webhooks),
    ...slow(traffic.webhooks),
    ...actedTwice(traffic),
    ...otherAmounts(traffic),
  ];
}

/** The statuses of an object that came to nothing. The same work may be asked for again after them. */
const FAILED: ReadonlySet<string | undefined> = new Set([
  "ERROR",
  "REJECTED",
  "CANCELED",
  "EXPIRED",
  "DECLINED",
  "RETURNED",
]);

/** Returns the calls whose object failed, as an event reported before the partner asked for the same again. */
function failedBefore({ calls, webhooks }: SeenTraffic): ReadonlySet<SeenCall> {
  const failures = new Map<string, number>();
  for (const { objectId, body, read } of webhooks)
    if (FAILED.has(textAt(body, "data.status") ?? textAt(body, "status")) && !failures.has(objectId))
      failures.set(objectId, read.startedAt);
  const same = Map.groupBy(calls, ({ operation, read }) =>
    JSON.stringify([operation.operationId, read.url.pathname, read.requestText]),
  );
  const failed = Array.from(same.values()).flatMap((group) =>
    group.filter(({ answer }, index) => {
      const failure = failures.get(textAt(answer, "refundId") ?? textAt(answer, "id") ?? "");
      const next = group[index + 1];
      return failure !== undefined && next !== undefined && next.read.startedAt > failure;
    }),
  );
  return new Set(failed);
}

/** Checks calls whose headers and body are in the file, as a running sandbox checks the calls of its client. */
function callFindings(traffic: SeenTraffic): TrafficFinding[] {
  const places = new Map<string, EntryPlace>();
  const failed = failedBefore(traffic);
  const linted = traffic.calls.flatMap((call): LintedCall[] => {
    const { place, read, operation, company, isLost } = call;
    const { requestText: text, requestHeaders: headers, status, hasRequestHeaders } = read;
    if (!hasRequestHeaders || (text === undefined && operation.request !== undefined)) return [];
    const id = String(places.size);
    places.set(id, place);
    return [
      lintedCall({
        id,
        at: read.startedAt,
        operation: operation.operationId,
        company,
        // An answer that is not in the file is not a lost answer.
        status: status === 0 && isLost ? null : status,
        isCarriedOut: call.isCarriedOut && !failed.has(call),
        path: read.url.pathname + read.url.search,
        key: headers["idempotency-key"],
        text: text ?? "",
        authorization: headers["authorization"],
      }),
    ];
  });
  return lintsIn(linted).map(({ lint: rule, message, fix, requests }) => ({
    part: "calls",
    rule,
    message,
    fix,
    entries: requests.flatMap((id) => places.get(id) ?? []),
  }));
}

/**
 * Finds charges that the client made although the platform resent an equal one after a settlement error. The files
 * must show the resend.
 */
function chargedAgain({ calls, webhooks }: SeenTraffic): TrafficFinding[] {
  const roots = new Set(
    webhooks.flatMap(({ body }) => textAt(body, "data.settlementErrorRetryRootId") ?? []),
  );
  const errors = new Map(
    webhooks
      .filter(
        ({ event, body }) => event.includes(".SCHEDULED_PAYMENT.") && FAILED.has(textAt(body, "data.status")),
      )
      .toReversed()
      .map((webhook) => [webhook.objectId, webhook]),
  );
  const charges = Map.groupBy(
    calls.filter(
      ({ operation, isCarriedOut }) => operation.operationId === "createScheduledPayment" && isCarriedOut,
    ),
    ({ params }) => params["id"],
  );
  return Array.from(roots).flatMap((root) => {
    const error = errors.get(root);
    const subscription = textAt(error?.body, "data.subscriptionId");
    if (error === undefined || subscription === undefined) return [];
    const own = charges.get(subscription) ?? [];
    const first = own.find(({ answer }) => textAt(answer, "id") === root);
    const again = own.find(
      ({ read, answer, body }) =>
        read.startedAt >= error.read.endedAt &&
        textAt(answer, "id") !== root &&
        amountAt(body, "amount") !== undefined &&
        amountAt(body, "amount") === amountAt(first?.body, "amount"),
    );
    if (again === undefined) return [];
    const message = `createScheduledPayment was sent for ${amountAt(again.body, "amount")} after the settlement error of ${externalIdIn(error.body) ?? root}, which the platform resent on its own.`;
    const fix = "Wait for the outcome of the resends before you charge again.";
    return [{ part: "calls", rule: "charged-again", message, fix, entries: [error.place, again.place] }];
  });
}

/** Webhooks that the partner did not acknowledge. Faults on purpose are left out. */
function refused(webhooks: readonly SeenWebhook[]): TrafficFinding[] {
  const failed = webhooks.filter(({ read }) => read.status >= 300 && !read.isInjected);
  const byStatus = Map.groupBy(failed, ({ read }) => read.status);
  return Array.from(byStatus, ([status, same]) => ({
    part: "webhooks",
    rule: "webhook-refused",
    message: `${same.length === 1 ? "A webhook was" : `${same.length} webhooks were`} answered with ${status} (${eventsOf(same)}).`,
    fix: "Answer 2xx once the event is stored. After the last attempt the platform gives up.",
    entries: same.map(({ place }) => place),
  }));
}

function slow(webhooks: readonly SeenWebhook[]): TrafficFinding[] {
  const late = webhooks.filter(({ read }) => {
    const { startedAt, endedAt, precisionMs, isInjected } = read;
    return !isInjected && endedAt - precisionMs - startedAt > ANSWER_MAX_MS;
  });
  if (late.length === 0) return [];
  const message = `${late.length === 1 ? "A webhook was" : `${late.length} webhooks were`} not answered within ten seconds (${eventsOf(late)}).`;
  const fix = "Store the event, answer, and do the work afterwards.";
  return [{ part: "webhooks", rule: "webhook-slow", message, fix, entries: late.map(({ place }) => place) }];
}

function eventsOf(webhooks: readonly SeenWebhook[]): string {
  return [...new Set(webhooks.map(({ event }) => event))].join(", ");
}

/** Webhooks that arrived again after the partner acknowledged an equal one, each with the first one. */
export function copiesIn(webhooks: readonly SeenWebhook[]): [first: SeenWebhook, copy: SeenWebhook][] {
  const accepted = new Map<string, SeenWebhook>();
  return webhooks.flatMap((webhook): [SeenWebhook, SeenWebhook][] => {
    const { event, objectId, body, read } = webhook;
    const status = textAt(body, "data.status") ?? textAt(body, "status");
    const time = timeOf(webhook);
    const cancellation = [textAt(body, "data.cancellation.id"), textAt(body, "data.cancellation.status")];
    const key = JSON.stringify([event, objectId, status, time, ...cancellation]);
    const first = accepted.get(key);
    if (read.status >= 200 && read.status < 300 && first === undefined) accepted.set(key, webhook);
    return first === undefined || time === undefined ? [] : [[first, webhook]];
  });
}

/** Webhooks with an older time than an earlier webhook about the same object. */
export function lateIn(webhooks: readonly SeenWebhook[]): SeenWebhook[] {
  const newest = new Map<string, string>();
  return webhooks.filter((webhook) => {
    const [time, known] = [timeOf(webhook), newest.get(webhook.objectId)];
    if (time === undefined) return false;
    if (known === undefined || time > known) newest.set(webhook.objectId, time);
    return known !== undefined && time < known;
  });
}

function timeOf({ body }: SeenWebhook): string | undefined {
  return textAt(body, "occurredAt") ?? textAt(body, "updatedAt");
}

/** Finds work that was done after an event, and again after a copy of it. */
function actedTwice({ calls, webhooks }: SeenTraffic): TrafficFinding[] {
  const made = calls.filter(({ isCarriedOut }) => isCarriedOut);
  return copiesIn(webhooks).flatMap(([first, copy]) => {
    const names = [first.objectId, externalIdIn(first.body), textAt(first.body, "data.subscriptionId")];
    const after = ({ read: { startedAt } }: SeenWebhook): SeenCall[] =>
      made.slice(firstFrom(made, startedAt), firstFrom(made, startedAt + EFFECT_MS + 1)).filter((call) => {
        const text = `${call.read.url.pathname} ${call.read.requestText ?? ""}`;
        return names.some((name) => name !== undefined && text.includes(name));
      });
    const again = after(copy);
    const before = after(first).filter((call) => !again.includes(call));
    const pairs = before.flatMap((one) => {
      const same = again.find((other) => isSameWork(one, other));
      return same === undefined ? [] : [{ one, same }];
    });
    return pairs.map(({ one, same }) => ({
      part: "calls",
      rule: "acted-twice",
      message: `${one.operation.operationId} was carried out after ${first.event}, and again after a copy of this event.`,
      fix: "Store the handled events, and ignore a copy: same event, object, status and time.",
      entries: [first.place, one.place, copy.place, same.place],
    }));
  });
}

/** Returns the index of the first call that began at this time or later. The calls are in the order of their beginning. */
function firstFrom(calls: readonly SeenCall[], time: number): number {
  let [low, high] = [0, calls.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((calls[middle]?.read.startedAt ?? Infinity) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isSameWork(one: SeenCall, other: SeenCall): boolean {
  return (
    one.operation === other.operation &&
    one.read.url.pathname === other.read.url.pathname &&
    amountAt(one.body, "amount") === amountAt(other.body, "amount") &&
    textAt(one.answer, "id") !== textAt(other.answer, "id")
  );
}

/** The operations whose object has the asked amount. */
const WITH_AMOUNT: ReadonlySet<string> = new Set(["createPayout", "createScheduledPayment"]);

/** Finds objects whose amount in an answer or an event is not the asked amount. */
function otherAmounts({ calls, webhooks }: SeenTraffic): TrafficFinding[] {
  const byObject = Map.groupBy(webhooks, ({ objectId }) => objectId);
  return calls.flatMap((call): TrafficFinding[] => {
    const { operation, body, answer, place, read } = call;
    const { operationId } = operation;
    const [id, asked] = [textAt(answer, "id"), amountAt(body, "amount")];
    if (!call.isCarriedOut || id === undefined || asked === undefined || !WITH_AMOUNT.has(operationId))
      return [];
    const seen = [
      ...(read.isInjected ? [] : [{ place, amount: amountAt(answer, "amount") }]),
      ...(byObject.get(id) ?? [])
        .filter(({ read: { isInjected } }) => !isInjected)
        .map((webhook) => ({
          place: webhook.place,
          amount: amountAt(webhook.body, "data.amount") ?? amountAt(webhook.body, "amount"),
        })),
    ];
    const other = seen.find(({ amount }) => amount !== undefined && amount !== asked);
    if (other === undefined) return [];
    const message = `${operationId} asked for ${asked}, and entry ${other.place.index} has ${other.amount} for the same object.`;
    const fix = "Compare the amounts of answers and events with your own before you book them.";
    const entries = place === other.place ? [place] : [place, other.place];
    return [{ part: "sums", rule: "other-amount", message, fix, entries }];
  });
}
