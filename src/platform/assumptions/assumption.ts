/** The values an assumption can take, by its kind. */
export type AssumptionKind =
  | { readonly kind: "statement" }
  | { readonly kind: "flag" }
  | { readonly kind: "duration" }
  | { readonly kind: "time" }
  | { readonly kind: "amount" }
  | { readonly kind: "count"; readonly min: number; readonly max: number }
  | { readonly kind: "choice"; readonly choices: readonly string[] };

/** Why the default is what it is: the gap in the interface and the reason to fill it so. */
export interface Ground {
  /** The sentence of the interface that leaves it open, or the place where it is silent. */
  readonly leavesOpen: string;
  /** The reason for the default. */
  readonly because: string;
  /** What the sandbox does, in a sentence; a statement has nothing else to say. */
  readonly says: string;
}

/** One decision that the interface leaves open. A statement is fixed; every other kind can be set. */
export interface Assumption<Value> extends Ground {
  readonly type: AssumptionKind;
  readonly default: Value;
}

export function statement(ground: Ground): Assumption<null> {
  return { ...ground, type: { kind: "statement" }, default: null };
}

export function flag(value: boolean, ground: Ground): Assumption<boolean> {
  return { ...ground, type: { kind: "flag" }, default: value };
}

/** An ISO 8601 duration in sandbox time, unless the assumption says wall time. */
export function duration(value: string, ground: Ground): Assumption<string> {
  return { ...ground, type: { kind: "duration" }, default: value };
}

/** A time of day in America/Sao_Paulo, `HH:mm` or `HH:mm:ss`. */
export function time(value: string, ground: Ground): Assumption<string> {
  return { ...ground, type: { kind: "time" }, default: value };
}

/** An amount in BRL, as a decimal string. */
export function amount(value: string, ground: Ground): Assumption<string> {
  return { ...ground, type: { kind: "amount" }, default: value };
}

export function count(
  value: number,
  { min, max, ...ground }: Ground & { readonly min: number; readonly max: number },
): Assumption<number> {
  return { ...ground, type: { kind: "count", min, max }, default: value };
}

export function choice<const Choice extends string>(
  value: NoInfer<Choice>,
  { choices, ...ground }: Ground & { readonly choices: readonly Choice[] },
): Assumption<Choice> {
  return { ...ground, type: { kind: "choice", choices }, default: value };
}
