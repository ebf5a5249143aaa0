import type { Schedule } from "./deviations.ts";
import {
  type Reaction,
  type Watched,
  areTwins,
  earlierIsMissing,
  hasForgotten,
  isWithoutEffect,
  sameObject,
} from "./reactions.ts";
import { isReplaced } from "./value-changes.ts";

/** A wrong reaction to an event, as a watched run shows it. */
export type Sign =
  /** The first copy was acknowledged and changed nothing, so a later copy did its work. */
  | "lost event worked again"
  | "copy changed the state"
  /** An older event changed the state after a newer event of its object. */
  | "older event overwrote"
  /** An event of the same object and time as an earlier event changed nothing. */
  | "twin ignored"
  /** An event that came before an earlier one changed nothing. */
  | "early event ignored"
  | "event before the answer ignored"
  | "event ignored";

/** The first wrong reaction of a run. */
export interface FirstSign {
  readonly sign: Sign;
  readonly event: number;
  /** True if a newer event about its object came before. */
  readonly isAfterNewer: boolean;
  /** The events that arrived before. */
  readonly arrived: ReadonlySet<number>;
}

/** The arrivals so far. */
interface Progress {
  readonly arrived: Set<number>;
  /** The acknowledged events that changed nothing, although they change the state in the baseline. */
  readonly unseen: Set<number>;
  /** The acknowledged events that changed nothing, in the baseline neither. */
  readonly silent: Set<number>;
}

/** Returns the first wrong reaction of a watched run. Undefined if the run was not watched. */
export function firstSign(facts: Watched & { readonly schedule: Schedule }): FirstSign | undefined {
  const { reactions, usualReactions, schedule, timeline } = facts;
  if (reactions === undefined || usualReactions === undefined) return undefined;
  const matters = new Set(
    usualReactions.flatMap(({ events, hasEffect }) => (hasEffect && events.length === 1 ? events : [])),
  );
  const progress: Progress = { arrived: new Set(), unseen: new Set(), silent: new Set() };
  const { arrived, unseen, silent } = progress;
  for (const reaction of reactions) {
    const { events, hasEffect, isAcknowledged } = reaction;
    const [event] = events;
    if (events.length !== 1 || event === null || event === undefined) {
      for (const one of events) if (one !== null) arrived.add(one);
      continue;
    }
    const isAfterNewer = Array.from(arrived).some(
      (other) => other > event && sameObject(other, event, timeline),
    );
    const seen = { ...progress, reaction, event, isAfterNewer, isUsual: !matters.has(event) };
    const sign = arrived.has(event) ? signOfCopy(seen) : signOfFirst(seen, facts);
    if (sign !== undefined) return { sign, event, isAfterNewer, arrived };
    if (!arrived.has(event) && isAcknowledged && !hasEffect)
      (matters.has(event) ? unseen : silent).add(event);
    // A refused event comes again, but this is not a copy. A process may do the work before it is killed.
    if (isAcknowledged || (hasEffect && isKilledAt(schedule, event))) arrived.add(event);
  }
  return undefined;
}

interface Seen extends Progress {
  readonly reaction: Reaction;
  readonly event: number;
  readonly isAfterNewer: boolean;
  /** True if the event changes nothing in the baseline. */
  readonly isUsual: boolean;
}

function signOfCopy({ reaction, event, isAfterNewer, unseen, silent }: Seen): Sign | undefined {
  if (!reaction.hasEffect) return undefined;
  const isOverwriting = isAfterNewer && reaction.changes.some(isReplaced);
  const isLost = unseen.has(event) || (silent.has(event) && !isOverwriting);
  return isLost ? "lost event worked again" : "copy changed the state";
}

function signOfFirst(
  { reaction: { hasEffect, isAcknowledged }, event, isAfterNewer, isUsual, arrived }: Seen,
  facts: Watched & { readonly schedule: Schedule },
): Sign | undefined {
  const { reactions = [], schedule, timeline } = facts;
  if (isUsual) return undefined;
  if (hasEffect) {
    const hasLost = reactions.some(({ events: [one] }) => isWithoutEffect(one ?? undefined, facts));
    const isLoss = hasLost || hasForgotten(reactions, facts);
    return isAfterNewer && !isLoss ? "older event overwrote" : undefined;
  }
  if (!isAcknowledged) return undefined;
  if (Array.from(arrived).some((other) => areTwins(event, other, timeline))) return "twin ignored";
  const isDelayed = schedule.some(({ kind }) => DELAYING.has(kind));
  if (isDelayed && earlierIsMissing(event, arrived, timeline)) return "early event ignored";
  if (schedule.some((one) => one.kind === "early" && one.event === event))
    return "event before the answer ignored";
  // An older event after a newer event may rightly change nothing.
  return isAfterNewer ? undefined : "event ignored";
}

/** The kinds of deviation that let newer events come first. */
const DELAYING: ReadonlySet<string> = new Set(["late", "first-try-lost", "killed-before-answer"]);

function isKilledAt(schedule: Schedule, event: number): boolean {
  return schedule.some((one) => one.kind === "killed-before-answer" && one.event === event);
}
