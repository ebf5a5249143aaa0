import { type Attempt, type Delivery, deliveries } from "../../simulator/platform/webhook-events/delivery.ts";
import type {
  Delivery as DeliveryShape,
  DeliveriesQuery,
  DeliveryAttempt,
} from "../../simulator/api/generated/shapes.ts";
import {
  type Endpoint,
  type WorldAsked,
  instantOf,
  refuse,
  refuseUnknown,
  valueOf,
  pathParameter,
} from "./endpoint.ts";
import {
  type ShownDelivery,
  allNotSent,
  entriesNotSent,
  NO_URL,
  notSentWithId,
} from "../../simulator/worlds/not-sent.ts";
import type { Simulation } from "../../simulator/engine/simulation.ts";
import { type Condition, meets } from "../../simulator/engine/facets.ts";
import { DURATION_MS } from "../../simulator/engine/journal.ts";
import type { Problem } from "../../simulator/engine/refusal.ts";
import type { World } from "../../simulator/worlds/world.ts";
import type { EffectSlot } from "../../simulator/platform/faults/effect.ts";
import { effectNames, effectOf } from "../../simulator/platform/faults/effects.ts";
import { heldWebhook } from "./held-webhooks.ts";
import { events } from "../../simulator/api/events.ts";
import { foundValue } from "../../simulator/api/found-value.ts";
import { suggestion } from "../../simulator/engine/suggestion.ts";
import { formatInstant, formatMicroseconds } from "../../simulator/engine/instant.ts";
import { LongWork } from "../../base/long-work.ts";
import { matchesGlob } from "../../simulator/platform/faults/selection.ts";
import { pageOf } from "./list-page.ts";
import { quoted } from "./shell.js";
import { span } from "./span.js";
import { defined } from "../../simulator/engine/json.ts";
import {
  attemptTrace,
  type TraceContext,
  TRACEPARENT,
  traceparentOf,
  writeTraceparent,
} from "../../simulator/webhooks/trace.ts";
import { statusOf } from "../../simulator/platform/resource.ts";
import { resend } from "../../simulator/platform/webhook-events/attempts.ts";
import { timestampOrNull } from "../../simulator/platform/shape.ts";
import { withQrImages } from "../../simulator/qr-images/qr-images.ts";

const deliveryId = { id: pathParameter("The webhook.", "66b5342e-6277-4cc6-8465-e430612eb9ae") };

