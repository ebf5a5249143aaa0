import { isRecord } from "../../simulator/engine/json.ts";

/**
 * Texts by the name of their origin, such as `sub.id` or `event 2 data.id`. If a text has several origins, the first
 * counts.
 */
export type Origins = ReadonlyMap<string, string>;

/** The names of the values that only one run has. */
export interface Naming {
  /** The name of each text. */
  readonly names: ReadonlyMap<string, string>;
  /** The value of `${run}` in this run. Texts that contain it are named by it. */
  readonly run?: string;
  /** Texts that are never renamed: they are the same in other runs. */
  readonly constants?: ReadonlySet<string>;
}

const NO_NAMES: Naming = { names: new Map() };

/** A state with names in place of the values of its run. */
export interface NamedState {
  readonly value: unknown;
  /** The texts of `value`, keys included, that contain a name. */
  readonly named: ReadonlySet<string>;
}

/** Shorter texts are too likely to be equal by chance. */
const LENGTH_MIN = 6;

/** A value of an enumeration of the platform, such as `CANCELED`. A random text may look like this, too. */
const STATUS = /^[A-Z]+(?:[._-][A-Z]+)*$/;

/** The name of `${run}` in a text. */
const RUN = "${run}";

/** Returns every text inside a value, by its name: `sub.debtor.name` for a value named `sub`. */
export function originsIn(value: unknown, name: string): Map<string, string> {
  const found = new Map<string, string>();
  collect(value, name, found);
  return found;
}

function collect(value: unknown, name: string, found: Map<string, string>): void {
  if (typeof value === "string") found.set(name, value);
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) collect(item, `${name}[${index}]`, found);
  else if (isRecord(value))
    for (const [key, item] of Object.entries(value)) collect(item, `${name}.${key}`, found);
}

/**
 * Returns the origins of the random texts: two runs with different seeds have different texts there. Each has the name
 * of its text, which is the first origin of the same text. A text that differs only by the names within it needs no
 * other name. A status is not random: the runs may read it at different times. `namings` are the names that are already
 * known.
 */
export function drawnNames(
  first: Origins,
  second: Origins,
  namings: readonly [Naming, Naming] = [NO_NAMES, NO_NAMES],
): ReadonlyMap<string, string> {
  const drawn = new Map<string, string>();
  const known = new Map<string, string>();
  const [ofFirst, ofSecond] = [new Set(first.values()), new Set(second.values())];
  for (const [origin, text] of first) {
    const other = second.get(origin);
    if (other === undefined || text.length < LENGTH_MIN) continue;
    if (STATUS.test(text) && STATUS.test(other) && (ofSecond.has(text) || ofFirst.has(other))) continue;
    const [one, two] = namings;
    const isWhole = one.names.has(text) || two.names.has(other);
    if (!isWhole && nameText(text, one) === nameText(other, two)) continue;
    const texts = JSON.stringify([text, other]);
    const name = known.get(texts) ?? origin;
    known.set(texts, name);
    drawn.set(origin, name);
  }
  return drawn;
}

/** Returns the names for the random texts of a run. A text keeps its name if its first origin is missing in the run. */
export function namesOf(origins: Origins, drawn: ReadonlyMap<string, string>): Map<string, string> {
  const names = new Map<string, string>();
  const given = new Set<string>();
  for (const [origin, name] of drawn) {
    const text = origins.get(origin);
    if (text === undefined || text.length < LENGTH_MIN || names.has(text)) continue;
    // Two origins of one text can have different texts in this run.
    const own = given.has(name) ? origin : name;
    given.add(own);
    names.set(text, own);
  }
  // A longer text may contain a shorter one.
  return new Map([...names].toSorted(([one], [other]) => other.length - one.length));
}

/** Replaces the values that only this run has by their names, in texts and in the keys of objects. */
export function nameState(state: unknown, naming: Naming): NamedState {
  const named = new Set<string>();
  // Probes are compared again and again before there is any name.
  if (naming.names.size === 0 && naming.run === undefined) return { value: state, named };
  const rename = (text: string): string => {
    const renamed = nameText(text, naming);
    if (renamed !== text) named.add(renamed);
    return renamed;
  };
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return rename(value);
    if (Array.isArray(value)) return value.map(walk);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [rename(key), walk(item)]));
  };
  return { value: walk(state), named };
}

/** Replaces every value of this run in a text by its name. */
export function nameText(text: string, { names, run, constants }: Naming): string {
  if (constants?.has(text) === true) return text;
  const whole = names.get(text);
  if (whole !== undefined) return whole;
  let renamed = withRun(text, run);
  if (renamed.length <= LENGTH_MIN) return renamed;
  for (const [value, name] of names) {
    if (value.length < renamed.length && renamed.includes(value))
      renamed = replaceWords(renamed, value, name);
  }
  return renamed;
}

/** Returns every text of a state, keys included. */
export function textsOf(state: unknown, found = new Set<string>()): Set<string> {
  if (typeof state === "string") found.add(state);
  else if (Array.isArray(state)) for (const item of state) textsOf(item, found);
  else if (isRecord(state)) {
    for (const [key, item] of Object.entries(state)) textsOf(item, found.add(key));
  }
  return found;
}

function withRun(text: string, run: string | undefined): string {
  return run === undefined || !text.includes(run) ? text : replaceWords(text, run, RUN);
}

/** Replaces a value only if no letter or digit is next to it, so that `r1` is not found in `r12`. */
function replaceWords(text: string, value: string, name: string): string {
  let replaced = "";
  let from = 0;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
    if (isWordCharacter(text[at - 1]) || isWordCharacter(text[at + value.length])) continue;
    replaced += text.slice(from, at) + name;
    from = at + value.length;
  }
  return replaced + text.slice(from);
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[A-Za-z0-9]/.test(character);
}
