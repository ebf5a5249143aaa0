import type { IsoDuration } from "../../engine/instant.ts";

/** The values that a field of an effect takes. */
export type EffectFieldType =
  | { readonly kind: "duration"; /** Only hours and less, because it is wall time. */ readonly wall?: true }
  | { readonly kind: "count"; readonly min: number; readonly max: number }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "flag" }
  | { readonly kind: "text"; readonly pattern: string; readonly example: string };

export interface EffectField {
  readonly type: EffectFieldType;
  /** The value of a field that is left out; null leaves the choice to the effect, and without one none is kept. */
  readonly default?: number | string | null;
  readonly required?: boolean;
  readonly description: string;
}

/** What a fault can be armed on: the webhooks that are sent, the calls of the interface, or what becomes due. */
export const SIDES = ["webhook", "api", "clock"] as const;

/**
 * When a fault is applied. `event`: once, when an event is announced, before its first attempt; `attempt`: when an
 * attempt is opened; `call`: when a request to the interface arrives; `settlement`: when money that was paid would
 * settle; `midnight`: when the clock would reach the next day.
 */
export type EffectStage = "event" | "attempt" | "call" | "settlement" | "midnight";

/** What an effect changes. Two faults never change the same slot: the one that was armed first takes effect. */
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
  | "connection"
  | "pause"
  | "answer"
  | "settlement"
  | "day";

/** What an effect does to the connection, performed by the function of the same name in `webhooks/wire.ts`. */
export interface WireEffect {
  /** How the attempt fails, whatever the receiver answers; default: the answer counts. */
  readonly ends?: readonly [error: "refused" | "reset" | "timeout", found: string];
}

/**
 * What a fault does: one way in which a webhook or a call can fail. Everything that the sandbox knows about an effect
 * is here; what needs the bytes or the connection is a function in a table by effect, of which none can be missing.
 */
export interface Effect {
  readonly on: (typeof SIDES)[number];
  readonly stage: EffectStage;
  readonly slot: EffectSlot;
  readonly fields: Readonly<Record<string, EffectField>>;
  /** Whether the selector `between` is required. */
  readonly needsBetween?: true;
  /** On which attempts an effect of the stage `event` is recorded: the first, or so many; default: none. */
  readonly attempts?: "first" | "counted";
  /** Whether the receiver gets a request that it could answer; default: true. */
  readonly arrives?: false;
  /** How an attempt fails that is never sent. */
  readonly unsent?: "timeout" | "refused";
  /** Whether removing the fault ends it, which sends what it holds back. */
  readonly endsWithFault?: true;
  /** Whether the answer to the call waits for the event. */
  readonly isBeforeAnswer?: true;
  /** What it does to the connection: as a manner of its own, or in the manner of another effect. */
  readonly wire?: WireEffect | string;
  /** Whether the call is carried out although its answer is another one; default: where its field `after` says so. */
  readonly isCarriedOut?: true;
  /** The status in place of the answer to a call, null for a reset connection; default: its field `status`. */
  readonly answers?: number | null;
  /** What it is called where schedules are explored, with the values of its fields there. */
  readonly deviations?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
  /** What the receiver, or the caller, sees. */
  readonly onTheWire: string;
  /** The mistake that this reveals. */
  readonly uncovers: string;
}

export type Effects = Readonly<Record<string, Effect>>;

/** A duration in sandbox time; required where it has no default. */
export function durationField<Value extends IsoDuration | undefined = undefined>(
  description: string,
  value?: Value,
) {
  return { type: { kind: "duration" }, ...presetTo(value), description } as const;
}

/** A whole number from 1; required where it has no default. */
export function countField<Value extends number | undefined = undefined>(
  description: string,
  { value, max }: { readonly value?: Value; readonly max: number },
) {
  return { type: { kind: "count", min: 1, max }, ...presetTo(value), description } as const;
}

/** True or false; where it is left out, nothing of it is kept. */
export function flagField(description: string) {
  return { type: { kind: "flag" }, description } as const;
}

/** One of the names of a table. */
export function choiceField<Choice extends string>(
  description: string,
  { value, of }: { readonly value: NoInfer<Choice> | null; readonly of: Readonly<Record<Choice, unknown>> },
) {
  const choices = Object.keys(of) as Choice[];
  return { type: { kind: "choice", choices }, default: value, description } as const;
}

/** The rest of a field, by its default. */
type Preset<Value> = Value extends undefined
  ? { readonly default: null; readonly required: true }
  : { readonly default: Value };

function presetTo<Value extends string | number | undefined>(value: Value | undefined): Preset<Value> {
  const preset = value === undefined ? { default: null, required: true } : { default: value };
  return preset as Preset<Value>;
}
