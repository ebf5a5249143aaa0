import type { EffectSlot } from "./effect.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { addDuration } from "../../engine/instant.ts";
import { type EffectIn, type EffectName, effectOf } from "./effects.ts";
import { type AppliedFault, type Fault, type FaultSelectors, faults, isInForce } from "./fault.ts";

/** The subject of a fault: an event, an attempt or a call. */
interface Subject {
  /** The slots that a fault can change. */
  readonly slots: readonly EffectSlot[];
  /** The call itself, or the call that announced the event. Null without a call. */
  readonly operation: string | null;
  /** The object of the subject in the timeline. */
  readonly objectId: string | null;
  /** The collection of that object, if it is known. */
  readonly collection?: string;
  /** The position of its object among those of the collection that were announced, counted from 1. */
  readonly objectNumber?: () => number;
  /** The object of a call, by its caller's name for it. */
  readonly object?: string | undefined;
  /** Whether it names an object. */
  readonly isAbout: (objectId: string) => boolean;
  readonly event?: string;
  readonly attempt?: number;
  /** Whether an effect makes sense for it. */
  readonly suits?: (effect: EffectName) => boolean;
}

/** The resolution of a probability: one in a million. */
const CHANCES = 1_000_000;

/** The faults that take effect on a subject, in order; of two that would change the same thing only the first does. */
export function applyFaults(tx: Transaction, subject: Subject): readonly AppliedFault[] {
  const taken = new Set<EffectSlot>();
  const applied: AppliedFault[] = [];
  for (const armed of Array.from(tx.all(faults))) {
    const { slot } = effectOf(armed.effect);
    if (!subject.slots.includes(slot)) continue;
    const fault = withObjectOf(tx, armed, subject);
    if (taken.has(slot) || !selects(tx, fault, subject)) continue;
    const matches = fault.matches + 1;
    const hits = isHit(tx, fault.selectors, matches) ? fault.hits + 1 : fault.hits;
    const isFirst = hits === 1 && fault.hits === 0;
    tx.put(faults, { ...fault, matches, hits, ...(isFirst && { selectors: lasting(tx, fault) }) });
    if (hits === fault.hits) continue;
    taken.add(slot);
    tx.log({
      kind: "fault-applied",
      objectId: subject.objectId,
      ...(subject.collection !== undefined && { collection: subject.collection }),
      effect: fault.effect,
      used: fault.id,
      what: `fault ${fault.effect} applied`,
    });
    applied.push({ faultId: fault.id, effect: fault.effect, fields: fault.fields, turn: hits });
  }
  return applied;
}

/** The first fault with one of these effects. */
export function appliedOf(
  applied: readonly AppliedFault[],
  ...effects: readonly EffectName[]
): AppliedFault | undefined {
  return applied.find(({ effect }) => effects.includes(effect));
}

/** The fault that changes one slot. */
export function appliedIn<Slot extends EffectSlot>(
  applied: readonly AppliedFault[],
  slot: Slot,
): (AppliedFault & { readonly effect: EffectIn<Slot> }) | undefined {
  return applied.find(
    (fault): fault is AppliedFault & { readonly effect: EffectIn<Slot> } =>
      effectOf(fault.effect).slot === slot,
  );
}

/** Notes the object of a call, if a fault of calls selects by the number of the object. */
function withObjectOf(tx: Transaction, fault: Fault, { operation, object }: Subject): Fault {
  const { selectors, objects = [] } = fault;
  if (object === undefined || selectors.objectNumber === null || !isInForce(fault, tx.now)) return fault;
  if (selectors.operation !== null && selectors.operation !== operation) return fault;
  if (objects.includes(object) || objects.length >= selectors.objectNumber) return fault;
  return tx.put(faults, { ...fault, objects: [...objects, object] });
}

function selects(tx: Transaction, fault: Fault, subject: Subject): boolean {
  const { event, operation, object, objectNumber, attempt, between } = fault.selectors;
  if (!isInForce(fault, tx.now)) return false;
  if (between !== null && tx.now < between[0]) return false;
  if (event !== null && !matchesGlob(event, subject.event ?? "")) return false;
  if (operation !== null && operation !== subject.operation) return false;
  if (object !== null && !subject.isAbout(object)) return false;
  if (objectNumber !== null) {
    const ofCall = (fault.objects ?? []).indexOf(subject.object ?? "") + 1;
    if (objectNumber !== (subject.objectNumber?.() ?? ofCall)) return false;
  }
  if (attempt !== null && !attempt.includes(subject.attempt ?? 1)) return false;
  return subject.suits?.(fault.effect) ?? true;
}

/**
 * Returns the selectors of a fault after its first hit. A fault that lasts then takes effect until its time is over.
 */
function lasting(tx: Transaction, { selectors, fields }: Fault): FaultSelectors {
  const { for: duration } = fields;
  if (typeof duration !== "string") return selectors;
  return { ...selectors, nth: null, between: [tx.now, addDuration(tx.now, duration, "UTC")] };
}

function isHit(tx: Transaction, { nth, probability }: FaultSelectors, matches: number): boolean {
  if (nth !== null && matches !== nth) return false;
  return probability === null || tx.chance("faults").below(CHANCES) < probability * CHANCES;
}

/** Whether a text matches a glob, in linear time: a regular expression of many `*` could be exponential. */
export function matchesGlob(glob: string, text: string): boolean {
  const [head = "", ...rest] = glob.split("*");
  if (rest.length === 0) return glob === text;
  const tail = rest.pop() ?? "";
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  const end = text.length - tail.length;
  let from = head.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}
