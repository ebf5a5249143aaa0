import type { Transaction } from "../../engine/transaction.ts";
import { type StoredRecord, collection } from "../../engine/collection.ts";
import { affects } from "./effect.ts";
import { type EffectName, effectOf } from "./effects.ts";
import { type Instant, formatInstant } from "../../engine/instant.ts";
import { omitNulls } from "../shape.ts";

/** The fields of an effect, with their defaults; null leaves the choice to the effect. */
export type EffectValues = Readonly<Record<string, string | number | boolean | null>>;

/** The targets of a fault: all selectors have to match. Null leaves a selector out. */
export interface FaultSelectors {
  /** A glob over the event's name. */
  readonly event: string | null;
  readonly operation: string | null;
  readonly object: string | null;
  /** The position of the object, from 1: among those of its collection, or of the calls since the fault was armed. */
  readonly objectNumber: number | null;
  readonly nth: number | null;
  readonly attempt: readonly number[] | null;
  /** From the first instant up to the second, which is not included. */
  readonly between: readonly [Instant, Instant] | null;
  readonly probability: number | null;
  readonly times: number | null;
}

/** An effect with its targets and values (product: Faults). */
export interface FaultDefinition {
  readonly effect: EffectName;
  readonly selectors: FaultSelectors;
  readonly fields: EffectValues;
}

/** A fault that is armed, with its counts so far. */
export interface Fault extends FaultDefinition, StoredRecord {
  /** The number of matches of its selectors. `nth` counts them. */
  readonly matches: number;
  /** The number of times that it took effect. `times` limits it. */
  readonly hits: number;
  /** The objects of the calls so far, if the number of an object selects calls. */
  readonly objects?: readonly string[];
}

/** A fault as it took effect on one event, attempt or call. */
export interface AppliedFault {
  readonly faultId: string;
  readonly effect: EffectName;
  readonly fields: EffectValues;
  /** The number of this hit of the fault, counted from 1. */
  readonly turn: number;
}

/** The most faults that a world has armed at a time. */
export const FAULTS_MAX = 1_000;

export const faults = collection<Fault>("faults", {});

/** Returns the id of the fault that is armed as this one of its world. The numbers count from 1. */
export function faultId(number: number): string {
  return `f${number}`;
}

export function armFault(tx: Transaction, definition: FaultDefinition): Fault {
  const id = faultId(tx.count("faults armed"));
  const { effect, selectors } = definition;
  tx.log({
    kind: "fault-armed",
    objectId: selectors.object,
    effect,
    armed: id,
    what: `fault ${effect} armed`,
  });
  if (!affects(effectOf(effect), "midnight"))
    return tx.put(faults, { id, ...definition, matches: 0, hits: 0 });
  // It takes effect at once, and on nothing in particular.
  tx.log({ kind: "fault-applied", objectId: null, effect, used: id, what: `fault ${effect} applied` });
  return tx.put(faults, { id, ...definition, matches: 1, hits: 1 });
}

/** Removes a fault. Its changes stay. `removeFaults` also sends the events that it still holds back. */
export function dropFault(tx: Transaction, { id, effect }: Fault): void {
  tx.delete(faults, id);
  tx.log({ kind: "fault-removed", objectId: null, effect, what: `fault ${effect} removed` });
}

/** Whether a fault may still take effect at an instant. */
export function isInForce({ selectors, hits, matches }: Fault, now: Instant): boolean {
  const { times, nth, between } = selectors;
  if (times !== null && hits >= times) return false;
  if (nth !== null && matches >= nth) return false;
  return between === null || now < between[1];
}

/**
 * Returns a fault in the form in which it was sent, with its counts. `inForce` is false once it can no longer take
 * effect.
 */
export function faultShape(fault: Fault, now: Instant): object {
  const { id, effect, selectors, fields, matches, hits } = fault;
  const { attempt, between, ...others } = selectors;
  return {
    id,
    on: effectOf(effect).on,
    effect,
    ...omitNulls({
      ...others,
      attempt: attempt?.length === 1 ? (attempt[0] ?? null) : attempt,
      between: between && between.map(formatInstant),
    }),
    ...omitNulls(fields),
    matches,
    hits,
    inForce: isInForce(fault, now),
  };
}
