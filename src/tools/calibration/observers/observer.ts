import type { Call, Entry, Span, Traffic, Webhook } from "./traffic.ts";
import { localTime } from "../../../countries/brazil/calendar.ts";

/** What is shown about an assumption. */
type Shown =
  | {
      /** The value itself, in the type of the assumption. */
      readonly is: unknown;
    }
  | {
      /**
       * The value lies between these, both inclusive: milliseconds of a duration or of a day, cents of an amount, or
       * a number. Infinite where the traffic bounds it on one side only.
       */
      readonly from: number;
      readonly to: number;
      /** The place in the list, for an assumption that is a list. */
      readonly place?: number;
      /** A measured time, which may vary from one to the next; otherwise a bound, which all have to keep. */
      readonly isMeasured?: true;
    }
  | {
      /** One part of what a fixed assumption says, what it says of it, and what was found. */
      readonly aspect: string;
      readonly expected: string;
      readonly found: string;
    };

/** What one or more entries show about an assumption. */
export type Observation = { readonly entries: readonly Entry[] } & Shown;

/** How an assumption is measured in traffic. */
export interface Observer {
  /** What is looked at, in a sentence. */
  readonly how: string;
  readonly observe: (traffic: Traffic) => readonly Observation[];
}

/** Something that has a place in a file. */
type Seen = Pick<Call | Webhook, "entry">;

export function entriesOf(...seen: readonly Seen[]): Entry[] {
  return seen.map(({ entry }) => entry);
}

/** Two moments between which an assumed time passes. */
export interface Pair {
  readonly from: Span;
  readonly to: Span;
  readonly seen: readonly Seen[];
}

/** A deviation that is put down to the network and the scheduler of a platform: a part of the time, and no more. */
const TOLERATED_PART = 0.04;
const TOLERATED_MS_MIN = 50;
const TOLERATED_MS_MAX = 30_000;

function tolerance(ms: number): number {
  return Math.min(TOLERATED_MS_MAX, Math.max(TOLERATED_MS_MIN, ms * TOLERATED_PART));
}

/** Shorter than this, nothing was waited for: `autopilot.<step>` is immediate, and the delay is not seen. */
export const AT_ONCE_MS = 50;

/** The distance between two moments, as an observation. */
export function distance({ from, to, seen }: Pair, place?: number): Observation {
  const least = Math.max(0, to.from - from.to);
  const most = Math.max(0, to.to - from.from);
  return {
    from: Math.max(0, least - tolerance(least)),
    to: most + tolerance(most),
    isMeasured: true,
    ...(place !== undefined && { place }),
    entries: entriesOf(...seen),
  };
}

/** A time that passes between two moments; pairs without a distance are left to the autopilot. */
export function delay(how: string, pairs: (traffic: Traffic) => Iterable<Pair>): Observer {
  return {
    how,
    observe: (traffic) =>
      Array.from(pairs(traffic))
        .filter(({ from, to }) => to.to - from.from > AT_ONCE_MS)
        .map((pair) => distance(pair)),
  };
}

/** An observer of what was seen in traffic, each with what it shows. */
function observing<T extends { readonly seen: readonly Seen[] }>(
  how: string,
  find: (traffic: Traffic) => Iterable<T>,
  shownBy: (found: T) => Shown,
): Observer {
  return {
    how,
    observe: (traffic) =>
      Array.from(find(traffic), (found) => ({ ...shownBy(found), entries: entriesOf(...found.seen) })),
  };
}

/** Something that was tried with a number, and whether the platform took it. */
export interface Try {
  readonly value: number;
  readonly isAccepted: boolean;
  readonly seen: readonly Seen[];
}

/** The largest value that is accepted; `step` is the distance to the next value, 0 where there is none. */
export function most(how: string, step: number, tries: (traffic: Traffic) => Iterable<Try>): Observer {
  return observing(how, tries, ({ value, isAccepted }) =>
    isAccepted ? { from: value, to: Infinity } : { from: -Infinity, to: value - step },
  );
}

/** The smallest value that is accepted. */
export function least(how: string, step: number, tries: (traffic: Traffic) => Iterable<Try>): Observer {
  return observing(how, tries, ({ value, isAccepted }) =>
    isAccepted ? { from: -Infinity, to: value } : { from: value + step, to: Infinity },
  );
}

/** A number that lies in a range. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly seen: readonly Seen[];
}

export function range(how: string, ranges: (traffic: Traffic) => Iterable<Range>): Observer {
  return observing(how, ranges, ({ from, to }) => ({ from, to }));
}

/** A value that was seen as it is. */
export interface Found {
  readonly is: unknown;
  readonly seen: readonly Seen[];
}

export function value(how: string, found: (traffic: Traffic) => Iterable<Found>): Observer {
  return observing(how, found, ({ is }) => ({ is }));
}

/** One thing that a fixed assumption says, and what was found. */
export interface Check {
  readonly aspect?: string;
  readonly expected: string;
  readonly found: string;
  readonly seen: readonly Seen[];
}

export function rule(how: string, checks: (traffic: Traffic) => Iterable<Check>): Observer {
  return observing(how, checks, ({ aspect = "", expected, found }) => ({ aspect, expected, found }));
}

/** A check whose two outcomes have names. */
export function either(
  isAsAssumed: boolean,
  [expected, otherwise]: readonly [expected: string, otherwise: string],
  seen: readonly Seen[],
  aspect?: string,
): Check {
  return {
    expected,
    found: isAsAssumed ? expected : otherwise,
    seen,
    ...(aspect !== undefined && { aspect }),
  };
}

/** An instant as a moment. */
export function instant(ms: number): Span {
  return { from: ms, to: ms };
}

/** How much later or earlier than the assumed time of day something may happen. */
const TIME_OF_DAY_TOLERANCE_MS = 30_000;

/** When something happened; where only the latest time is known, `withinMs` before it. */
export interface Moment {
  readonly at: number;
  readonly withinMs?: number;
  readonly seen: readonly Seen[];
}

/** The time of day at which something happens, in São Paulo. */
export function timeOfDay(how: string, moments: (traffic: Traffic) => Iterable<Moment>): Observer {
  return observing(how, moments, ({ at, withinMs }) => ({
    from: Math.max(0, msOfDay(at) - (withinMs ?? TIME_OF_DAY_TOLERANCE_MS)),
    to: msOfDay(at) + TIME_OF_DAY_TOLERANCE_MS,
    ...(withinMs === undefined && { isMeasured: true as const }),
  }));
}

/** Milliseconds since midnight in São Paulo. */
export function msOfDay(at: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = localTime(at).split(":").map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + (((at % 1000) + 1000) % 1000);
}

/** What is derived from a session once. */
export function derived<T>(derive: (traffic: Traffic) => T): (traffic: Traffic) => T {
  const known = new WeakMap<Traffic, T>();
  return (traffic) => {
    const found = known.get(traffic);
    if (found !== undefined) return found;
    const result = derive(traffic);
    known.set(traffic, result);
    return result;
  };
}
