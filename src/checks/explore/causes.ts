import type { Arrival } from "./exploration.ts";
import {
  type DeviationKind,
  type Timeline,
  type WebhookKind,
  at,
  isAcross,
  isWebhookKind,
} from "./deviations.ts";
import type { CauseKey } from "./cause-table.ts";
import type { Found } from "./differences.ts";
import { type StateDifference, placeOf } from "../../partner/states/comparison.ts";
import {
  type Reaction,
  type Usual,
  areTwins,
  earlierIsMissing,
  hasForgotten,
  sameObject,
  showsLoss,
} from "./reactions.ts";
import { isMissing, isReplaced, isRounding, isSum } from "./value-changes.ts";

/** The known facts about a divergence. */
export interface DivergenceFacts extends Found, Usual {
  /** Every schedule that diverged. */
  readonly all: readonly Found[];
  readonly arrivals: readonly Arrival[];
  /** True if a schedule with this one deviation diverges. Undefined if it was not tried. */
  readonly diverges: (event: number, kind: DeviationKind) => boolean | undefined;
  /** The cause of the divergence of a late event alone, if it diverged. */
  readonly causeOfLate: (event: number) => CauseKey | NumberedByArrival | undefined;
}

/** Rows that are numbered in the order of their events: the paths of the numbers. */
export interface NumberedByArrival {
  readonly numbers: readonly string[];
}

/** Returns the likely cause of a divergence. */
export function causeOf(facts: DivergenceFacts): CauseKey | NumberedByArrival {
  const { differences, schedule } = facts;
  const paths = differences.map(({ path }) => path);
  if (paths.includes("receiver")) return "gone";
  const undelivered = paths.find((path) => path.startsWith("deliveries["));
  if (undelivered !== undefined) return refusalOf(facts, undelivered.includes("copy"));
  if (differences.every(isRounding)) return "floats";
  const shown = byReactions(facts);
  if (shown !== undefined) return shown;
  if (paths[0]?.startsWith("step ") === true) return "step";
  if (paths[0] === "probe") return "probe";
  const numbers = numbersByArrival(differences);
  if (numbers.length > 0) return { numbers };
  const [last] = schedule.toSorted((one, other) => rank(one.kind) - rank(other.kind));
  const isLateToo = last?.kind === "together" || RETRIED.has(last?.kind);
  const causeOfLate = isLateToo && last?.event !== undefined && facts.causeOfLate(last.event);
  if (causeOfLate) return causeOfLate;
  const cause =
    last?.event === undefined || !isWebhookKind(last.kind) ? "order" : byKind(last.event, last.kind, facts);
  if (cause === "lastWins" && isWithoutEffect(last?.event, facts)) return "unstored";
  return cause === "unknown" && allTookEffect(facts) ? "order" : cause;
}

/** Finds the paths of numbers that only changed places with each other. Empty if any other value differs. */
function numbersByArrival(differences: readonly StateDifference[]): string[] {
  const byPath = Map.groupBy(differences, ({ path }) => placeOf(path));
  const isReordered = Array.from(byPath.values()).every((group) => {
    const numbers = new Set(group.map(({ baseline }) => baseline));
    return (
      group.length > 1 &&
      numbers.size === group.length &&
      Array.from(numbers).every(
        (number) => Number.isInteger(number) && group.some(({ found }) => found === number),
      )
    );
  });
  return isReordered ? [...byPath.keys()] : [];
}

/**
 * Returns the effect of a copy that is processed only if it comes late. Either it is counted or stored again, or a
 * value returned to an earlier value.
 */
function byLateCopy({ differences }: DivergenceFacts): "forgotten" | "overwrites" {
  return differences.some(isReplaced) ? "overwrites" : "forgotten";
}