/** The webhooks of a world. */
export const deliveryEndpoints = {
  listDeliveries: {
    method: "GET",
    path: "/sandbox/deliveries",
    tag: "Webhooks",
    summary: "List the webhooks, newest last",
    description:
      "Each has its attempts and the answers of the receiver. The answer has the newest 1,000, unless `last` asks for another number.",
    query: "DeliveriesQuery",
    response: "DeliveryList",
    showsOutcomes: true,
    tool: { name: "deliveries", fields: ["event", "object", "status", "last"] },
    problems: ({ query }) => unknownWords(query),
    answer: async ({ world, query }) => {
      const shown = world.shown();
      const { object, status = "not-sent" } = query;
      const notSent =
        status === "not-sent" ? await new LongWork().take(entriesNotSent(shown.journal, object)) : [];
      return pageOf(newestDeliveries(shown, query, notSent), query, {
        shapeOf: (delivery) => deliveryShape(shown, delivery),
        // The pictures of QR codes are not searched as text.
        textOf: (delivery) => delivery,
      });
    },
  } satisfies Endpoint<never, "DeliveriesQuery">,
  showDelivery: {
    method: "GET",
    path: "/sandbox/deliveries/{id}",
    tag: "Webhooks",
    summary: "Show a webhook with its attempts",
    description: "Each attempt has its request, its answer and its injected faults.",
    parameters: deliveryId,
    query: "WaitQuery",
    response: "Delivery",
    errors: ["NOT_FOUND"],
    showsOutcomes: true,
    answer: ({ world, params }) => {
      const shown = world.shown();
      return deliveryShape(shown, shownDelivery(shown, params["id"] ?? ""));
    },
  } satisfies Endpoint<never, "WaitQuery">,
  resendDelivery: {
    method: "POST",
    path: "/sandbox/deliveries/{id}/resend",
    tag: "Webhooks",
    summary: "Send a webhook again",
    description: "Makes one more attempt and answers after it.",
    parameters: deliveryId,
    response: "Delivery",
    errors: ["NOT_FOUND"],
    answer: async ({ world, params, inbound }) => {
      const { id } = deliveryOf(world, params["id"] ?? "");
      resendEach(world, [id], inbound);
      await world.settled();
      return deliveryShape(world, deliveryOf(world, id));
    },
  } satisfies Endpoint,
  resendDeliveries: {
    method: "POST",
    path: "/sandbox/deliveries/resend",
    tag: "Webhooks",
    summary: "Send undelivered webhooks again",
    description: "Makes one attempt of each and answers after all of them.",
    request: "ResendRequest",
    response: "ResentDeliveries",
    problems: ({ body }) => unknownWords(body),
    answer: async ({ world, body, inbound }) => {
      const ids = [...newestDeliveries(world, { status: "undelivered", ...body })]
        .filter(({ duplicateOf, status }) => duplicateOf === null && status !== "not-sent")
        .map(({ id }) => id)
        .reverse();
      const work = new LongWork();
      for (let from = 0; from < ids.length; from += RESENT_AT_ONCE_MAX) {
        if (work.isDue) await work.nextTurn();
        await world.clock.ready();
        resendEach(world, ids.slice(from, from + RESENT_AT_ONCE_MAX), inbound);
      }
      await world.settled();
      const resent = ids.flatMap((id) => world.records.get(deliveries, id) ?? []).values();
      return { resent: ids.length, data: resent.map((delivery) => deliveryShape(world, delivery)) };
    },
  } satisfies Endpoint<"ResendRequest">,
};

/** Webhooks that one command resends: what takes longer is several commands, with other requests in between. */
const RESENT_AT_ONCE_MAX = 100;

function resendEach(world: World, ids: readonly string[], inbound: WorldAsked["inbound"]): void {
  valueOf(
    world.execute(
      { by: "control", name: "resend" },
      (tx) => {
        // A reset may have removed the delivery by now.
        for (const delivery of ids.map((id) => tx.get(deliveries, id))) if (delivery) resend(tx, delivery);
      },
      inbound,
    ),
  );
}

/** Returns the delivery with this id. Refuses an unknown id. */
export function deliveryOf(world: Pick<Simulation, "records" | "journal">, id: string): Delivery {
  const delivery = world.records.get(deliveries, id);
  if (delivery !== undefined) return delivery;
  shownDelivery(world, id);
  return refuse("id", `This webhook was not sent, so it cannot be sent again: ${NO_URL}.`, "NOT_SENT");
}

function shownDelivery(world: Pick<Simulation, "records" | "journal">, id: string): ShownDelivery {
  const delivery = world.records.get(deliveries, id) ?? notSentWithId(world.journal, id);
  return delivery ?? refuseUnknown(`There is no delivery "${id}". GET /sandbox/deliveries lists them.`);
}

/**
 * Yields the deliveries that a filter selects, newest first, together with the events without a webhook of these
 * entries of the journal. Nothing before `since` is read.
 */
function* newestDeliveries(
  { records, journal }: Pick<Simulation, "records" | "journal">,
  filter: DeliveriesQuery,
  notSent: readonly number[] = [],
): Generator<ShownDelivery> {
  const { object, since, until } = filter;
  const from = since === undefined ? 0 : instantOf(since);
  const to = until === undefined ? Infinity : instantOf(until) + 1;
  const conditions = conditionsOf(filter);
  const isBefore = ({ createdAt }: ShownDelivery): boolean => createdAt < to * 1000;
  const isMatch = (delivery: ShownDelivery): boolean =>
    isBefore(delivery) &&
    (object === undefined || delivery.objectId === object) &&
    conditions.every((condition) => meets(delivery, condition));
  let place = notSent.length - 1;
  const unsentSince = function* (entryNumber: number): Generator<ShownDelivery> {
    for (; place >= 0 && notSent[place]! >= entryNumber; place--) {
      const entry = journal.entry(notSent[place]!);
      if (entry === undefined || entry.at < from) return;
      yield* allNotSent(entry).filter(isMatch).reverse();
    }
  };
  const stored: Iterable<Delivery> =
    object === undefined
      ? records.newestFirst(deliveries, conditions, until === undefined ? undefined : isBefore)
      : records.find(deliveries, "object", object).reverse();
  for (const delivery of stored) {
    if (delivery.createdAt < from * 1000) break;
    if (!isMatch(delivery)) continue;
    yield* unsentSince(delivery.announcedBy);
    yield delivery;
  }
  yield* unsentSince(1);
}

