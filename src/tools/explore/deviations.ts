import { type DeviationName, type EffectSlot, effectNames, effectOf } from "../../api/faults.ts";
import type { StepFault } from "./play.ts";
import { assertDefined } from "../../engine/assertion.ts";

/** The ways in which an event can come otherwise, in the order in which they are tried. */
export const deviationKinds = [
  "late",
  "twice",
  "twice-late",
  "twice-at-once",
  "answer-lost",
  "first-try-lost",
  "early",
  "together",
] as const satisfies readonly DeviationName[];

export type DeviationKind = (typeof deviationKinds)[number];

export function isDeviationKind(name: string): name is DeviationKind {
  return deviationKinds.includes(name as DeviationKind);
}

/** The kinds that are tried: these, or all, without those. */
export function chosenKinds({
  only = deviationKinds,
  without = [],
}: {
  readonly only?: readonly DeviationKind[];
  readonly without?: readonly DeviationKind[];
}): ReadonlySet<DeviationKind> {
  return new Set(only.filter((kind) => !without.includes(kind)));
}

/** One thing that goes differently for one event of the baseline, counted from 1. */
export interface Deviation {
  readonly event: number;
  readonly kind: DeviationKind;
}

/** What goes differently in one run; empty for the baseline. `late` twice for one event delays it after two others. */
export type Schedule = readonly Deviation[];

/** An event of the baseline, and how it is found in any other run. */
export interface BaselineEvent {
  /** Counts from 1, in the order in which the events were announced. */
  readonly index: number;
  readonly event: string;
  readonly collection: string;
  readonly objectId: string;
  /** The object by where it comes from. */
  readonly object: string;
  /** The position of its object among those of the collection that events announced. */
  readonly objectNumber: number;
  /** Which event of this name about this object it is. */
  readonly occurrence: number;
  /** The step during which it was announced; one more than there are for what time alone brought. */
  readonly step: number;
  /** When it was announced, in milliseconds. */
  readonly at: number;
  /** The call that announced it, by itself or by what it made due at once. */
  readonly call?: string;
}

/** What a run is compared with: its events, and what time does to them. */
export interface Timeline {
  readonly events: readonly BaselineEvent[];
  /** When each step ended, in milliseconds. */
  readonly stepEnds: readonly number[];
  /** The time between a failed first attempt and the second one. */
  readonly retryAfterMs: number;
}

/** The deviations that are possible for the events of a baseline. */
export function candidates({ events }: Timeline, kinds: ReadonlySet<DeviationKind>): Deviation[] {
  return events.flatMap((event) =>
    deviationKinds
      .filter((kind) => kinds.has(kind) && isPossible(kind, event, events))
      .map((kind) => ({ event: event.index, kind })),
  );
}

function isPossible(kind: DeviationKind, event: BaselineEvent, events: readonly BaselineEvent[]): boolean {
  if (kind === "late") return event.index < events.length;
  if (kind === "early") return event.call !== undefined;
  if (kind === "together") return nextAbout(event, events) !== undefined;
  return true;
}

/** The next event about the same object. */
export function nextAbout(
  { index, objectId }: BaselineEvent,
  events: readonly BaselineEvent[],
): BaselineEvent | undefined {
  return events.find((other) => other.index > index && other.objectId === objectId);
}

/** What a deviation decides; of those that decide the same thing, an event has one. */
function slotOf(kind: DeviationKind): EffectSlot {
  const { slot } = effectOf(effectOfKind(kind).effect);
  // The connection of the first attempt is the first attempt.
  return slot === "connection" ? "first-attempts" : slot;
}

/** The effect that a kind of deviation is, with the values of its fields. */
function effectOfKind(kind: DeviationKind): Pick<StepFault, "effect"> & Partial<StepFault> {
  const found = effectNames().find((name) => Object.hasOwn(effectOf(name).deviations ?? {}, kind));
  const effect = assertDefined(found, `the effect of ${kind}`);
  return { effect, ...effectOf(effect).deviations?.[kind] };
}

/** Whether two deviations can be in one schedule. */
export function areCompatible(one: Deviation, other: Deviation, { events }: Timeline): boolean {
  const kinds = [one.kind, other.kind];
  if (one.event === other.event) {
    if (one.kind === other.kind) return one.kind === "late";
    if (slotOf(one.kind) === slotOf(other.kind)) return false;
    const isFirst = kinds.some((kind) => slotOf(kind) === "first-attempts");
    if (kinds.includes("together") && isFirst) return false;
    return !(kinds.includes("early") && kinds.includes("first-try-lost"));
  }
  // Requests that are in flight together are answered, or lost, together.
  return isLeftAlone(one, other, events) && isLeftAlone(other, one, events);
}

function isLeftAlone(one: Deviation, other: Deviation, events: readonly BaselineEvent[]): boolean {
  if (one.kind !== "together" || other.kind !== "answer-lost") return true;
  const event = events[one.event - 1];
  return event === undefined || nextAbout(event, events)?.index !== other.event;
}

/** Whether at least as many deviations of each sort are in a schedule. */
export function contains(schedule: Schedule, smaller: Schedule): boolean {
  const left = schedule.map(keyOf);
  return smaller.every((deviation) => {
    const at = left.indexOf(keyOf(deviation));
    if (at < 0) return false;
    left.splice(at, 1);
    return true;
  });
}

export function keyOf({ event, kind }: Deviation): string {
  return `${kind}-${event}`;
}

/** A name for a schedule, which may be that of a file: `twice-late-2`, `late-1-twice-3`. */
export function nameOf(schedule: Schedule): string {
  return schedule.length === 0 ? "baseline" : schedule.map(keyOf).join("-");
}

/**
 * The faults of a schedule, in the words of scenarios. An event is named by its name, its object's position and its
 * occurrence, so that it is the same one whatever else happens.
 */
export function faultsOf(schedule: Schedule, { events }: Timeline): StepFault[] {
  const late = new Map<number, number>();
  for (const { event, kind } of schedule) if (kind === "late") late.set(event, (late.get(event) ?? 0) + 1);
  const once = schedule.filter(
    ({ event, kind }, index) =>
      kind !== "late" || schedule.findIndex((one) => one.kind === "late" && one.event === event) === index,
  );
  return once.map(({ event, kind }) => {
    const found = events[event - 1];
    if (found === undefined) throw new Error(`there is no event ${event}`);
    const count = (kind === "late" && late.get(event)) || 1;
    return {
      on: "webhook",
      ...selectorsOf(found, events),
      ...effectOfKind(kind),
      ...(count > 1 && { events: count }),
    };
  });
}

function selectorsOf(
  { event, collection, objectNumber, occurrence }: BaselineEvent,
  events: readonly BaselineEvent[],
): Pick<StepFault, "event" | "objectNumber" | "nth"> {
  const isOnly = events.every((other) => other.collection !== collection || other.objectNumber === 1);
  return { event, ...(!isOnly && { objectNumber }), nth: occurrence };
}
