import type { ControlRequest } from "./control.ts";
import type { Delivery, DeliveryStatus } from "../../platform/webhook-events/delivery.ts";
import type { World } from "../../worlds/world.ts";
import { foundValue } from "../../api/found-value.ts";
import { closest } from "fastest-levenshtein";
import { deliveries } from "../../platform/webhook-events/delivery.ts";
import { deliveryShape } from "./delivery-shape.ts";
import { wholeNumber } from "./newest.ts";
import { matchesGlob } from "../../platform/faults/glob.ts";
import { parseInstant } from "../../engine/instant.ts";
import { refuse, refuseOthers, refuseUnknown } from "./control.ts";

/** What picks deliveries; all that is given holds together. */
export interface DeliveryFilter {
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

/**
 * `GET /sandbox/deliveries`, newest last; every field of a filter is a query parameter, and `last` keeps the newest.
 * With `wait=false` attempts in flight are not waited for.
 */
export function listDeliveries({ world, query }: ControlRequest): object {
  const { last, wait: _wait, ...filter } = query;
  refuseOthers(query, QUERY);
  const found = filteredDeliveries(world, filter);
  const newest =
    last === undefined ? found : found.slice(Math.max(0, found.length - wholeNumber("last", last)));
  return { data: newest.map((delivery) => deliveryShape(world, delivery)) };
}

/** `GET /sandbox/deliveries/{id}` */
export function showDelivery({ world, params }: ControlRequest): object {
  return deliveryShape(world, deliveryOf(world, params["id"] ?? ""));
}

/** The delivery of that id; refuses where there is none. */
export function deliveryOf(world: World, id: string): Delivery {
  const delivery = world.records.get(deliveries, id);
  return delivery ?? refuseUnknown(`There is no delivery "${id}". GET /sandbox/deliveries lists them.`);
}

/** The deliveries that a filter picks, in the order in which they were made. Refuses a filter that makes no sense. */
export function filteredDeliveries(world: World, filter: DeliveryFilter): Delivery[] {
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
    const nearest = closest(status.slice(0, 100), [...STATUSES]);
    refuse("status", `There is no status ${foundValue(status)}. Did you mean ${nearest}?`);
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
