import { parseInstant } from "../engine/instant.ts";
import { isRecord } from "./fixture.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const kinds: { readonly [kind: string]: (value: unknown) => boolean } = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  object: isRecord,
  array: Array.isArray,
  null: (value) => value === null,
  uuid: (value) => typeof value === "string" && uuid.test(value),
  date: (value) =>
    typeof value === "string" &&
    /^\d{4}-\d{2}-\d{2}$/.test(value) &&
    parseInstant(`${value}T00:00:00Z`) !== undefined,
  "date-time": (value) => typeof value === "string" && parseInstant(value) !== undefined,
  decimal: (value) => typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value),
};

/** Whether a value is of the kind that `$any` names, null as a word or as itself; `true` takes every value that is there. */
export function matchesAny(kind: unknown, value: unknown): boolean {
  if (value === undefined) return false;
  return kind === true || kinds[String(kind)]?.(value) === true;
}