/** Words of a filter that no delivery can have: an answer without deliveries would hide the mistake. */
function unknownWords({ event, injected }: Pick<DeliveriesQuery, "event" | "injected">): Problem[] {
  const names = Object.keys(events);
  const isEvent = typeof event !== "string" || names.some((name) => matchesGlob(event, name));
  const effects = [...effectNames(), "true", "false"];
  const isEffect = typeof injected !== "string" || effects.includes(injected);
  return [
    ...(isEvent ? [] : [{ field: "event", issue: "INVALID", description: noEvent(event, names) }]),
    ...(isEffect
      ? []
      : [{ field: "injected", issue: "INVALID", description: noWord("effect", injected, effects) }]),
  ];
}

function noEvent(written: string, names: readonly string[]): string {
  const begins = names.some((name) => name.startsWith(written.toUpperCase()));
  return begins
    ? `There is no event ${foundValue(written)}. The character * matches any text: write ${written.toUpperCase()}*.`
    : noWord("event", written, names);
}

function noWord(what: string, written: string, known: readonly string[]): string {
  return `There is no ${what} ${foundValue(written)}. ${suggestion(written, known, { all: what === "event" ? "docs/webhooks.md" : "docs/faults.md" })}`;
}

/** The conditions of a filter that are on the facets of deliveries. */
function conditionsOf({
  event,
  status,
  attempts,
  answer,
  injected,
}: DeliveriesQuery): Condition<ShownDelivery>[] {
  const conditions: Condition<ShownDelivery>[] = [];
  if (event !== undefined) conditions.push({ facet: eventOf, fits: (name) => matchesGlob(event, name) });
  if (status !== undefined) conditions.push({ facet: statusOf, fits: (word) => word === status });
  if (attempts !== undefined) {
    // `3` for exactly three attempts, `3+` for three or more.
    const wanted = Number.parseInt(attempts);
    const fits = (count: string): boolean =>
      attempts.endsWith("+") ? Number(count) >= wanted : Number(count) === wanted;
    conditions.push({ facet: attemptsOf, fits });
  }
  if (answer !== undefined) conditions.push({ facet: answerOf, fits: (word) => word === answer });
  if (injected !== undefined) conditions.push({ facet: injectedOf, fits: (word) => word === injected });
  return conditions;
}

function eventOf({ event }: ShownDelivery): string {
  return event;
}

function attemptsOf({ attempts }: ShownDelivery): string {
  return String(attempts.length);
}

/** Returns the class of the answer to the last attempt, such as `2xx`, or `none`. */
function answerOf({ attempts }: ShownDelivery): string {
  const status = attempts.at(-1)?.status ?? null;
  return status === null ? "none" : `${String(status)[0]}xx`;
}

/** Returns the effects that touched a delivery, and `true` or `false`. */
function injectedOf({ attempts, faults }: ShownDelivery): readonly string[] {
  const effects = new Set([
    ...faults.map(({ effect }) => effect),
    ...attempts.flatMap(({ injected }) => injected),
  ]);
  return [...effects, String(effects.size > 0)];
}

