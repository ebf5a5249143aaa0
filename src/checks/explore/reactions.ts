import type { Timeline } from "./deviations.ts";
import type { StateDifference } from "../../partner/states/comparison.ts";
import { isReplaced } from "./value-changes.ts";
import type { Baseline } from "./baseline.ts";
import { bodyOf, KILLED, type Watcher } from "./receiver.ts";
import type { Played } from "./played.ts";
import { probeWithoutRun } from "./probe.ts";
import type { Rest } from "../../partner/rest.ts";

/** The reaction of a receiver to the arrivals of one exchange. Events have the numbers of the baseline. */
export interface Reaction {
  readonly events: readonly (number | null)[];
  /** The changes of its state. `baseline` is the value before. */
  readonly changes: readonly StateDifference[];
  /** True if all of them were acknowledged. */
  readonly isAcknowledged: boolean;
  /** True if the state changed. */
  readonly hasEffect: boolean;
  /** The rows that disappeared from the state at this exchange, or since the exchange before. */
  readonly lost: readonly StateDifference[];
}

/** The reactions of the watched baseline, if it was watched, and the events that they are about. */
export interface Usual {
  /** Undefined if no run was watched. */
  readonly usualReactions?: readonly Reaction[] | undefined;
  readonly timeline: Timeline;
}

/** The reactions of a run, if it was watched. */
export interface Watched extends Usual {
  readonly reactions?: readonly Reaction[] | undefined;
}

/** Returns true if a watched run shows that an event had no effect, although it has one in the baseline. */
export function isWithoutEffect(
  event: number | undefined,
  { reactions = [], usualReactions = [] }: Pick<Watched, "reactions" | "usualReactions">,
): boolean {
  const effects = (all: readonly Reaction[]): boolean[] =>
    all.flatMap(({ events, hasEffect }) => (events.length === 1 && events[0] === event ? [hasEffect] : []));
  return (
    effects(usualReactions).includes(true) &&
    effects(reactions).length > 0 &&
    !effects(reactions).includes(true)
  );
}

/** Returns true if a watched run shows that every event changed the state, so no event was forgotten. */
export function allTookEffect({ reactions, usualReactions = [], timeline }: Watched): boolean {
  return (
    reactions !== undefined &&
    // If events arrive at the same moment, the effect of each event is not known.
    reactions.every(({ events }) => events.length === 1) &&
    usualReactions.some(({ hasEffect }) => hasEffect) &&
    !hasForgotten(reactions, { usualReactions, timeline })
  );
}

/** Returns true if an event without effect came before an earlier one about its object. */
export function hasForgotten(
  reactions: readonly Reaction[],
  { usualReactions = [], timeline }: Usual,
): boolean {
  const arrived = new Set<number>();
  const matters = new Set(usualReactions.flatMap(({ events, hasEffect }) => (hasEffect ? events : [])));
  for (const { events, hasEffect, isAcknowledged } of reactions) {
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
  reactions: readonly Reaction[] = [],
  { usualReactions = [], timeline }: Usual,
): boolean {
  const usual = new Map(
    usualReactions.flatMap(({ events: [event], events, hasEffect }) =>
      events.length === 1 && typeof event === "number" ? [[event, hasEffect] as const] : [],
    ),
  );
  const sent = new Set<number>();
  const stored = new Set<number>();
  for (const { events, hasEffect, isAcknowledged, changes } of reactions) {
    const [event] = events;
    const isKnown = typeof event !== "number" || sent.has(event);
    const others = Array.from(stored);
    if (events.length === 1 && !isKnown && isAcknowledged && usual.get(event) === !hasEffect) {
      // An event that comes after newer events may be passed by a cursor over their times.
      const isNewer = others.some(
        (other) => other > event && (!hasEffect || sameObject(other, event, timeline)),
      );
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
export function tookEffect(reactions: readonly Reaction[] = [], event: number | undefined): boolean {
  return reactions.some(
    ({ events, hasEffect, isAcknowledged }) =>
      events.length === 1 && events[0] === event && hasEffect && isAcknowledged,
  );
}

/**
 * Plays a schedule and reads the state after every exchange. Observes nothing if the probe's URL contains a value that
 * a step saves, because the probe cannot be read on the way.
 */
export async function watch(
  play: (watcher?: Watcher) => Promise<Played>,
  baseline: Baseline,
  rest: Rest,
): Promise<{ readonly played: Played; readonly reactions?: Reaction[] }> {
  const probe = probeWithoutRun(baseline.exploration);
  if (probe === undefined) return { played: await play() };
  const glance = (): Promise<unknown> => probe().catch(() => undefined);
  const glances: { bodies: string[]; isAcknowledged: boolean; before: unknown; after: unknown }[] = [];
  const played = await play(async () => {
    // The steps since the last exchange change the state too.
    const before = await glance();
    return async (exchange) => {
      await rest.settle();
      glances.push({
        bodies: exchange.map(({ request }) => bodyOf(request)),
        isAcknowledged: exchange.every(
          ({ result }) => result !== KILLED && (result.error === null || result.error === "reset"),
        ),
        before,
        after: await glance(),
      });
    };
  });
  const byBody = new Map(
    Array.from(baseline.names.identified(played), ([{ body }, { index }]) => [body, index]),
  );
  // A state that cannot be read, as during a restart, shows nothing.
  const changesOf = (from: unknown, to: unknown): StateDifference[] =>
    from === undefined || to === undefined
      ? []
      : baseline.changes(baseline.name(played, from), baseline.name(played, to));
  let last: unknown;
  const reactions = glances.map(({ bodies, isAcknowledged, before, after }) => {
    const meanwhile = changesOf(last, before);
    const changes = changesOf(before, after);
    last = after ?? before ?? last;
    return {
      events: bodies.map((body) => byBody.get(body) ?? null),
      isAcknowledged,
      hasEffect: changes.length > 0 || before === undefined || after === undefined,
      changes,
      lost: [...meanwhile, ...changes].filter(
        ({ baseline: had, found }) => had !== undefined && found === undefined,
      ),
    };
  });
  return { played, reactions };
}
