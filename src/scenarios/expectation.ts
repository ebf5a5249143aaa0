import { parseInstant } from "../simulator/engine/instant.ts";
import { type JsonObject, isRecord } from "../simulator/engine/json.ts";
import { isDeepStrictEqual } from "node:util";
import { patternOf } from "./pattern.ts";
import { UUID } from "../simulator/engine/uuid.ts";

/** One place where the found value is not the expected value. `undefined` means a missing value. */
export interface Difference {
  /** The path for readers: `body.details[0].field`. */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
  /** The number of entries of a list without an expected entry. `actual` is then the nearest entry. */
  readonly nearestOf?: number;
}

/**
 * Finds the differences between `actual` and `expected`. An object matches a subset, a list a prefix in order, an empty
 * list only an empty list. An object of `$` keys has matchers. Empty if everything matches.
 */
export function differencesOf(expected: unknown, actual: unknown, path = ""): Difference[] {
  if (isMatcher(expected)) return matcherDifferences(expected, actual, path);
  if (Array.isArray(expected)) return listDifferences(expected, actual, path);
  if (isRecord(expected)) {
    if (!isRecord(actual)) return [{ path, expected, actual }];
    return Object.entries(expected).flatMap(([key, value]) =>
      differencesOf(value, Object.hasOwn(actual, key) ? actual[key] : undefined, below(path, key)),
    );
  }
  return Object.is(expected, actual) ? [] : [{ path, expected, actual }];
}

/** Returns true if this is an object of matchers such as `$any`, and not of fields. */
export function isMatcher(value: unknown): value is { [matcher: string]: unknown } {
  return isRecord(value) && Object.keys(value).some((key) => key.startsWith("$"));
}

