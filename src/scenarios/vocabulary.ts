import type { OperationId } from "../simulator/api/vocabulary.ts";
import type { Effect } from "../simulator/platform/faults/effect.ts";
import { effectNames, effectOf } from "../simulator/platform/faults/effects.ts";
import { collections, lifecycles, steps } from "../simulator/platform/catalog.ts";
import { events } from "../simulator/api/events.ts";
import { type Operation, operations } from "../simulator/api/operations.ts";

// All lists of words for scenario files, from their definitions. The schema and the checks read the lists only here.

export { acts, assumptions } from "../simulator/platform/catalog.ts";
export { operations } from "../simulator/api/operations.ts";

/** The outcomes of every plan, the default first. */
export const plans: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Array.from(steps, ([name, { step }]) => [name, step.outcomes]),
);

export const effects: ReadonlyMap<string, Effect> = new Map(
  effectNames().map((name) => [name, effectOf(name)]),
);

export const eventNames: readonly string[] = Object.keys(events);

export const operationIds: readonly OperationId[] = Object.keys(operations) as OperationId[];

export function operationNamed(name: string): Operation | undefined {
  return Object.hasOwn(operations, name) ? operations[name as OperationId] : undefined;
}

export const collectionNames: readonly string[] = [...collections.keys()];

/** The statuses of the objects of each collection. */
export const statuses: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  lifecycles.map(({ resource, states }) => [`${resource}s`, states]),
);
