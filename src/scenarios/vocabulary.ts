import type { Act } from "../platform/act.ts";
import type { Effect } from "../platform/faults/effect.ts";
import { acts as platformActs } from "../platform/acts.ts";
import { assumptions } from "../platform/assumptions/assumptions.ts";
import { effectNames, effectOf } from "../platform/faults/effects.ts";
import { events } from "../api/events.ts";
import { operations } from "../api/operations.ts";
import { planOutcomes } from "../platform/plans/plan.ts";
import { resources } from "../platform/resources.ts";

// Every list of words that scenario files use, from the one place where it is defined. The schema and the checks
// read the lists here only.

export { assumptions, operations };

export const acts: ReadonlyMap<string, Act> = platformActs;

/** The outcomes of every plan, the default first. */
export const plans: Readonly<Record<string, readonly string[]>> = planOutcomes;

export const effects: ReadonlyMap<string, Effect> = new Map(
  effectNames().map((name) => [name, effectOf(name)]),
);

export const eventNames: readonly string[] = Object.keys(events);

export const operationIds: readonly string[] = Object.keys(operations);

export const collectionNames: readonly string[] = Object.keys(resources);
