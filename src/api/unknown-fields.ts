import { definition, referencedName, type Schema } from "./schemas.ts";

/** A field that the shape of its value does not describe. */
export interface UnknownField {
  readonly path: readonly (string | number)[];
  /** The fields that are known next to it. */
  readonly known: readonly string[];
}

/**
 * The fields of a value that its shape does not describe. They are no error: the platform ignores them
 * (assumption: payloads.unknown-fields), and a header warns the client.
 */
export function unknownFieldsOf(shape: string, value: unknown): UnknownField[] {
  let description = descriptions.get(shape);
  if (description === undefined) {
    description = new Description([definition(shape).schema]);
    descriptions.set(shape, description);
  }
  const unknown: UnknownField[] = [];
  collect(description, value, { path: [], unknown });
  return unknown;
}

/** By shape, filled on demand: schemas never change once they are read. */
const descriptions = new Map<string, Description>();

/** What several schemas say about the fields of a value, composed on demand. */
class Description {
  readonly #schemas: readonly Schema[];
  readonly #fields = new Map<string, Description>();
  #items: Description | undefined;
  #names: readonly string[] | undefined;
  /** Whether it names any field; where it names none, every field is allowed. */
  readonly namesFields: boolean;

  constructor(schemas: readonly Schema[]) {
    this.#schemas = schemas.flatMap(applied);
    this.namesFields = this.#schemas.some(({ properties }) => properties !== undefined);
  }

  get fieldNames(): readonly string[] {
    this.#names ??= [...new Set(this.#schemas.flatMap(({ properties }) => Object.keys(properties ?? {})))];
    return this.#names;
  }

  /** What it says about a field; undefined for an unknown one. */
  field(name: string): Description | undefined {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const found = this.#schemas.flatMap((schema) => propertyOf(schema, name));
    // Unknown names are not cached: clients can send any number of them.
    if (found.length === 0) return undefined;
    const description = new Description(found);
    this.#fields.set(name, description);
    return description;
  }

  /** What it says about the items of a list; undefined where it describes no list. */
  get items(): Description | undefined {
    const found = this.#items === undefined ? this.#schemas.flatMap(({ items }) => items ?? []) : [];
    if (found.length > 0) this.#items = new Description(found);
    return this.#items;
  }
}

interface Collection {
  readonly path: UnknownField["path"];
  readonly unknown: UnknownField[];
}

function collect(description: Description, value: unknown, { path, unknown }: Collection): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    const { items } = description;
    if (items === undefined) return;
    for (const [index, item] of value.entries()) collect(items, item, { path: [...path, index], unknown });
    return;
  }
  if (!description.namesFields) return;
  for (const [name, inner] of Object.entries(value)) {
    const described = description.field(name);
    if (unknown.length >= UNKNOWN_MAX) return;
    if (described === undefined) unknown.push({ path: [...path, name], known: description.fieldNames });
    else if (typeof inner === "object") collect(described, inner, { path: [...path, name], unknown });
  }
}

/** Unknown fields that are named. */
const UNKNOWN_MAX = 100;

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

function propertyOf({ properties }: Schema, name: string): Schema[] {
  return properties && Object.hasOwn(properties, name) && properties[name] ? [properties[name]] : [];
}

/** The schema with the ones that apply to the same value by reference; conditions describe no field. */
function applied(schema: Schema): readonly Schema[] {
  const referenced = schema.$ref === undefined ? [] : applied(definition(referencedName(schema.$ref)).schema);
  return [schema, ...referenced, ...(schema.allOf ?? []).flatMap(applied)];
}
