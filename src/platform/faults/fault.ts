import type { EffectName } from "./effects.ts";
import type { Instant } from "../../engine/instant.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { collection } from "../../engine/collection.ts";

/** The fields of an effect, with the defaults filled in; null leaves the choice to the effect. */
export type EffectValues = Readonly<Record<string, string | number | null>>;

/** What a fault lays hold of. All selectors hold together; null leaves one out. */
export interface FaultSelectors {
  /** A glob over the event's name. */
  readonly event: string | null;
  readonly operation: string | null;
  readonly object: string | null;
  readonly nth: number | null;
  readonly attempt: readonly number[] | null;
  /** From the first instant up to, and without, the second. */
  readonly between: readonly [Instant, Instant] | null;
  readonly probability: number | null;
  readonly times: number | null;
}

/** Something that is to go wrong on purpose (product: Faults). */
export interface FaultPlan {
  readonly effect: EffectName;
  readonly selectors: FaultSelectors;
  readonly fields: EffectValues;
}

/** A fault that is armed, with what came of it so far. */
export interface Fault extends FaultPlan, StoredRecord {
  /** How often its selectors held, which is what `nth` counts. */
  readonly matches: number;
  /** How often it took effect, which is what `times` bounds. */
  readonly hits: number;
}

/** A fault's work on one event, attempt or call. */
export interface AppliedFault {
  readonly faultId: string;
  readonly effect: EffectName;
  readonly fields: EffectValues;
  /** Which hit of the fault this is, counted from 1. */
  readonly turn: number;
}

/** The most faults that a world has armed at a time. */
export const FAULTS_MAX = 1_000;

export const faults = collection<Fault>("faults", {});

export function armFault(tx: Transaction, plan: FaultPlan): Fault {
  const id = `f${tx.count("faults armed")}`;
  tx.log({
    kind: "fault-armed",
    objectId: plan.selectors.object,
    effect: plan.effect,
    armed: id,
    what: `fault ${plan.effect} armed`,
  });
  return tx.put(faults, { id, ...plan, matches: 0, hits: 0 });
}

/** Takes a fault back; what it has touched stays touched. */
export function dropFault(tx: Transaction, fault: Fault): void {
  tx.delete(faults, fault.id);
  tx.log({
    kind: "fault-removed",
    objectId: null,
    effect: fault.effect,
    what: `fault ${fault.effect} removed`,
  });
}

/** Takes all faults back and gives how many there were. */
export function dropFaults(tx: Transaction): number {
  const all = Array.from(tx.all(faults));
  for (const fault of all) dropFault(tx, fault);
  return all.length;
}

/** Whether a fault may still take effect at an instant. */
export function isInForce({ selectors, hits, matches }: Fault, now: Instant): boolean {
  const { times, nth, between } = selectors;
  if (times !== null && hits >= times) return false;
  if (nth !== null && matches >= nth) return false;
  return between === null || now < between[1];
}
