import type { NamedState } from "./naming.ts";
import { isDeepStrictEqual } from "node:util";
import { type JsonObject, canonicalJson, isRecord } from "../../simulator/engine/json.ts";

/** One place where two states differ. A missing value is undefined. */
export interface StateDifference {
  /** A JSON path: `$.charges["charge-1"].status`. */
  readonly path: string;
  readonly baseline: unknown;
  readonly found: unknown;
}

/** The maximum number of listed differences. Further differences are only counted. */
export const DIFFERENCES_MAX = 100;

/**
 * How the places of a state are compared. A place is a path without positions and without the keys that are names:
 * `$.members[*].seenAt`.
 */
export interface ComparisonRules {
  /** Places with a value that is different in every run. Only the presence of a value is compared. */
  readonly unstable: ReadonlySet<string>;
  /** Lists whose order, and objects whose keys, differ by themselves. */
  readonly unordered: ReadonlySet<string>;
  /** Texts that distinguish the items of a list in addition to names, such as the ids of the scenario. */
  readonly identities?: ReadonlySet<string>;
  /** Returns true if two different values count as equal. */
  readonly isSame?: (baseline: unknown, found: unknown) => boolean;
}

const NO_RULES: ComparisonRules = { unstable: new Set(), unordered: new Set() };

type Key = string | number;

interface Place {
  readonly path: string;
  /** The path without positions and names. */
  readonly general: string;
}

const ROOT: Place = { path: "$", general: "$" };

/**
 * Finds the differences between a state and the baseline, in the order of the baseline. The order of the keys of
 * objects does not count. The items of a list are paired by an identity: a field, or the text itself, that is a name or
 * an identity and different in each item. A list without it is compared in its order.
 */
export function stateDifferences(
  baseline: NamedState,
  found: NamedState,
  rules: ComparisonRules = NO_RULES,
): StateDifference[] {
  const differences: StateDifference[] = [];
  const named = new Set([...baseline.named, ...found.named]);
  compare(baseline.value, found.value, ROOT, {
    rules,
    named,
    differ: (difference) => {
      if (differences.length < DIFFERENCES_MAX) differences.push(difference);
    },
  });
  return differences;
}

/** Returns the rules that make two states equal that should be equal, and the paths that they leave out. */
export function rulesFor(
  first: NamedState,
  second: NamedState,
  others: Omit<ComparisonRules, "unstable" | "unordered"> = {},
): ComparisonRules {
  const unstable = new Set<string>();
  const unordered = new Set<string>();
  const rules = { ...others, unstable, unordered };
  compare(first.value, second.value, ROOT, {
    rules,
    named: new Set([...first.named, ...second.named]),
    differ: (_, { general }) => unstable.add(general),
    vary: ({ general }) => unordered.add(general),
  });
  return rules;
}

/** Returns the paths that rules leave out, for a report. */
export function ignoredPaths({ unstable, unordered }: ComparisonRules): string[] {
  return [...unstable, ...Array.from(unordered, (path) => `${path} (order)`)].toSorted();
}

/** Returns true if any part of a state is compared under these rules. */
export function isCompared({ value, named }: NamedState, { unstable }: ComparisonRules): boolean {
  const isComparedAt = (value: unknown, place: Place): boolean => {
    if (unstable.has(place.general)) return false;
    if (typeof value !== "object" || value === null) return true;
    const items = Object.entries(value);
    if (items.length === 0) return true;
    const isList = Array.isArray(value);
    return items.some(([key, item]) => isComparedAt(item, below(place, isList ? Number(key) : key, named)));
  };
  return isComparedAt(value, ROOT);
}

interface Comparing {
  readonly rules: ComparisonRules;
  readonly named: ReadonlySet<string>;
  readonly differ: (difference: StateDifference, place: Place) => void;
  /** Called for a list or an object whose items are equal in another order, or under other keys. */
  readonly vary?: (place: Place) => void;
}

function compare(baseline: unknown, found: unknown, place: Place, comparing: Comparing): void {
  const { rules, differ } = comparing;
  if (rules.unstable.has(place.general) || Object.is(baseline, found)) return;
  if (Array.isArray(baseline) && Array.isArray(found)) return compareLists(baseline, found, place, comparing);
  if (isRecord(baseline) && isRecord(found)) return compareObjects(baseline, found, place, comparing);
  if (rules.isSame?.(baseline, found) === true) return;
  differ({ path: place.path, baseline, found }, place);
}

function compareObjects(baseline: JsonObject, found: JsonObject, place: Place, comparing: Comparing): void {
  const { rules, named, differ, vary } = comparing;
  if (rules.unordered.has(place.general))
    return compareSets(Object.values(baseline), Object.values(found), place, comparing);
  const missing = Object.keys(baseline).filter((key) => !Object.hasOwn(found, key));
  const extra = Object.keys(found).filter((key) => !Object.hasOwn(baseline, key));
  if (vary !== undefined && missing.length > 0 && missing.length === extra.length) {
    // The receiver draws these keys itself, so the values under them are compared without the keys.
    vary(place);
    return compareSets(Object.values(baseline), Object.values(found), place, comparing);
  }
  if (vary !== undefined && missing.length + extra.length > 0)
    return differ({ path: place.path, baseline, found }, place);
  for (const [key, value] of Object.entries(baseline)) {
    // Most compared values are equal. Building their place would cost more than the rest.
    if (Object.is(value, found[key]) && Object.hasOwn(found, key)) continue;
    const at = below(place, key, named);
    if (Object.hasOwn(found, key)) compare(value, found[key], at, comparing);
    else differ({ path: at.path, baseline: value, found: undefined }, at);
  }
  for (const key of extra) {
    const at = below(place, key, named);
    differ({ path: at.path, baseline: undefined, found: found[key] }, at);
  }
}

