import type { BookedObject } from "../../simulator/api/generated/shapes.ts";
import type { RowSettings } from "../scenario.ts";
import { amountIn, minorOf, shownValue, valuesAt } from "./amounts.ts";
import { isRecord } from "../../simulator/engine/json.ts";

/** Returns rows without an object, objects without a row, and rows that differ from their object. */
export function rowProblems(
  { of, at, key, amount, status }: RowSettings,
  state: unknown,
  all: readonly BookedObject[],
  isMinor: boolean,
): { readonly objectId: string | null; readonly sentence: string }[] {
  const selected = valuesAt(at, state);
  const rows = selected.filter(isRecord);
  const other = selected.find((value) => !isRecord(value));
  const each = Array.isArray(other) ? `; ${at}[*] selects its items` : "";
  const unreadable =
    other === undefined
      ? []
      : [{ objectId: null, sentence: `${at} selects ${shownValue(other)}, which is not a row${each}` }];
  const objects = all.filter(({ collection }) => collection === of);
  /** Finds the rows of an object. If several objects have one externalId, its rows belong to them in order. */
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
  const perObject = objects.flatMap((object): ReturnType<typeof rowProblems> => {
    const own = rowsOf(object);
    const [row] = own;
    const name = object.externalId ?? object.id;
    const problem = (sentence: string) => [{ objectId: object.id, sentence }];
    // A system that keeps what events say does not know an object before its first event is delivered.
    const isKnown = status === undefined ? object.isTold : Object.hasOwn(words, object.status);
    if (row === undefined)
      return object.isOwn && isKnown ? problem(`${name} is missing (${object.status} there)`) : [];
    if (own.length > 1) return problem(`${name} is there ${own.length} times`);
    const wanted = Object.hasOwn(words, object.status) ? [words[object.status] ?? []].flat() : undefined;
    if (wanted !== undefined && !wanted.includes(String(row[field])))
      return problem(`${name} ${inRow(row, field, "is")} here and ${object.status} there`);
    if (amount === undefined || object.amount === null) return [];
    const currency = object.currency ?? "BRL";
    const found = amountIn(row[amount], currency, isMinor);
    if (found === minorOf(object.amount, currency)) return [];
    const why = typeof found === "string" && row[amount] !== undefined ? `: ${found.replace(/\.$/, "")}` : "";
    return problem(`${name} ${inRow(row, amount, "has")} here and ${object.amount} there${why}`);
  });
  const names = new Set(objects.flatMap(({ id, externalId }) => [id, externalId]));
  const extra = rows
    .filter((row) => !names.has(String(row[key])) && (status === undefined || claims.has(String(row[field]))))
    .map((row) => ({
      objectId: null,
      sentence: isName(row[key])
        ? `${row[key]} is only here`
        : `a row ${inRow(row, key, "has")}: ${shownValue(row)}`,
    }));
  return [...unreadable, ...perObject, ...extra];
}

function isName(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** `has "2.00"`, or that the row has no such field. */
function inRow(row: Readonly<Record<string, unknown>>, field: string, verb: "is" | "has"): string {
  return row[field] === undefined ? `has no "${field}"` : `${verb} ${shownValue(row[field])}`;
}
