import type { World } from "../../worlds/world.ts";
import { type Delivery, type DeliveryStatus, deliveries } from "../../platform/webhook-events/delivery.ts";
import { parseInstant } from "../../engine/instant.ts";
import { foundValue } from "../../api/found-value.ts";
import { LongWork } from "../../process/long-work.ts";
import { matchesGlob } from "../../platform/faults/selection.ts";
import {
  type ControlRequest,
  type ControlRoutes,
  refuse,
  refuseOthers,
  refuseUnknown,
  valueOf,
  wholeNumber,
  withOutcomes,
} from "./control.ts";
import { resend } from "../../platform/webhook-events/attempts.ts";
import { deliveryShape } from "./answer-shapes.ts";
import { suggestion } from "../../engine/suggestion.ts";

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
  return { data: newest.values().map((delivery) => deliveryShape(world, delivery)) };
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
  return Array.from(all).filter((delivery) => conditions.every((isMet) => isMet(delivery)));
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
  resendEach(world, [id], inbound);
  await world.settled();
  return deliveryShape(world, deliveryOf(world, id));
}

/** Webhooks that one command resends: what takes longer is several commands, with other requests in between. */
const RESENT_AT_ONCE_MAX = 100;

/**
 * `{status?, event?, object?, since?}`: makes one attempt of each, by default of those that are undelivered, and
 * answers once all are over.
 */
async function resendDeliveries({ world, body, inbound }: ControlRequest): Promise<object> {
  const ids = filteredDeliveries(world, { status: "undelivered", ...filterOf(body) })
    .filter(({ duplicateOf }) => duplicateOf === null)
    .map(({ id }) => id);
  const work = new LongWork();
  for (let from = 0; from < ids.length; from += RESENT_AT_ONCE_MAX) {
    if (work.isDue) await work.nextTurn();
    resendEach(world, ids.slice(from, from + RESENT_AT_ONCE_MAX), inbound);
  }
  await world.settled();
  const { records } = world;
  const resent = ids.flatMap((id) => records.get(deliveries, id) ?? []).values();
  const data = resent.map((delivery) => deliveryShape(world, delivery));
  return { resent: ids.length, data };
}

function resendEach(world: World, ids: readonly string[], inbound: ControlRequest["inbound"]): void {
  valueOf(
    world.execute(
      { by: "control", name: "resend" },
      (tx) => {
        // A reset may have taken it away meanwhile.
        for (const delivery of ids.map((id) => tx.get(deliveries, id))) if (delivery) resend(tx, delivery);
      },
      inbound,
    ),
  );
}

function filterOf(body: ControlRequest["body"]): DeliveryFilter {
  refuseOthers(body, RESEND_FIELDS);
  for (const [field, value] of Object.entries(body)) {
    if (typeof value !== "string") refuse(field, `${field} must be a string; found ${foundValue(value)}.`);
  }
  return body;
}
