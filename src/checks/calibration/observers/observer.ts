import {
  type TrafficCall,
  type EntryPlace,
  type Span,
  type Traffic,
  type Webhook,
  createdAt,
  isDone,
  isRefusedFor,
} from "./traffic.ts";
import type { AssumptionId } from "../../../simulator/platform/assumptions/assumptions.ts";
import { localTime } from "../../../simulator/countries/brazil/calendar.ts";

/** A part of the traffic with its place in a file. */
export interface Seen {
  readonly entry: EntryPlace;
}

/** A value that was seen as it is, in the type of the assumption. */
export interface Found {
  readonly is: unknown;
  /** The operation that it is about. Operations may differ from each other. */
  readonly of?: string | null;
  readonly seen: readonly Seen[];
}

/**
 * The value lies between these, both inclusive: milliseconds of a duration or of a day, cents of an amount, or a
 * number. Infinite if the traffic bounds it on one side only.
 */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly seen: readonly Seen[];
  /** The place in the list, for an assumption that is a list. */
  readonly place?: number;
  /** True for a measured time, which may vary. Otherwise it is a bound that all values must keep. */
  readonly isMeasured?: true;
}

/** One part of a fixed assumption: its claim, and the finding. */
export interface Check {
  readonly aspect?: string;
  readonly expected: string;
  readonly found: string;
  readonly seen: readonly Seen[];
}

/** The evidence of one or more entries about an assumption. */
export type Observation = Found | Range | Check;

/** The measurement of an assumption in traffic. */
export interface Observer {
  /** The observed part of the traffic, in a sentence. */
  readonly how: string;
  readonly observe: (traffic: Traffic) => Iterable<Observation>;
}

/** By assumption how it is measured, or a sentence why it is not. */
export type Observers = Readonly<Partial<Record<AssumptionId, Observer | string>>>;

export function observer(how: string, observe: Observer["observe"]): Observer {
  return { how, observe };
}

/** Two moments with an assumed time between them. */
export interface Pair {
  readonly from: Span;
  readonly to: Span;
  readonly seen: readonly Seen[];
}

/**
 * Returns the time from the creation by a call to an event. Empty if the event has no time, or if a person caused it.
 */
export function until(
  call: TrafficCall,
  event: Webhook | undefined,
): (Pair & { readonly seen: readonly [TrafficCall, Webhook] })[] {
  if (event?.at === undefined || event.isByHand) return [];
  return [{ from: createdAt(call), to: event.at, seen: [call, event] }];
}

/** The accepted deviation of a time, as a part of it. The network and the platform's scheduler can cause it. */
const TOLERATED_PART = 0.04;
const TOLERATED_MS_MIN = 50;
const TOLERATED_MS_MAX = 30_000;

function tolerance(ms: number): number {
  return Math.min(TOLERATED_MS_MAX, Math.max(TOLERATED_MS_MIN, ms * TOLERATED_PART));
}

/** A shorter time is not a wait. Then `autopilot.<step>` is immediate, and the delay is not visible. */
export const AT_ONCE_MS = 50;

/** Returns the distance between two moments, as an observation. */
export function distance({ from, to, seen }: Pair): Range {
  const least = Math.max(0, to.from - from.to);
  const most = Math.max(0, to.to - from.from);
  return {
    from: Math.max(0, least - tolerance(least)),
    to: most + tolerance(most),
    isMeasured: true,
    seen,
  };
}

/** Observes the time between two moments. Pairs without a distance are left to the autopilot. */
export function delay(how: string, pairs: (traffic: Traffic) => Iterable<Pair>): Observer {
  return observer(how, (traffic) =>
    Array.from(pairs(traffic))
      .filter(({ from, to }) => to.to - from.from > AT_ONCE_MS)
      .map(distance),
  );
}

/** A tried number, and the platform's decision about it. */
export interface Try {
  readonly value: number;
  readonly isAccepted: boolean;
  readonly seen: readonly Seen[];
}

/** Observes the largest accepted value. A refused value is at least one above it. */
export function most(how: string, tries: (traffic: Traffic) => Iterable<Try>): Observer {
  return observer(how, (traffic) =>
    Array.from(tries(traffic), ({ value, isAccepted, seen }) =>
      isAccepted ? { from: value, to: Infinity, seen } : { from: -Infinity, to: value - 1, seen },
    ),
  );
}

/** Observes the smallest accepted value. */
export function least(how: string, tries: (traffic: Traffic) => Iterable<Try>): Observer {
  return observer(how, (traffic) =>
    Array.from(tries(traffic), ({ value, isAccepted, seen }) =>
      isAccepted ? { from: -Infinity, to: value, seen } : { from: value + 1, to: Infinity, seen },
    ),
  );
}

/**
 * Returns the evidence in the answer to a call: one value if the call is accepted, another if it is refused for a
 * field.
 */
export function answered(
  call: TrafficCall,
  {
    accepted,
    refused,
    field,
  }: { readonly accepted: unknown; readonly refused: unknown; readonly field: RegExp },
  seen: readonly Seen[] = [call],
): Found[] {
  const { operation: of } = call;
  if (isDone(call)) return [{ is: accepted, of, seen }];
  return isRefusedFor(call, field) ? [{ is: refused, of, seen }] : [];
}

/** Makes a check with names for its two outcomes. */
export function either(
  isAsAssumed: boolean,
  [expected, otherwise]: readonly [expected: string, otherwise: string],
  seen: readonly Seen[],
  aspect = "",
): Check {
  return { expected, found: isAsAssumed ? expected : otherwise, seen, aspect };
}

/** Observes if every change of status of a resource is in its table. */
export function statusChanges(how: string, resource: string): Observer {
  return observer(how, ({ changes }) =>
    changes
      .filter((change) => change.resource === resource)
      .map((change) => {
        const { from, to, verdict } = change;
        const isLegal = verdict === "legal";
        const otherwise =
          verdict === "unknown" ? `${to} is not in the platform API` : `${from} becomes ${to}`;
        const aspect = isLegal ? "" : `${from ?? ""} ${to}`;
        return either(isLegal, ["statuses change as in the table", otherwise], [change], aspect);
      }),
  );
}

/** An event may happen this much later or earlier than the assumed time of day. */
const TIME_OF_DAY_TOLERANCE_MS = 30_000;

/**
 * Returns the time of day, in São Paulo, of an event. If only the latest time is known, the range begins `withinMs`
 * before it.
 */
export function atTimeOfDay(at: number, seen: readonly Seen[], withinMs?: number): Range {
  return {
    from: Math.max(0, msOfDay(at) - (withinMs ?? TIME_OF_DAY_TOLERANCE_MS)),
    to: msOfDay(at) + TIME_OF_DAY_TOLERANCE_MS,
    ...(withinMs === undefined && { isMeasured: true }),
    seen,
  };
}

/** Milliseconds since midnight in São Paulo. */
export function msOfDay(at: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = localTime(at).split(":").map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + (((at % 1000) + 1000) % 1000);
}

/** Derives a value from a session only once. */
export function derived<T>(derive: (traffic: Traffic) => T): (traffic: Traffic) => T {
  const known = new WeakMap<Traffic, { readonly result: T }>();
  return (traffic) => {
    const found = known.get(traffic) ?? { result: derive(traffic) };
    known.set(traffic, found);
    return found.result;
  };
}

/** The reason why an assumption is not measured. */
export const SHAPE = "The shapes that the report lists show it.";
export const INACTIVE = "No answer shows if the account was ACTIVE at that moment.";
export const NEVER_SENT = "The traffic does not show a missing event.";
export const OTHER_REASONS = "Its refusals could have another reason.";