/** Returns true if a watched run shows that an event had no effect, although it has one in the baseline. */
function isWithoutEffect(
  event: number | undefined,
  { reactions = [], usualReactions = [] }: DivergenceFacts,
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
function allTookEffect(facts: DivergenceFacts): boolean {
  const { reactions, usualReactions = [] } = facts;
  return (
    reactions !== undefined &&
    // If events arrive at the same moment, the effect of each event is not known.
    reactions.every(({ events }) => events.length === 1) &&
    usualReactions.some(({ hasEffect }) => hasEffect) &&
    !hasForgotten(reactions, facts)
  );
}

function refusalOf({ arrivals, schedule }: DivergenceFacts, isCopy: boolean): CauseKey {
  if (arrivals.some(({ error }) => error === "timeout")) return "silent";
  const isRepeated = schedule.some(({ kind }) => kind.startsWith("twice") || kind === "answer-lost");
  return isCopy || isRepeated ? "copyRefused" : "refused";
}

/** The kinds of deviation whose event is delivered again, so it may come after newer events. */
const RETRIED: ReadonlySet<DeviationKind | undefined> = new Set(["first-try-lost", "killed-before-answer"]);

/** Copies say more than order, and order more than the moment. */
function rank(kind: DeviationKind): number {
  return ["twice", "answer-lost", "twice-late", "twice-at-once", "late", "early", "together"].indexOf(kind);
}

/** Returns true for the first event about its object. */
function isFirst(event: number, { events }: Timeline): boolean {
  const { objectId } = at(events, event);
  return at(events, event) === events.find((other) => other.objectId === objectId);
}

function byKind(event: number, kind: WebhookKind, facts: DivergenceFacts): CauseKey {
  const { diverges, timeline, schedule } = facts;
  switch (kind) {
    case "twice":
      return "twice";
    case "twice-late":
      return diverges(event, "twice") === true ? "twice" : byLateCopy(facts);
    case "twice-at-once":
      return diverges(event, "twice") === true ? "twice" : "race";
    case "answer-lost":
      if (diverges(event, "twice") === true) return "twice";
      return diverges(event, "twice-late") === true ? byLateCopy(facts) : "lostAnswer";
    case "late":
      // A missing value was forgotten, and a different value was overwritten.
      if (facts.reactions === undefined && facts.differences.some(isMissing)) return "unknown";
      return isFirst(event, timeline) && diverges(event, "twice-late") === false ? "unknown" : "lastWins";
    case "first-try-lost":
      return diverges(event, "late") === true ? byKind(event, "late", facts) : "order";
    case "early":
      return "early";
    case "together":
      if (diverges(event, "late") === true) return byKind(event, "late", facts);
      return schedule.some((one) => isAcross(one, timeline)) || facts.differences.every(isSum)
        ? "lostShare"
        : "lostUpdate";
  }
}

/**
 * Returns the first of these findings in a watched run:
 * 1. A copy changed the state.
 * 2. An old event changed the state after a newer event.
 * 3. An event was acknowledged and changed nothing, although it changes the state in the baseline.
 */
function byReactions(facts: DivergenceFacts): CauseKey | undefined {
  const { reactions, usualReactions, schedule, timeline } = facts;
  if (reactions === undefined || usualReactions === undefined) return undefined;
  const kinds = new Set(schedule.map(({ kind }) => kind));
  const matters = new Set(
    usualReactions.flatMap(({ events, hasEffect }) => (hasEffect && events.length === 1 ? events : [])),
  );
  const arrived = new Set<number>();
  const unseen = new Set<number>();
  // The events that changed nothing, in the baseline neither.
  const silent = new Set<number>();
  const hasLost = reactions.some(({ events: [one] }) => isWithoutEffect(one ?? undefined, facts));
  for (const { events, hasEffect, isAcknowledged, changes } of reactions) {
    const [event] = events;
    if (events.length !== 1 || event === null || event === undefined) {
      for (const one of events) if (one !== null) arrived.add(one);
      continue;
    }
    const isNewer = Array.from(arrived).some((other) => other > event && sameObject(other, event, timeline));
    const isKnown = arrived.has(event);
    // The first copy was acknowledged and lost, so this one does its work.
    if (
      isKnown &&
      hasEffect &&
      (unseen.has(event) || (silent.has(event) && !(isNewer && changes.some(isReplaced))))
    )
      return "unstored";
    if (isKnown && hasEffect) {
      if (kinds.has("answer-lost") && !isNewer) return byKind(event, "answer-lost", facts);
      const isAtOnce = facts.diverges(event, "twice");
      const isLateOnly = (isNewer && isAtOnce !== true) || (kinds.has("twice-late") && isAtOnce === false);
      return isLateOnly ? byLateCopy(facts) : "twice";
    }
    const isOverwriting = !isKnown && isNewer && hasEffect && matters.has(event);
    if (isOverwriting && !hasLost && !hasForgotten(reactions, facts)) return "lastWins";
    if (!isKnown && isAcknowledged && !hasEffect && matters.has(event)) {
      if (Array.from(arrived).some((other) => areTwins(event, other, timeline))) return "taken";
      const isEarlier = schedule.some(({ kind }) => kind === "late" || RETRIED.has(kind));
      const isAwaited = isEarlier && earlierIsMissing(event, arrived, timeline);
      if (isAwaited) return byEarlyLoss(event, arrived, facts);
      if (schedule.some((one) => one.kind === "early" && one.event === event)) return "early";
      // An older event after a newer one may rightly change nothing.
      if (!isNewer) return "unstored";
    }
    if (!isKnown && isAcknowledged && !hasEffect) (matters.has(event) ? unseen : silent).add(event);
    // A refused event comes again, but this is not a copy. A process may do the work before it is killed.
    const isKilled = schedule.some((one) => one.kind === "killed-before-answer" && one.event === event);
    if (isAcknowledged || (isKilled && hasEffect)) arrived.add(event);
  }
  return undefined;
}

/** Returns the reason why an event that came early left no trace. Both reasons if neither is excluded. */
function byEarlyLoss(
  event: number,
  arrived: ReadonlySet<number>,
  facts: DivergenceFacts,
): "unstored" | "unknown" | "unknownOrUnstored" {
  const { reactions, timeline, all } = facts;
  if (showsLoss(reactions, facts)) return "unstored";
  const isObjectKnown = Array.from(arrived).some((other) => sameObject(event, other, timeline));
  const losesEvents = all.some((one) => showsLoss(one.reactions, facts));
  return isObjectKnown || losesEvents ? "unknownOrUnstored" : "unknown";
}
