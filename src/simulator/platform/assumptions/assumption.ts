/** The values an assumption can take, by its kind. */
export type AssumptionKind =
  | { readonly kind: "statement" }
  | { readonly kind: "flag" }
  | { readonly kind: "duration"; readonly clock: "sandbox" | "wall" }
  | { readonly kind: "durations"; readonly length: number }
  | { readonly kind: "time" }
  | { readonly kind: "amount" }
  | { readonly kind: "count"; readonly min: number; readonly max: number }
  | { readonly kind: "choice"; readonly choices: readonly string[] };

/** A decision of the sandbox: the gap in the platform API and the reason for the decision. */
interface Ground {
  /** The behavior of the sandbox, in sentences. */
  readonly says: string;
  /** The sentence of the platform API that leaves it open, or the place where it says nothing. */
  readonly leavesOpen: string;
  /** The reason for the decision. */
  readonly because: string;
}

/** The reason why a decision cannot be set, although the platform API leaves it open. */
export const whyFixed = {
  form: "Clients depend on these names and forms. Other names would make another API.",
  refusal: "It is about a wrong or unusual request. The caller must correct the request in any case.",
  states: "Clients depend on these states. Other states would make another API.",
  silence: "The platform API has no name for another behaviour.",
  scheme:
    "It follows from the rules of PIX, of the banks or of the key directory. A platform cannot change them.",
  money: "With another rule, money could be spent twice or taken without a service.",
  only: "The platform API has only this possibility.",
  opaque: "A client stores the value and does not read its content.",
  byHand: "A fault, a plan or an act makes the other cases, one at a time.",
  shown: "One sentence of the platform API says it. The other sentence is about receivers.",
  sandbox: "It is about the sandbox, not about the platform.",
} as const;

/** One decision that the platform API leaves open. A statement is fixed; all other kinds can be set. */
export interface Assumption<Value> extends Ground {
  readonly type: AssumptionKind;
  readonly default: Value;
  /** The ids of the assumptions that set the parts of a statement. */
  readonly parts?: readonly string[];
  /** The reason why a statement cannot be set. A statement with parts can be set by them. */
  readonly fixed?: keyof typeof whyFixed;
  /** The other values that a platform could have, as text, if they do not follow from the kind. */
  readonly alternatives?: readonly string[];
  /** For this long something is possible: a platform would not have it at no time. */
  readonly isPeriod?: true;
}

/** The facts of an assumption without its kind and its default. */
type Described = Ground & Pick<Assumption<unknown>, "alternatives">;

/** Returns an assumption that cannot be set. It has its own reason, or other assumptions set its parts. */
export function statement(why: keyof typeof whyFixed | readonly string[], ground: Ground): Assumption<null> {
  const reason = typeof why === "string" ? { fixed: why } : { parts: why };
  return { ...ground, ...reason, type: { kind: "statement" }, default: null };
}

export function flag(value: boolean, ground: Ground): Assumption<boolean> {
  return { ...ground, type: { kind: "flag" }, default: value };
}

/** An ISO 8601 duration in sandbox time: it passes with the world's clock. */
export function duration(value: string, ground: Described): Assumption<string> {
  return { ...ground, type: { kind: "duration", clock: "sandbox" }, default: value };
}

/** Returns a duration for which something is possible. */
export function period(value: string, ground: Described): Assumption<string> {
  return { ...duration(value, ground), isPeriod: true };
}

/** An ISO 8601 duration in wall time, independent of the world's clock: hours and less, longer than zero. */
export function wallDuration(value: string, ground: Ground): Assumption<string> {
  return { ...ground, type: { kind: "duration", clock: "wall" }, default: value };
}

/** A list of ISO 8601 durations in sandbox time, as many as the default has. */
export function durations(values: readonly string[], ground: Ground): Assumption<readonly string[]> {
  return { ...ground, type: { kind: "durations", length: values.length }, default: values };
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
  [min, max]: readonly [number, number],
  ground: Ground,
): Assumption<number> {
  return { ...ground, type: { kind: "count", min, max }, default: value };
}

/** One of some words; the first is the default. */
export function choice<const Choice extends string>(
  choices: readonly [Choice, ...Choice[]],
  ground: Described,
): Assumption<Choice> {
  return { ...ground, type: { kind: "choice", choices }, default: choices[0] };
}