/** Returns a delivery as the sandbox's own API shows it: each attempt with its request and its answer. */
function deliveryShape(
  world: Pick<Simulation, "now" | "records" | "journal">,
  delivery: ShownDelivery,
): DeliveryShape {
  const { id, event, objectId, collection, url, status, body, duplicateOf, faults } = delivery;
  const traceparent = traceparentOf(world.journal, world.journal.entry(delivery.announcedBy));
  return {
    id,
    event,
    objectId,
    collection,
    url,
    status,
    progress: progressOf(delivery, world),
    body: withQrImages(body),
    duplicateOf,
    injected: faults.map(({ effect }) => effect),
    attempts: delivery.attempts.map((attempt) =>
      attemptShape(url, attempt, attemptTrace(traceparent, { delivery: id, number: attempt.number })),
    ),
    nextAttemptAt: timestampOrNull(delivery.nextAttemptAt),
    createdAt: formatMicroseconds(delivery.createdAt),
    ...defined({ traceparent }),
  };
}

function attemptShape(url: string, attempt: Attempt, trace: TraceContext | undefined): DeliveryAttempt {
  const sent = trace && { [TRACEPARENT]: writeTraceparent(trace) };
  const requestHeaders = { ...attempt.requestHeaders, ...sent };
  const requestBody = withQrImages(attempt.requestBody);
  return {
    ...attempt,
    message: messageOf(attempt),
    requestHeaders,
    requestBody,
    at: formatInstant(attempt.at),
    durationMs: attempt[DURATION_MS] ?? null,
    curl: curlOf(url, { ...attempt, requestHeaders, requestBody }),
  };
}

/** The changes of a fault that make a receiver refuse the request. */
const BREAKS_SIGNATURE: ReadonlySet<string> = new Set([
  "signature",
  "secret",
  "tampering",
] satisfies EffectSlot[]);

/** The message of an attempt. A receiver that refuses a broken signature is right, and gets no advice. */
function messageOf({ error, message, status, injected }: Attempt): string {
  const fault = injected.find((effect) => BREAKS_SIGNATURE.has(effectOf(effect).slot));
  if (error !== "non-2xx" || fault === undefined) return message;
  return `The receiver refused the request with ${status}. That is right: the fault ${fault} broke its signature.`;
}

/** The first attempt and its four retries (interface: Events, Delivery rule 2). */
const ATTEMPTS_MAX = 5;

/** The progress of a delivery as a phrase: `retrying 2/5, next in 4 m 12 s`. */
function progressOf(delivery: ShownDelivery, { now, records }: Pick<Simulation, "now" | "records">): string {
  const { status, attempts, pending, nextAttemptAt, waitsFor } = delivery;
  const made = attempts.filter(({ trigger }) => trigger === "scheduled").length;
  const next =
    pending.length > 0 ? "in flight" : nextAttemptAt === null ? "" : `next in ${span(nextAttemptAt - now)}`;
  const until = waitsFor === null ? "" : " at the latest";
  const held = heldWebhook(records, delivery);
  switch (status) {
    case "scheduled":
      if (held !== undefined) return `scheduled, held by the fault ${held.effect} until ${held.until}`;
      return `scheduled${next === "" ? "" : `, ${next}${until}`}`;
    case "retrying":
      return `retrying ${made}/${ATTEMPTS_MAX}${next === "" ? "" : `, ${next}${until}`}`;
    case "delivered":
      return `delivered by attempt ${attempts.findLastIndex(({ error }) => error === null) + 1}`;
    case "undelivered":
      return `undelivered after ${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"}`;
    case "lost":
      return "lost: no attempt will be made";
    case "not-sent":
      return `not sent: ${NO_URL}`;
  }
}

/** Returns the attempt as a shell command. Null if its body was too large to be stored completely. */
function curlOf(
  url: string,
  { requestHeaders, requestBody: body, requestBytes }: Omit<Attempt, "requestBody"> & { requestBody: string },
): string | null {
  if (Buffer.byteLength(body) !== requestBytes) return null;
  const headers = Object.entries(requestHeaders).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  // Without these two curl would add its own content type, and wait for 100-continue.
  const others = ["content-type", "expect"].filter((name) => !(name in requestHeaders));
  const absent = others.map((name) => `-H ${quoted(`${name}:`)}`);
  return ["curl -X POST", quoted(url), ...headers, ...absent, `--data-binary ${quoted(body)}`].join(" ");
}
