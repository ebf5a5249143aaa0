import type { EventDescription } from "../platform/operations.ts";
import type { EventName } from "./vocabulary.ts";
import type { ShapeName } from "./generated/shapes.ts";
import { catalog } from "../platform/catalog.ts";
import { definition, type Schema } from "./schemas.ts";

/** Every event that the platform sends, by its name (interface: Events). */
export const events = Object.assign({}, ...catalog.map((resource) => resource.api.events)) as Readonly<
  Record<EventName, EventDescription>
>;

/** An event. Two events have the same name, and the `type` of their bodies distinguishes them. */
export interface EventKind {
  readonly event: EventName;
  readonly type: string | undefined;
  /** The name, such as `ORDER-PAYIN.ERROR (REFUND)`. */
  readonly name: string;
  readonly summary: string;
  /** The provider state that leads to it. */
  readonly state: string;
}

export const eventKinds: readonly EventKind[] = (
  Object.entries(events) as [EventName, EventDescription][]
).flatMap(([event, { summary, state }]): EventKind[] =>
  typeof state === "string"
    ? [{ event, type: undefined, name: event, summary, state }]
    : Object.entries(state).map(([type, own]) => ({ event, type, name: `${event} (${type})`, ...own })),
);

/** Returns the kind of an event by its name and its body. */
export function eventKind(event: string, body: string): EventKind | undefined {
  const kinds = eventKinds.filter((kind) => kind.event === event);
  if (kinds.length < 2) return kinds[0];
  const { type } = JSON.parse(body) as { readonly type?: string };
  return kinds.find((kind) => kind.type === type);
}

/** The last word of the event of a success, and of the matching event of a failure. */
const FAILURES: Readonly<Record<string, string>> = {
  ACCEPTED: "REJECTED",
  PAID: "ERROR",
  COMPLETED: "ERROR",
  REFUNDED: "ERROR",
};

/**
 * Returns the fields, including the name of the event, that turn the body of a success event into the matching
 * failure. Undefined if the event reports no success, or has no matching failure.
 */
export function failureOf(success: string): object | undefined {
  const at = success.lastIndexOf(".") + 1;
  const event = success.slice(0, at) + String(FAILURES[success.slice(at)]);
  const known: Readonly<Record<string, EventDescription>> = events;
  const shape = known[event] && eventShapes(known[event]).find((one) => known[success]?.shapes[one]);
  return shape && { event, ...known[event]?.shapes[shape] };
}

/** Returns the `type` of a shape. It distinguishes two shapes of one event. */
export function typeOfShape(shape: ShapeName): string {
  const { enum: types = [] }: Schema = definition(shape).schema.properties?.["type"] ?? {};
  return String(types[0]);
}

/** Returns the shapes that the body of an event may have. */
export function eventShapes(event: EventDescription): ShapeName[] {
  return Object.keys(event.shapes) as ShapeName[];
}
