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
  /**
   * The value of a field that is left out. Null leaves the choice to the effect. Without a default, the field stays
   * absent.
   */
  readonly default?: number | string | null;
  readonly required?: boolean;
  readonly description: string;
}

/** The targets of a fault: the webhooks of the sandbox, the calls of the API, or the timers that become due. */
export const SIDES = ["webhook", "api", "clock"] as const;

/**
 * The parts that an effect can change, by the moment of the change.
 * 1. An event is announced, before its first attempt.
 * 2. An attempt is opened.
 * 3. A request to the platform API arrives.
 * 4. Paid money would settle.
 * 5. The clock would reach the next day.
 */
export const slots = {
  event: ["start", "first-attempts", "copies", "late-copies", "reads"],
  attempt: ["body", "secret", "signature", "tampering", "content-type", "connection"],
  call: ["pause", "answer"],
  settlement: ["settlement"],
  midnight: ["day"],
} as const;

/**
 * The part that an effect changes. Two faults never change the same slot: the fault that was armed first takes
 * effect.
 */
export type EffectSlot = (typeof slots)[keyof typeof slots][number];

/** The effect on the connection. The function of the same name in `simulator/webhooks/wire.ts` performs it. */
export interface WireEffect {
  /** The failure of the attempt for any answer of the receiver. Default: the answer counts. */
  readonly ends?: readonly [error: "refused" | "reset" | "timeout", found: string];
}

/**
 * The effect of a fault: one way in which a webhook or a call can fail. All facts about an effect are here. The work
 * on the bytes or the connection is in functions, in tables by effect that the compiler keeps complete.
 */
export interface Effect {
  readonly on: (typeof SIDES)[number];
  readonly slot: EffectSlot;
  readonly fields: Readonly<Record<string, EffectField>>;
  /** Whether the selector `between` is required. */
  readonly needsBetween?: true;
  /**
   * The attempts that record an effect on an event: the first attempt, or a number of attempts. Default: no attempts.
   */
  readonly attempts?: "first" | "counted";
  /** Whether the receiver gets a request that it could answer; default: true. */
  readonly arrives?: false;
  /** The failure of an attempt that is never sent. */
  readonly unsent?: "timeout" | "refused";
  /** True if removing the fault ends it and sends the events that it holds back. */
  readonly endsWithFault?: true;
  /** Whether the answer to the call waits for the event. */
  readonly isBeforeAnswer?: true;
  /** The effect on the connection: its own manner, or the manner of another effect. */
  readonly wire?: WireEffect | string;
  /** True if the call is carried out although its answer is replaced. Default: as its field `after` says. */
  readonly isCarriedOut?: true;
  /** The status in place of the answer to a call, null for a reset connection; default: its field `status`. */
  readonly answers?: number | null;
  /** Its names in explored schedules, with the values of its fields there. */
  readonly deviations?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
  /** The view of the receiver, or of the caller. */
  readonly onTheWire: string;
  /** The mistake that this reveals. */
  readonly uncovers: string;
}

export type Effects = Readonly<Record<string, Effect>>;

/** Returns true if an effect changes subjects of a kind, such as calls. */
export function affects({ slot }: Pick<Effect, "slot">, subject: keyof typeof slots): boolean {
  return slots[subject].some((one) => one === slot);
}

/** Returns a field for a duration in sandbox time. It is required if it has no default. */
export function durationField<Value extends IsoDuration | undefined = undefined>(
  description: string,
  value?: Value,
) {
  return { type: { kind: "duration" }, ...presetTo(value), description } as const;
}

/** Returns a field for a whole number from 1. It is required if it has no default. */
export function countField<Value extends number | undefined = undefined>(
  description: string,
  { value, max }: { readonly value?: Value; readonly max: number },
) {
  return { type: { kind: "count", min: 1, max }, ...presetTo(value), description } as const;
}

/** Returns a field for true or false. If it is left out, the fault stores no value. */
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
