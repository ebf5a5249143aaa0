import type { Evidence } from "./causes.ts";
import type { Timeline } from "./deviations.ts";
import type { StateDifference } from "../oracle/comparison.ts";
import type { Trace } from "../scenarios/books/traces.ts";
import { isReplaced } from "./value-changes.ts";

/** The reaction of a receiver to the arrivals of one exchange. Events have the numbers of the baseline. */
export interface Reaction extends Trace {
  /** True if all of them were acknowledged. */
  readonly isAcknowledged: boolean;
  /** True if the state changed. */
  readonly hasEffect: boolean;
  /** The rows that disappeared from the state at this exchange, or since the exchange before. */
  readonly lost: readonly StateDifference[];
}

/** The reactions of the watched baseline, if it was watched, and the events that they are about. */
type Usual = Pick<Evidence, "observedBaseline" | "timeline">;

/** Returns true if an event without effect came before an earlier one about its object. */
export function hasForgotten(
  observed: readonly Reaction[],
  { observedBaseline = [], timeline }: Usual,
): boolean {
  const arrived = new Set<number>();
  const matters = new Set(observedBaseline.flatMap(({ events, hasEffect }) => (hasEffect ? events : [])));
  for (const { events, hasEffect, isAcknowledged } of observed) {
    const [event] = events;
    if (event === null || event === undefined) continue;
    const isMissing = earlierIsMissing(event, arrived, timeline);
    if (isAcknowledged && !hasEffect && isMissing && matters.has(event) && !arrived.has(event)) return true;
    arrived.add(event);
  }
  return false;
}

/** Returns true if the later event is about the object of the earlier one. */
export function sameObject(later: number, event: number, { events }: Timeline): boolean {
  const [one, other] = [events[event - 1], events[later - 1]];
  return later > event && one !== undefined && one.objectId === other?.objectId;
}

/** Returns true if two events have the same object and the same time. */
export function areTwins(event: number, other: number, { events }: Timeline): boolean {
  const [one, two] = [events[event - 1], events[other - 1]];
  return one?.objectId === two?.objectId && one?.at === two?.at;
}

/** Returns true if an earlier event has not arrived before this one. */
export function earlierIsMissing(event: number, arrived: ReadonlySet<number>, timeline: Timeline): boolean {
  for (let earlier = 1; earlier < event; earlier++)
    if (!arrived.has(earlier) && (sameObject(event, earlier, timeline) || earlier === event - 1)) return true;
  return false;
}

/**
 * Returns true if a watched run proves that events are lost although they did not come early:
 * 1. An event is acknowledged and changes nothing, although it changes the state in the baseline.
 * 2. The baseline loses an event that this run stores.
 */
export function showsLoss(
  observed: readonly Reaction[] = [],
  { observedBaseline = [], timeline }: Usual,
): boolean {
  const usual = new Map(
    observedBaseline.flatMap(({ events: [event], events, hasEffect }) =>
      events.length === 1 && typeof event === "number" ? [[event, hasEffect] as const] : [],
    ),
  );
  const sent = new Set<number>();
  const stored = new Set<number>();
  for (const { events, hasEffect, isAcknowledged, changes } of observed) {
    const [event] = events;
    const isKnown = typeof event !== "number" || sent.has(event);
    const others = Array.from(stored);
    if (events.length === 1 && !isKnown && isAcknowledged && usual.get(event) === !hasEffect) {
      const isNewer = others.some((other) => other > event && sameObject(other, event, timeline));
      const isTaken = others.some((other) => areTwins(event, other, timeline));
      const isEarly = earlierIsMissing(event, stored, timeline);
      // An older event after a newer one may rightly change nothing, or wrongly overwrite the newer state.
      const isUsual = isNewer && (!hasEffect || changes.some(isReplaced));
      if (!isTaken && !isEarly && !isUsual) return true;
    }
    for (const one of events) if (one !== null) sent.add(one);
    // An event that follows a lost event may be lost because of that.
    for (const one of events)
      if (one !== null && isAcknowledged && (hasEffect || usual.get(one) !== true)) stored.add(one);
  }
  return false;
}

/** Returns true if a watched run shows that an event changed the state when it was acknowledged. */
export function tookEffect(observed: readonly Reaction[] = [], event: number | undefined): boolean {
  return observed.some(
    ({ events, hasEffect, isAcknowledged }) =>
      events.length === 1 && events[0] === event && hasEffect && isAcknowledged,
  );
}
