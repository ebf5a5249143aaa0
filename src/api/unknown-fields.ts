import { definition, referencedName, type Schema } from "./schemas.ts";

/** A field that the shape of its value does not describe. */
export interface UnknownField {
  readonly path: readonly (string | number)[];
  /** The fields that are known next to it. */
  readonly known: readonly string[];
}

/** Unknown fields that are named. */
const UNKNOWN_MAX = 100;

/**
 * The fields of a value that its shape does not describe. They are no error: the platform ignores them
 * (assumption: payloads.unknown-fields), and a header warns the client.
 */
export function unknownFieldsOf(shape: string, value: unknown): UnknownField[] {
  const unknown: UnknownField[] = [];
  collect([definition(shape).schema], value, [], unknown);
  return unknown;
}

/** Several schemas describe a value: what one of them describes is known. */
function collect(
  described: readonly Schema[],
  value: unknown,
  path: UnknownField["path"],
  unknown: UnknownField[],
): void {
  if (typeof value !== "object" || value === null || unknown.length >= UNKNOWN_MAX) return;
  const schemas = described.flatMap(applied);
  if (Array.isArray(value)) {
    const items = schemas.flatMap((schema) => schema.items ?? []);
    if (items.length === 0) return;
    for (const [index, item] of value.entries()) collect(items, item, [...path, index], unknown);
    return;
  }
  const named = schemas.map(({ properties }) => properties).filter((one) => one !== undefined);
  // Where no field is named, every field is allowed.
  if (named.length === 0) return;
  for (const [name, inner] of Object.entries(value)) {
    const own = named.flatMap((one) => (Object.hasOwn(one, name) ? (one[name] ?? []) : []));
    if (unknown.length >= UNKNOWN_MAX) return;
    if (own.length > 0) collect(own, inner, [...path, name], unknown);
    else unknown.push({ path: [...path, name], known: [...new Set(named.flatMap(Object.keys))] });
  }
}

/** The beginning of a path or a name that a client chose: short enough for a header, with no half of a character. */
export function shownName(path: string): string {
  const cut = path.slice(0, PATH_CHARACTERS_MAX).toWellFormed();
  if (encodeURI(cut).length <= PATH_BYTES_MAX) return cut;
  return path.slice(0, PATH_BYTES_MAX / ENCODED_CHARACTER_MAX).toWellFormed();
}

const PATH_CHARACTERS_MAX = 100;
/** Twenty paths fit in the head of an answer, which clients limit to sixteen thousand bytes. */
const PATH_BYTES_MAX = 360;
/** Three bytes of UTF-8, each as a percent sign and two digits. */
const ENCODED_CHARACTER_MAX = 9;

/** What applies to the same value, by schema: schemas never change once they are read. */
const appliedSchemas = new WeakMap<Schema, readonly Schema[]>();

/** The schema with the ones that apply to the same value by reference; conditions describe no field. */
function applied(schema: Schema): readonly Schema[] {
  const found = appliedSchemas.get(schema);
  if (found !== undefined) return found;
  const referenced = schema.$ref === undefined ? [] : applied(definition(referencedName(schema.$ref)).schema);
  const all = [schema, ...referenced, ...(schema.allOf ?? []).flatMap(applied)];
  appliedSchemas.set(schema, all);
  return all;
}
