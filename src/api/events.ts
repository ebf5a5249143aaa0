import type { EventDescription } from "../platform/operations.ts";
import type { EventName } from "./generated/vocabulary.ts";
import type { ShapeName } from "./generated/shapes.ts";
import { catalog } from "../platform/catalog.ts";

export type { EventDescription } from "../platform/operations.ts";
export type { EventName } from "./generated/vocabulary.ts";

/** Every event that the platform sends, by its name (interface: Events). */
export const events = Object.assign({}, ...catalog.map((resource) => resource.api.events)) as Readonly<
  Record<EventName, EventDescription>
>;

/** The shapes that the body of an event may have. */
export function eventShapes(event: EventDescription): ShapeName[] {
  return Object.keys(event.shapes) as ShapeName[];
}
