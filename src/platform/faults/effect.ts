import type { IsoDuration } from "../../engine/instant.ts";

/** What a field of an effect may hold. */
export type EffectFieldType =
  | { readonly kind: "duration"; /** Only hours and less, because it is wall time. */ readonly wall?: true }
  | { readonly kind: "count"; readonly min: number; readonly max: number }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "text"; readonly pattern: string; readonly example: string };

export interface EffectField {
  readonly type: EffectFieldType;
  /** What it is where nothing is written; null leaves the choice to the effect. */
  readonly default: number | string | null;
  readonly required?: boolean;
  readonly description: string;
}

/**
 * When a fault lays hold of something. `event`: once, as an event is announced, before its first attempt;
 * `attempt`: as an attempt is opened; `call`: as a request to the interface comes in.
 */
export type EffectStage = "event" | "attempt" | "call";

/** What an effect changes. Two faults never change the same: the one that was armed first has it. */
export type EffectSlot =
  | "start"
  | "first-attempts"
  | "copies"
  | "late-copies"
  | "reads"
  | "body"
  | "secret"
  | "signature"
  | "tampering"
  | "content-type"
  | "manner"
  | "pause"
  | "answer";

/** One way in which things go wrong on purpose. */
export interface Effect {
  readonly on: "webhook" | "api";
  readonly stage: EffectStage;
  readonly slot: EffectSlot;
  readonly fields: Readonly<Record<string, EffectField>>;
  /** Whether the selector `between` has to be there. */
  readonly needsBetween?: true;
  /** What the receiver's side, or the caller's, gets to see. */
  readonly onTheWire: string;
  /** The mistake that this brings to light. */
  readonly uncovers: string;
}

export type Effects = Readonly<Record<string, Effect>>;

/** A field that says how long in sandbox time; without a default it has to be written. */
export function durationField(description: string, value?: IsoDuration): EffectField {
  return { type: { kind: "duration" }, ...presetTo(value), description };
}

export function countField(
  description: string,
  { value, max }: { readonly value?: number; readonly max: number },
): EffectField {
  return { type: { kind: "count", min: 1, max }, ...presetTo(value), description };
}

export function choiceField(
  description: string,
  { value, choices }: { readonly value: string | null; readonly choices: readonly string[] },
): EffectField {
  return { type: { kind: "choice", choices }, default: value, description };
}

function presetTo(value: string | number | undefined): Pick<EffectField, "default" | "required"> {
  return value === undefined ? { default: null, required: true } : { default: value };
}