type List = readonly unknown[];

function compareLists(baseline: List, found: List, place: Place, comparing: Comparing): void {
  const { rules, named, differ, vary } = comparing;
  if (rules.unordered.has(place.general)) return compareSets(baseline, found, place, comparing);
  const identify = identityOf(baseline, found, comparing);
  if (identify !== undefined) return comparePaired(baseline, found, place, { ...comparing, identify });
  if (vary !== undefined && baseline.length !== found.length)
    return differ({ path: place.path, baseline, found }, place);
  if (vary !== undefined && isReordered(baseline, found)) return vary(place);
  for (let index = 0; index < Math.max(baseline.length, found.length); index++) {
    const at = below(place, index, named);
    if (index < baseline.length && index < found.length)
      compare(baseline[index], found[index], at, comparing);
    else differ({ path: at.path, baseline: baseline[index], found: found[index] }, at);
  }
}

function isReordered(one: List, other: List): boolean {
  return !isDeepStrictEqual(one, other) && isDeepStrictEqual(sorted(one), sorted(other));
}

function sorted(list: List): List {
  return list.toSorted((one, other) => (canonicalJson(one) < canonicalJson(other) ? -1 : 1));
}

/** Pairs equal items first, then the others in their order. */
function compareSets(baseline: List, found: List, place: Place, comparing: Comparing): void {
  const identify = identityOf(baseline, found, comparing) ?? canonicalJson;
  comparePaired(baseline, found, place, { ...comparing, identify, pairsRest: true });
}

interface Pairing extends Comparing {
  readonly identify: (item: unknown) => string | undefined;
  /** True if the remaining items without a partner are compared with each other. */
  readonly pairsRest?: boolean;
}

function comparePaired(
  baseline: List,
  found: List,
  place: Place,
  { identify, pairsRest = false, ...comparing }: Pairing,
): void {
  const { named, differ } = comparing;
  const left = new Map<string | undefined, number[]>();
  for (const [index, item] of found.entries()) {
    const same = left.get(identify(item));
    if (same === undefined) left.set(identify(item), [index]);
    else same.push(index);
  }
  const unpaired: [number, unknown][] = [];
  const isTaken = new Set<number>();
  for (const [index, item] of baseline.entries()) {
    const partner = left.get(identify(item))?.shift();
    if (partner === undefined) {
      unpaired.push([index, item]);
      continue;
    }
    isTaken.add(partner);
    compare(item, found[partner], below(place, index, named), comparing);
  }
  const rest = Array.from(found.entries()).filter(([index]) => !isTaken.has(index));
  for (const [index, item] of unpaired) {
    const at = below(place, index, named);
    // Items that differ by themselves are only counted.
    const isPaired = pairsRest || comparing.rules.unstable.has(at.general);
    const partner = isPaired ? rest.shift() : undefined;
    if (partner === undefined) differ({ path: at.path, baseline: item, found: undefined }, at);
    else compare(item, partner[1], at, comparing);
  }
  for (const [index, item] of rest) {
    const at = below(place, index, named);
    differ({ path: at.path, baseline: undefined, found: item }, at);
  }
}

/** Finds the field that distinguishes the items of the baseline's list. Undefined if every field fails. */
function identityOf(
  baseline: List,
  found: List,
  { named, rules }: Comparing,
): ((item: unknown) => string | undefined) | undefined {
  const tellsApart = (text: unknown): text is string =>
    typeof text === "string" && (named.has(text) || rules.identities?.has(text) === true);
  const isUnique = (texts: readonly unknown[]): boolean =>
    texts.every(tellsApart) && new Set(texts).size === texts.length;
  const all = baseline.length === 0 ? found : baseline;
  if (all.length === 0) return undefined;
  if (isUnique(all)) return (item) => (typeof item === "string" ? item : undefined);
  // A pair of an id and a row is as good as a row with an id.
  const isRow = all.every(isRecord) || all.every((item) => Array.isArray(item));
  const fields = isRow ? Object.keys(all[0] as JsonObject) : [];
  const textsOf = (name: string): unknown[] => all.map((item) => (item as JsonObject)[name]);
  // If a list has an additional row, its identity matters.
  const isOther = baseline.length !== found.length;
  const field =
    fields.find((name) => isUnique(textsOf(name))) ??
    (isOther ? fields.find((name) => textsOf(name).every(tellsApart)) : undefined);
  if (field === undefined) return undefined;
  return (item) => {
    const text = typeof item === "object" && item !== null ? (item as JsonObject)[field] : undefined;
    return typeof text === "string" ? text : undefined;
  };
}

function below({ path, general }: Place, key: Key, named: ReadonlySet<string>): Place {
  const isGeneral = typeof key === "number" || named.has(key);
  const segment = segmentOf(key);
  return { path: path + segment, general: general + (isGeneral ? "[*]" : segment) };
}

/** Returns the path with `[*]` for each position and each key: `$.rows[*].status`. */
export function placeOf(path: string): string {
  return path.replaceAll(/\[(?:\d+|"[^"]*")\]/g, "[*]");
}

/** Writes a segment of a JSON path: `.status`, `["charge-1"]`, `[0]`. */
export function segmentOf(key: Key): string {
  if (typeof key === "number") return `[${key}]`;
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
