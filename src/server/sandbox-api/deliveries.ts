import type { Attempt, Delivery, DeliveryStatus } from "../../platform/webhook-events/delivery.ts";
import type { ControlRequest, ControlRoutes } from "./control.ts";
import type { World } from "../../worlds/world.ts";
import { withQrImages } from "../../webhooks/qr-images.ts";
import { deliveries } from "../../platform/webhook-events/delivery.ts";
import { formatInstant, formatMicroseconds, parseInstant } from "../../engine/instant.ts";
import { foundValue } from "../../api/found-value.ts";
import { matchesGlob } from "../../platform/faults/selection.ts";
import { refuse, refuseOthers, refuseUnknown, valueOf, wholeNumber, withOutcomes } from "./control.ts";
import { resend } from "../../platform/webhook-events/attempts.ts";
import { suggestion } from "../../engine/suggestion.ts";
import { timestampOrNull } from "../../platform/shape.ts";

/** The webhooks of a world. */
export const deliveryRoutes: ControlRoutes = {
  "GET /deliveries": { summary: "List the webhooks, newest last", answer: withOutcomes(listDeliveries) },
  "POST /deliveries/resend": { summary: "Send undelivered webhooks again", answer: resendDeliveries },
  "GET /deliveries/:id": { summary: "Show a webhook with its attempts", answer: withOutcomes(showDelivery) },
  "POST /deliveries/:id/resend": { summary: "Send a webhook again", answer: resendDelivery },
};

