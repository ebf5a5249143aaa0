import type { BookedObject } from "../../api/generated/shapes.ts";
import type { RowSettings } from "../scenarios/scenario.ts";
import { amountIn, minorOf, shownValue, valuesAt } from "./amounts.ts";
import { isRecord } from "../../engine/json.ts";

export interface RowProblem {
  readonly objectId: string | null;
  readonly sentence: string;
}

/** Rows without an object, objects without a row, and rows that say something else than their object. */
export function rowProblems(
  { of, at, key, amount, status }: RowSettings,
  state: unknown,
  all: readonly BookedObject[],
  isMinor: boolean,
): RowProblem[] {
  const rows = valuesAt(at, state).filter(isRecord);
  const objects = all.filter(({ collection }) => collection === of);
  /** Several objects may have one externalId: its rows are theirs in their order. */
  const rowsOf = (object: BookedObject): Readonly<Record<string, unknown>>[] => {
    const byId = rows.filter((row) => String(row[key]) === object.id);
    if (byId.length > 0 || object.externalId === null) return byId;
    const twins = objects.filter(({ externalId }) => externalId === object.externalId);
    const own = rows.filter((row) => String(row[key]) === object.externalId);
    const place = twins.indexOf(object);
    return place === twins.length - 1 ? own.slice(place) : own.slice(place, place + 1);
  };
  const { field = "", ...others } = status ?? {};
  const words: Readonly<Record<string, string | readonly string[]>> = others;
  const claims = new Set(Object.values(words).flat());
  const perObject = objects.flatMap((object): RowProblem[] => {
    const own = rowsOf(object);
    const [row] = own;
    const name = object.externalId ?? object.id;
    const problem = (sentence: string): RowProblem[] => [{ objectId: object.id, sentence }];
    // A system that keeps what events say does not know an object before its first event is delivered.
    const isKnown = status === undefined ? object.isTold : Object.hasOwn(words, object.status);
    if (row === undefined)
      return object.isOwn && isKnown ? problem(`${name} is missing (${object.status} there)`) : [];
    if (own.length > 1) return problem(`${name} is there ${own.length} times`);
    const wanted = Object.hasOwn(words, object.status) ? [words[object.status] ?? []].flat() : undefined;
    if (wanted !== undefined && !wanted.includes(String(row[field])))
      return problem(`${name} is ${shownValue(row[field])} here and ${object.status} there`);
    if (amount === undefined || object.amount === null) return [];
    const currency = object.currency ?? "BRL";
    const found = amountIn(row[amount], currency, isMinor);
    if (found === minorOf(object.amount, currency)) return [];
    return problem(`${name} has ${shownValue(row[amount])} here and ${object.amount} there`);
  });
  const names = new Set(objects.flatMap(({ id, externalId }) => [id, externalId]));
  const extra = rows
    .filter((row) => !names.has(String(row[key])) && (status === undefined || claims.has(String(row[field]))))
    .map((row) => ({ objectId: null, sentence: `${String(row[key])} is only here` }));
  return [...perObject, ...extra];
}