/** Returns `path` with one more key or position. */
function below(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

function listDifferences(expected: readonly unknown[], actual: unknown, path: string): Difference[] {
  if (!Array.isArray(actual)) return [{ path, expected, actual }];
  if (expected.length === 0 && actual.length > 0) return [{ path, expected, actual }];
  return expected.flatMap((item, index) => differencesOf(item, actual[index], below(path, index)));
}

/**
 * The differences to the most similar element of a list. The expectation may belong to another element.
 */
const guesses = new WeakSet<Difference>();

/** Returns true if it is uncertain that the found value belongs to the expected value. */
export function isGuess(difference: Difference): boolean {
  return guesses.has(difference);
}

type Matcher = (operand: never, actual: unknown, path: string) => boolean | Difference[];

const matchers: { readonly [name: string]: Matcher } = {
  $any: (kind: unknown, actual) => matchesAny(kind, actual),
  $absent: (absent: boolean, actual) => (actual === undefined) === absent,
  $regex: (pattern: string, actual) => typeof actual === "string" && patternOf(pattern).test(actual),
  $gt: (bound: unknown, actual) => (compare(actual, bound) ?? 0) > 0,
  $gte: (bound: unknown, actual) => (compare(actual, bound) ?? -1) >= 0,
  $lt: (bound: unknown, actual) => (compare(actual, bound) ?? 0) < 0,
  $lte: (bound: unknown, actual) => (compare(actual, bound) ?? 1) <= 0,
  $length: (length: unknown, actual, path) => {
    if (typeof actual !== "string" && !Array.isArray(actual)) return false;
    return differencesOf(
      Number.isNaN(Number(length)) ? length : Number(length),
      actual.length,
      `${path}.length`,
    );
  },
  $unordered: (items: readonly unknown[], actual, path) => unorderedDifferences(items, actual, path),
  $inOrder: (items: readonly unknown[], actual, path) => inOrderDifferences(items, actual, path),
  $each: (item: unknown, actual, path) =>
    Array.isArray(actual) &&
    actual.length > 0 &&
    actual.flatMap((one, index) => differencesOf(item, one, below(path, index))),
  $oneOf: (choices: readonly unknown[], actual) =>
    choices.some((choice) => differencesOf(choice, actual).length === 0),
  $not: (forbidden: unknown, actual) => differencesOf(forbidden, actual).length > 0,
  $exactly: (whole: unknown, actual, path) => exactDifferences(whole, actual, path),
};

function matcherDifferences(
  expected: { [matcher: string]: unknown },
  actual: unknown,
  path: string,
): Difference[] {
  return Object.entries(expected).flatMap(([name, operand]) => {
    const result = matchers[name]?.(operand as never, actual, path) ?? false;
    if (Array.isArray(result)) return result;
    return result ? [] : [{ path, expected: { [name]: operand }, actual }];
  });
}

/** Finds the differences between two values, including fields and items that only one of them has. */
function exactDifferences(whole: unknown, actual: unknown, path: string): Difference[] {
  if (isDeepStrictEqual(whole, actual)) return [];
  const isList = Array.isArray(whole) && Array.isArray(actual);
  if (!isList && !(isRecord(whole) && isRecord(actual))) return [{ path, expected: whole, actual }];
  const keys = new Set([...Object.keys(whole), ...Object.keys(actual)]);
  return Array.from(keys).flatMap((key) =>
    exactDifferences(
      Object.hasOwn(whole, key) ? (whole as JsonObject)[key] : undefined,
      Object.hasOwn(actual, key) ? (actual as JsonObject)[key] : undefined,
      below(path, isList ? Number(key) : key),
    ),
  );
}

/** Pairs each expected item with a different element. Items without a pair are compared with the remaining elements. */
function unorderedDifferences(
  items: readonly unknown[],
  actual: unknown,
  path: string,
): Difference[] | false {
  if (!Array.isArray(actual)) return false;
  const fits = items.map((item) =>
    actual.flatMap((one, index) => (differencesOf(item, one).length === 0 ? [index] : [])),
  );
  const takenBy = new Map<number, number>();
  // A taken element is free when its item can take another one (augmenting paths).
  const place = (item: number, tried: Set<number>): boolean =>
    (fits[item] ?? []).some((index) => {
      if (tried.has(index)) return false;
      tried.add(index);
      const holder = takenBy.get(index);
      if (holder !== undefined && !place(holder, tried)) return false;
      takenBy.set(index, item);
      return true;
    });
  const unpaired = items.filter((_, item) => !place(item, new Set()));
  const left = Array.from(actual.entries()).filter(([index]) => !takenBy.has(index));
  return unpaired.flatMap((expected) => missingItem(expected, left, { path }));
}

/**
 * Finds each expected item after the one before it. Compares the first missing item with the rest of the list. Its
 * element is certain if the lists have the same length and all other items match at their own places.
 */
function inOrderDifferences(items: readonly unknown[], actual: unknown, path: string): Difference[] | false {
  if (!Array.isArray(actual)) return false;
  let left: readonly Item[] = Array.from(actual.entries());
  for (const [index, expected] of items.entries()) {
    const place = left.findIndex(([, one]) => differencesOf(expected, one).length === 0);
    if (place === -1) {
      const isCertain =
        items.length === actual.length &&
        items.every((item, other) => other === index || differencesOf(item, actual[other]).length === 0);
      return missingItem(expected, left, { path, certainAt: isCertain ? index : undefined });
    }
    left = left.slice(place + 1);
  }
  return [];
}

/** An element of a list, with its position. */
type Item = readonly [index: number, value: unknown];

/**
 * Returns the differences between an item that matches no element and the nearest element. If elements have the same
 * first field (such as the event), the nearest of these is compared. Otherwise the whole nearest element is shown, in
 * the expected fields.
 */
function missingItem(
  expected: unknown,
  left: readonly Item[],
  { path, certainAt }: { readonly path: string; readonly certainAt?: number | undefined },
): Difference[] {
  const [first] = isRecord(expected) && !isMatcher(expected) ? Object.entries(expected) : [];
  const compared = left
    .map(([index, one]) => ({ one, index, differences: differencesOf(expected, one, below(path, index)) }))
    .toSorted((one, other) => one.differences.length - other.differences.length);
  const alike = compared.find(
    ({ one }) => first !== undefined && isRecord(one) && differencesOf(first[1], one[first[0]]).length === 0,
  );
  if (alike !== undefined) {
    if (alike.index !== certainAt) for (const difference of alike.differences) guesses.add(difference);
    return alike.differences;
  }
  const actual = expectedPart(expected, compared[0]?.one);
  return [{ path: `${path}[*]`, expected, actual, nearestOf: left.length }];
}

/** Returns the expected fields of a value. */
function expectedPart(expected: unknown, actual: unknown): unknown {
  if (!isRecord(expected) || isMatcher(expected) || !isRecord(actual)) return actual;
  return Object.fromEntries(
    Object.keys(expected)
      .filter((key) => Object.hasOwn(actual, key))
      .map((key) => [key, expectedPart(expected[key], actual[key])]),
  );
}

const kinds: { readonly [kind: string]: (value: unknown) => boolean } = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  object: isRecord,
  array: Array.isArray,
  null: (value) => value === null,
  uuid: (value) => typeof value === "string" && UUID.test(value),
  date: (value) =>
    typeof value === "string" &&
    /^\d{4}-\d{2}-\d{2}$/.test(value) &&
    parseInstant(`${value}T00:00:00Z`) !== undefined,
  "date-time": (value) => typeof value === "string" && parseInstant(value) !== undefined,
  decimal: (value) => typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value),
};

/** Returns true if a value is of the kind that `$any` names. `true` accepts every value except a missing one. */
function matchesAny(kind: unknown, value: unknown): boolean {
  if (value === undefined) return false;
  return kind === true || kinds[String(kind)]?.(value) === true;
}

const decimal = /^-?\d+(?:\.\d+)?$/;
const day = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Compares two values. Negative, zero or positive as `left` is less than, equal to or greater than `right`. Undefined
 * without an order.
 */
function compare(left: unknown, right: unknown): number | undefined {
  const [one, other] = [measure(left), measure(right)];
  return one === undefined || other === undefined || one.of !== other.of ? undefined : one.size - other.size;
}

/**
 * Returns the size of a value with an order: a number, a decimal string, a time, or a date as its first moment in UTC.
 */
export function measure(value: unknown): { of: "number" | "time"; size: number } | undefined {
  if (typeof value === "number") return { of: "number", size: value };
  if (typeof value !== "string") return undefined;
  if (decimal.test(value)) return { of: "number", size: Number(value) };
  const instant = parseInstant(day.test(value) ? `${value}T00:00:00Z` : value);
  return instant === undefined ? undefined : { of: "time", size: instant };
}