/** Selects deliveries that meet all of these. */
interface DeliveryFilter {
  readonly event?: string | undefined;
  readonly object?: string | undefined;
  readonly status?: string | undefined;
  readonly attempts?: string | undefined;
  readonly injected?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

const STATUSES: readonly DeliveryStatus[] = ["scheduled", "retrying", "delivered", "undelivered", "lost"];

const QUERY = [
  "event",
  "object",
  "status",
  "attempts",
  "injected",
  "since",
  "until",
  "last",
  "wait",
] as const;

/** Every field of a filter is a query parameter; `last` limits the list to the newest, `wait` is for the outcomes. */
function listDeliveries({ world, query }: ControlRequest): object {
  const { last, wait: _wait, ...filter } = query;
  refuseOthers(query, QUERY);
  const found = filteredDeliveries(world, filter);
  const newest =
    last === undefined ? found : found.slice(Math.max(0, found.length - wholeNumber("last", last)));
  return { data: newest.map((delivery) => deliveryShape(world, delivery)) };
}

function showDelivery({ world, params }: ControlRequest): object {
  return deliveryShape(world, deliveryOf(world, params["id"] ?? ""));
}

/** The delivery of that id; refuses where there is none. */
export function deliveryOf(world: World, id: string): Delivery {
  const delivery = world.records.get(deliveries, id);
  return delivery ?? refuseUnknown(`There is no delivery "${id}". GET /sandbox/deliveries lists them.`);
}

/** The deliveries that a filter selects, oldest first. Refuses an invalid filter. */
function filteredDeliveries(world: World, filter: DeliveryFilter): Delivery[] {
  const { records } = world;
  const { object } = filter;
  const conditions = conditionsOf(filter);
  const all = object === undefined ? records.all(deliveries) : records.find(deliveries, "object", object);
  return Array.from(all).filter((delivery) => conditions.every((holds) => holds(delivery)));
}

type Condition = (delivery: Delivery) => boolean;

function conditionsOf({ event, status, attempts, injected, since, until }: DeliveryFilter): Condition[] {
  const conditions: Condition[] = [];
  if (event !== undefined) conditions.push((delivery) => matchesGlob(event, delivery.event));
  if (status !== undefined) conditions.push(ofStatus(status));
  if (attempts !== undefined) conditions.push(withAttempts(attempts));
  if (injected !== undefined) conditions.push(touchedBy(injected));
  const from = instantOf("since", since);
  const to = instantOf("until", until);
  if (from !== undefined) conditions.push(({ createdAt }) => createdAt >= from * 1000);
  if (to !== undefined) conditions.push(({ createdAt }) => createdAt < (to + 1) * 1000);
  return conditions;
}

function ofStatus(status: string): Condition {
  if (!STATUSES.includes(status as DeliveryStatus)) {
    refuse("status", `There is no status ${foundValue(status)}. ${suggestion(status, STATUSES)}`);
  }
  return (delivery) => delivery.status === status;
}

/** `3` for exactly three attempts, `3+` for three or more. */
function withAttempts(text: string): Condition {
  const [, digits, more] = /^(\d{1,9})(\+?)$/.exec(text) ?? [];
  if (digits === undefined) {
    refuse(
      "attempts",
      `attempts must be a number, or one with a plus, such as 2+; found ${foundValue(text)}.`,
    );
  }
  const wanted = Number(digits);
  return ({ attempts: { length } }) => (more === "+" ? length >= wanted : length === wanted);
}

/** `true` and `false`, or the effect that touched it. */
function touchedBy(injected: string): Condition {
  const effectsOf = ({ attempts, faults }: Delivery): string[] => [
    ...faults.map(({ effect }) => effect),
    ...attempts.flatMap((attempt) => attempt.injected),
  ];
  if (injected === "true") return (delivery) => effectsOf(delivery).length > 0;
  if (injected === "false") return (delivery) => effectsOf(delivery).length === 0;
  return (delivery) => effectsOf(delivery).includes(injected);
}

function instantOf(field: "since" | "until", text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return (
    parseInstant(text) ??
    refuse(
      field,
      `${field} must be a timestamp with its offset, such as 2026-11-20T09:00:00-03:00; found ${foundValue(text)}.`,
    )
  );
}

const RESEND_FIELDS = ["status", "event", "object", "since"];

/** Makes one attempt and answers once it is over. */
async function resendDelivery({ world, params, inbound }: ControlRequest): Promise<object> {
  const { id } = deliveryOf(world, params["id"] ?? "");
  valueOf(
    world.execute({ by: "control", name: "resend" }, (tx) => resend(tx, deliveryOf(world, id)), inbound),
  );
  await world.settled();
  return deliveryShape(world, deliveryOf(world, id));
}

/**
 * `{status?, event?, object?, since?}`: makes one attempt of each, by default of those that are undelivered, and
 * answers once all are over.
 */
async function resendDeliveries({ world, body, inbound }: ControlRequest): Promise<object> {
  const ids = filteredDeliveries(world, { status: "undelivered", ...filterOf(body) })
    .filter(({ duplicateOf }) => duplicateOf === null)
    .map(({ id }) => id);
  valueOf(
    world.execute(
      { by: "control", name: "resend" },
      (tx) => {
        for (const id of ids) resend(tx, deliveryOf(world, id));
      },
      inbound,
    ),
  );
  await world.settled();
  const data = ids.map((id) => deliveryShape(world, deliveryOf(world, id)));
  return { resent: ids.length, data };
}

function filterOf(body: ControlRequest["body"]): DeliveryFilter {
  refuseOthers(body, RESEND_FIELDS);
  for (const [field, value] of Object.entries(body)) {
    if (typeof value !== "string") refuse(field, `${field} must be a string; found ${foundValue(value)}.`);
  }
  return body;
}

export type DeliveryShape = ReturnType<typeof deliveryShape>;

/** A delivery as the sandbox's own API shows it: each attempt with what was sent and what was answered. */
function deliveryShape(world: World, delivery: Delivery) {
  const { id, event, objectId, collection, url, status, body, duplicateOf, faults } = delivery;
  return {
    id,
    event,
    objectId,
    collection,
    url,
    status,
    progress: progressOf(delivery, world.now),
    body,
    duplicateOf,
    injected: faults.map(({ effect }) => effect),
    attempts: delivery.attempts.map((attempt) => attemptShape(world, delivery, attempt)),
    nextAttemptAt: timestampOrNull(delivery.nextAttemptAt),
    createdAt: formatMicroseconds(delivery.createdAt),
  };
}

function attemptShape(world: World, { id, url }: Delivery, attempt: Attempt) {
  return {
    ...attempt,
    at: formatInstant(attempt.at),
    durationMs: world.attemptDurationMs(id, attempt.number),
    curl: curlOf(url, attempt),
  };
}

/** The first attempt and its four retries (interface: Events, Delivery rule 2). */
const ATTEMPTS_MAX = 5;

/** The progress of a delivery as a phrase: `retrying 2/5, next in 4 m 12 s`. */
function progressOf({ status, attempts, pending, nextAttemptAt, waitsFor }: Delivery, now: number): string {
  const made = attempts.filter(({ trigger }) => trigger === "scheduled").length;
  const next =
    pending.length > 0 ? "in flight" : nextAttemptAt === null ? "" : `next in ${span(nextAttemptAt - now)}`;
  const until = waitsFor === null ? "" : " at the latest";
  switch (status) {
    case "scheduled":
      return `scheduled${next === "" ? "" : `, ${next}${until}`}`;
    case "retrying":
      return `retrying ${made}/${ATTEMPTS_MAX}${next === "" ? "" : `, ${next}${until}`}`;
    case "delivered":
      return `delivered by attempt ${attempts.findLastIndex(({ error }) => error === null) + 1}`;
    case "undelivered":
      return `undelivered after ${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"}`;
    case "lost":
      return "lost: no attempt will be made";
  }
}

/** A length of time by its two largest units: `4 m 12 s`, `2 h 0 m`, `1 d 3 h`. */
function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const [d, h, m, s] = [seconds / 86_400, (seconds / 3600) % 24, (seconds / 60) % 60, seconds % 60].map(
    Math.floor,
  );
  if (d) return `${d} d ${h} h`;
  if (h) return `${h} h ${m} m`;
  return m ? `${m} m ${s} s` : `${s} s`;
}

/** The attempt as a shell command; null where its body was too large to be stored completely. */
function curlOf(url: string, { requestHeaders, requestBody, requestBytes }: Attempt): string | null {
  const body = withQrImages(requestBody);
  if (Buffer.byteLength(body) !== requestBytes) return null;
  const headers = Object.entries(requestHeaders).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  // Without these two curl would add its own content type, and wait for 100-continue.
  const others = ["content-type", "expect"].filter((name) => !(name in requestHeaders));
  const absent = others.map((name) => `-H ${quoted(`${name}:`)}`);
  return ["curl -X POST", quoted(url), ...headers, ...absent, `--data-binary ${quoted(body)}`].join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
