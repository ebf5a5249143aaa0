import type { StatusPlace } from "../../simulator/platform/operations.ts";
import type { ShapeName } from "../../simulator/api/generated/shapes.ts";
import type { OperationId, EventName } from "../../simulator/api/vocabulary.ts";
import { eventsOf, type Lifecycle, type Transition } from "../../simulator/engine/lifecycle.ts";
import { type Operation, operations, statusPlaces } from "../../simulator/api/operations.ts";
import {
  type TrafficCall,
  type SeenTransition,
  type EntryPlace,
  type Span,
  type Webhook,
  momentAt,
  isDone,
} from "./observers/traffic.ts";
import { listAt, textAt } from "../../simulator/engine/json.ts";
import { events, eventShapes, typeOfShape } from "../../simulator/api/events.ts";
import { lifecycles } from "../../simulator/platform/catalog.ts";

/** A status of an object as an answer or an event shows it. */
interface Sighting {
  readonly resource: string;
  readonly id: string;
  readonly status: string;
  readonly at: Span;
  /** The time of the exchange. Undefined if the body has the time of its status, so that it may arrive at any time. */
  readonly recorded: Span | undefined;
  readonly order: number;
  readonly entry: EntryPlace;
}

/** Compares every change of status in a session with the lifecycle tables. */
export function changesIn(calls: readonly TrafficCall[], webhooks: readonly Webhook[]): SeenTransition[] {
  const created = new Set<string>();
  const sightings = [...calls.flatMap((call) => inCall(call, created)), ...webhooks.flatMap(inWebhook)];
  const byObject = Map.groupBy(sightings, ({ resource, id }) => `${resource} ${id}`);
  return [...byObject.values(), ...calls.flatMap(inHistories)].flatMap((seen) => changesOf(seen));
}

/** Returns the objects with a status that a shape shows in a body. */
function shown(body: unknown, shape: ShapeName): { readonly place: StatusPlace; readonly object: unknown }[] {
  return statusPlaces(shape).flatMap((place) =>
    (place.in === undefined ? [body] : listAt(body, place.in)).map((object) => ({ place, object })),
  );
}

function sightingsIn(
  body: unknown,
  { shape, ...seen }: Pick<Sighting, "at" | "recorded" | "order" | "entry"> & { readonly shape: ShapeName },
): Sighting[] {
  return shown(body, shape).flatMap(({ place, object }) => {
    if (typeof place.status !== "string") return [];
    const [id, status] = [textAt(object, place.id), textAt(object, place.status)];
    return id === undefined || status === undefined ? [] : [{ resource: place.of, id, status, ...seen }];
  });
}

/**
 * Returns the sightings of a call. `created` has the objects with a known creation, because a repeated request shows
 * the same status.
 */
function inCall(call: TrafficCall, created: Set<string>): Sighting[] {
  const { operation: name, answer, order, entry, at, recorded } = call;
  const operation = operations[name as OperationId] as Operation | undefined;
  if (operation === undefined || !isDone(call)) return [];
  const seen = sightingsIn(answer, { shape: operation.response, at, recorded, order, entry });
  if (operation.creates !== true) return seen;
  const key = `${name} ${seen[0]?.id}`;
  if (created.has(key) || "idempotency-replayed" in call.answerHeaders) return [];
  created.add(key);
  return seen;
}

/** Returns the histories of a subscription and of its cancellations, with a time for each status. */
function inHistories(call: TrafficCall): Sighting[][] {
  const operation = operations[call.operation as OperationId] as Operation | undefined;
  if (operation === undefined || !isDone(call)) return [];
  const { answer, order, entry } = call;
  return shown(answer, operation.response).flatMap(({ place, object }) => {
    if (typeof place.status === "string") return [];
    const changes = listAt(object, place.status.history).flatMap((change): Sighting[] => {
      const moment = momentAt(change, "createdAt");
      const [id, status] = [textAt(object, place.id), textAt(change, "status")];
      if (moment === undefined || id === undefined || status === undefined) return [];
      return [{ resource: place.of, id, status, at: moment, recorded: undefined, order, entry }];
    });
    return [changes];
  });
}

function inWebhook({ event, body, at: moment, recorded, order, entry }: Webhook): Sighting[] {
  const shapes = Object.hasOwn(events, event) ? eventShapes(events[event as EventName]) : [];
  const type = textAt(body, "type");
  const shape = shapes.length < 2 ? shapes[0] : shapes.find((one) => typeOfShape(one) === type);
  const seen = moment === undefined ? { at: recorded, recorded } : { at: moment, recorded: undefined };
  return shape === undefined ? [] : sightingsIn(body, { shape, ...seen, order, entry });
}

/**
 * Returns the changes of one object. Sightings with a time are ordered by their time, independent of the time of
 * sending.
 */
function changesOf(sightings: readonly Sighting[]): SeenTransition[] {
  const [first] = sightings;
  const table = lifecycles.find(({ resource }) => resource === first?.resource);
  if (first === undefined || table === undefined) return [];
  const ordered = instantsIn(sightings.toSorted(inTime)).flatMap((instant) => inTable(table, instant));
  let status: string | null = null;
  return ordered.flatMap(({ resource, status: to, entry }): SeenTransition[] => {
    if (to === status) return [];
    const from = status;
    status = to;
    return [{ resource, from, to, verdict: verdictOf(table, from, to), entry }];
  });
}

function inTime(one: Sighting, other: Sighting): number {
  return isApart(one, other) ? one.at.from - other.at.from : one.order - other.order;
}

/** Returns true if the recorder saw a status after another one, and the bodies have no times of their own. */
function isLater({ recorded: one }: Sighting, { recorded: other }: Sighting): boolean {
  return one !== undefined && other !== undefined && one.from !== other.from;
}

function isApart(one: Sighting, other: Sighting): boolean {
  return one.at.to < other.at.from || other.at.to < one.at.from;
}

/** Groups sightings whose times do not show their order. */
function instantsIn(ordered: readonly Sighting[]): Sighting[][] {
  const instants: Sighting[][] = [];
  for (const sighting of ordered) {
    const instant = instants.at(-1);
    if (instant?.every((other) => !isApart(sighting, other) && !isLater(sighting, other)) === true)
      instant.push(sighting);
    else instants.push([sighting]);
  }
  return instants;
}

/** Orders the sightings of one instant as the table allows. Statuses that are not in the table come first. */
function inTable(table: Lifecycle, instant: readonly Sighting[]): Sighting[] {
  const rankOf = ({ status }: Sighting): number =>
    instant.filter((other) => verdictOf(table, other.status, status) === "legal").length;
  return instant.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** Returns the statuses that the events of a row show. They may be different from the row's target. */
function statusesIn(row: Transition): string[] {
  return eventsOf(row).map((event) => event.slice(event.lastIndexOf(".") + 1));
}

/** Returns the verdict on a change of status. The status may have changed several times between two sightings. */
function verdictOf(table: Lifecycle, from: string | null, to: string): SeenTransition["verdict"] {
  if (!table.states.includes(to)) return "unknown";
  if (from === null || !table.states.includes(from)) return "legal";
  const reached = new Set<string>([from]);
  for (const state of reached)
    for (const row of table.transitions)
      if (row.from.includes(state)) for (const shown of [row.to, ...statusesIn(row)]) reached.add(shown);
  return reached.has(to) && to !== from ? "legal" : "out-of-order";
}
